import type { Admission, AdmissionCommand } from '@springtide/core/admission';
import type { JobReport, QuotaFault, QuotaSpecs } from '@springtide/core/model';
import type { Clock } from '@springtide/ports/clock';
import type { QueueingOrders, StartForecast, WaitNote } from '@springtide/ports/queueing';
import type { Language } from '@springtide/wire/messages';
import { jobLeaveText, jobRefusalText, jobWaitText, quotaFaultText } from '@springtide/wire/reasons';
import type { Desk } from './desk.ts';

/** Statuses are written so often at most, and so many at once: none stands in the way of a decision. */
const EVERY_MS = 1000;
const TELLS_MAX = 10;
/** A start that is foretold anew within this of what was told is not told again. */
const MOVED_MS = 600_000;

/** Where the newest forecast of a job is found; null: there is none. */
export interface Forecasts {
  readonly of: (job: string) => StartForecast | null;
}

type OfJob = Exclude<AdmissionCommand, { readonly kind: 'refuse-quota' }>;

/** Why jobs wait, and what is wrong with queues: kept until it is told, the newest of each, no faster than agreed. */
export class Notes {
  readonly #clock: Clock;
  readonly #language: Language;
  /** Jobs to be told of, the longest waiting first. */
  readonly #untold = new Map<string, Desk>();
  /** Queues to be told of. */
  readonly #faults = new Map<string, string>();
  /** Queues that were told of a fault. */
  readonly #faulty = new Set<string>();
  #toldAtMs = -Infinity;

  constructor(clock: Clock, language: Language) {
    this.#clock = clock;
    this.#language = language;
  }

  report(desk: Desk | undefined, { wait, promisedStartMs }: JobReport): void {
    if (desk === undefined) return;
    desk.note = {
      position: 0,
      waiting: 0,
      reason: wait.kind,
      message: jobWaitText(this.#language, wait),
      promisedStartMs,
      forecast: null,
    };
    this.#untold.set(desk.id, desk);
  }

  /** What is written with a decision; null: nothing stands in its way. */
  ofCommand(command: OfJob): WaitNote | null {
    if (command.kind === 'refuse') return noteOf(command.refusal.kind, jobRefusalText(this.#language, command.refusal));
    if (command.kind !== 'suspend' && command.kind !== 'evict' && command.kind !== 'requeue') return null;
    const why = jobLeaveText(this.#language, command.reason);
    return noteOf(command.reason, command.kind === 'suspend' && command.by !== '' ? `${why} (${command.by})` : why);
  }

  /** A quota tree that is not taken: each queue that is wrong is told so, and all of them what is wrong elsewhere. */
  refuseQuota(faults: readonly QuotaFault[], { queues }: QuotaSpecs): void {
    for (const fault of faults) {
      const { object, id } = fault;
      const text = quotaFaultText({ language: this.#language }, fault);
      for (const queue of object === 'queue' ? [id] : queues.map((each) => each.id)) this.#faults.set(queue, text);
    }
  }

  /** There is a newer forecast: who was told another start is told again. O(jobs). */
  foretold(desks: Iterable<Desk>, forecasts: Forecasts): void {
    for (const desk of desks) {
      const { note, id } = desk;
      if (note !== null && hasMoved(note.forecast, forecasts.of(id))) this.#untold.set(id, desk);
    }
  }

  /** The quotas are to be looked at anew. */
  clearFaults(): void {
    for (const queue of this.#faulty) this.#faults.set(queue, '');
  }

  /** Tells some of it. */
  tell(orders: QueueingOrders | null, admission: Admission, forecasts: Forecasts): void {
    const nowMs = this.#clock.nowMs();
    if (orders === null || nowMs - this.#toldAtMs < EVERY_MS) return;
    this.#toldAtMs = nowMs;
    for (const [queue, fault] of [...this.#faults].slice(0, TELLS_MAX)) {
      this.#faults.delete(queue);
      if (fault === '') this.#faulty.delete(queue);
      else this.#faulty.add(queue);
      void orders.tellQueue(queue, fault);
    }
    for (const [id, desk] of [...this.#untold].slice(0, TELLS_MAX)) {
      this.#untold.delete(id);
      const standing = admission.standing(id);
      if (standing === null || desk.workload === null || desk.note === null) continue;
      const { position, waiting } = standing;
      desk.note = { ...desk.note, position, waiting, forecast: forecasts.of(id) };
      void orders.tell(desk.workload, desk.note);
    }
  }
}

/** Whether a start is another by so much that it is worth a write: ten minutes, or a quarter of the wait. */
function hasMoved(told: StartForecast | null, now: StartForecast | null): boolean {
  if (now === null) return false;
  if (told === null || (told.p50AtMs === null) !== (now.p50AtMs === null)) return true;
  if (told.p50AtMs === null || now.p50AtMs === null) return false;
  const waitMs = now.p50AtMs - now.madeAtMs;
  return Math.abs(now.p50AtMs - told.p50AtMs) > Math.max(MOVED_MS, waitMs / 4);
}

function noteOf(reason: string, message: string): WaitNote {
  return { position: 0, waiting: 0, reason, message, promisedStartMs: null, forecast: null };
}
