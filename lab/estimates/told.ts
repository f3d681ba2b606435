import { Calibration, outlookOf, type WaitForecast } from '@springtide/core/estimate';
import { RunTimeHistory } from '@springtide/core/forecast';
import { replayEvents, type EventPolicy, type QueueJob, type QueueTrace, type WaitingLine } from '../queues/index.ts';
import { idOf, snapshotOf, startsNow, TraceTraits } from './line-snapshot.ts';

/** Queue policies under which waits are told: in those of the others that do not preempt, a newcomer is not last. */
const PASSING = { fifo: 'none', greedy: 'any' } as const;

export type ToldQueue = keyof typeof PASSING;

export function isToldQueue(name: string): name is ToldQueue {
  return Object.hasOwn(PASSING, name);
}

/** What a job was told at its submission, and what became of it. */
export interface ToldWait {
  readonly job: QueueJob;
  /** It was told "now": a dry run placed it. */
  readonly isNow: boolean;
  readonly told: WaitForecast;
  readonly waitedMs: number;
}

/**
 * Replays a trace and tells each job its wait at its submission, by the queue as it is then: nothing that comes later
 * is used. Of the jobs that have to wait each `every`-th is told (1: all).
 */
export function tellWaits(trace: QueueTrace, queue: ToldQueue, every: number): ToldWait[] {
  const passing = PASSING[queue];
  const policy: EventPolicy = { passing, runTimes: 'exact', isShortestFirst: false };
  const teller = new Teller(every);
  replayEvents(trace, policy, {
    arrives: (job, line, nowMs) => teller.arrives(job, line, nowMs),
    started: ({ job, startedAtMs }) => teller.started(job, startedAtMs),
    ended: ({ job, endsAtMs }) => teller.ended(job, endsAtMs),
  });
  return teller.waits;
}

/** What is played of one world at most. */
const EVENTS_MAX = 100_000;
const NONE: ReadonlySet<string> = new Set();

const NOW: WaitForecast = { p50Ms: 0, p90Ms: 0 };

class Teller {
  readonly waits: ToldWait[] = [];
  readonly #every: number;
  readonly #history = new RunTimeHistory();
  readonly #calibration = new Calibration();
  readonly #traits = new TraceTraits();
  readonly #open = new Map<QueueJob, { readonly isNow: boolean; readonly told: WaitForecast }>();
  #asked = 0;

  constructor(every: number) {
    this.#every = every;
  }

  arrives(job: QueueJob, line: WaitingLine, nowMs: number): void {
    if (startsNow(line, nowMs, job.cards)) {
      this.#open.set(job, { isNow: true, told: NOW });
      return;
    }
    this.#asked += 1;
    if (this.#asked % this.#every !== 0) return;
    const outlook = outlookOf({
      snapshot: snapshotOf(line, nowMs, this.#traits),
      history: this.#history,
      kinds: [job.cards],
      asked: NONE,
      effortMax: EVENTS_MAX,
      mayGoOn: () => true,
    });
    const raw = outlook.waitOfKind(job.cards) as WaitForecast;
    this.#open.set(job, { isNow: false, told: this.#calibration.corrected(raw, nowMs) });
    this.#calibration.told(idOf(job), raw, nowMs);
  }

  started(job: QueueJob, nowMs: number): void {
    this.#history.started(idOf(job), this.#traits.of(job), job.submittedAtMs, nowMs);
    this.#calibration.started(idOf(job), nowMs);
    const open = this.#open.get(job);
    this.#open.delete(job);
    if (open !== undefined) this.waits.push({ job, ...open, waitedMs: nowMs - job.submittedAtMs });
  }

  ended(job: QueueJob, nowMs: number): void {
    this.#history.ended(idOf(job), nowMs);
  }
}
