import { compareText, Heap } from '../base/index.ts';
import { Admission, type AdmissionCommand, type AdmissionEvent, type AdmissionOptions } from '../admission/index.ts';
import type { Rehearsal } from './rehearsal.ts';

/** All that an admission has to hear to stand where the real one stands, at one moment. */
export interface AdmissionMoment {
  readonly nowMs: number;
  readonly options: AdmissionOptions;
  readonly events: readonly AdmissionEvent[];
}

type JobEvent = Extract<AdmissionEvent, { readonly kind: 'job' }>;

/** Jobs that are tried in one step. */
const WORK = 4096;
/** Steps and turns of one rehearsal at most: what starts later is told to start later than that. */
const STEPS_MAX = 2000;
const TRIED_MAX = 5000;
/** Steps while nothing is to happen any more: somebody may rest after a failed start. */
const QUIET_STEPS_MAX = 50;

/** Something that is to happen to a job; of one that has started anew since it is not heard (I6). */
interface Due {
  readonly atMs: number;
  readonly job: string;
  readonly incarnation: number;
  readonly kind: 'job-ended' | 'job-stopped';
}

/**
 * The real admission on a copy: jobs are ready as soon as they are admitted, run as long as is assumed, and leave when
 * they are told to, with all that they have done saved. It is over when all that is asked for have started, or its
 * bounds are reached: `nextAtMs` is Infinity then. O(world) to make.
 */
export class AdmissionRehearsal implements Rehearsal<never> {
  readonly #admission: Admission;
  readonly #asked: Set<string>;
  readonly #runTimeMs: ReadonlyMap<string, number>;
  readonly #unknownRunMs: number;
  readonly #due = new Heap<Due>(byTime);
  /** When those that run end. */
  readonly #ends = new Map<string, Due>();
  /** Jobs that were told to leave, and when they do. */
  readonly #stops = new Map<string, Due>();
  /** What is not done yet of each job. */
  readonly #leftMs = new Map<string, number>();
  readonly #startedAtMs = new Map<string, number>();
  /** Uids of pods that run already, by job. */
  readonly #pods = new Map<string, string[]>();
  #pending: readonly AdmissionEvent[];
  #nowMs: number;
  #steps = 0;
  #tried = 0;
  #quietSteps = 0;
  nextAtMs: number;

  constructor(
    { nowMs, options, events }: AdmissionMoment,
    asked: Iterable<string>,
    runTimeMs: ReadonlyMap<string, number>,
  ) {
    this.#admission = new Admission(options);
    this.#asked = new Set(asked);
    this.#runTimeMs = runTimeMs;
    this.#unknownRunMs = options.unknownRunMs;
    this.#pending = events;
    this.#nowMs = nowMs;
    this.nextAtMs = nowMs;
    for (const event of events) {
      if (event.kind === 'pod' && event.seen.job !== null) {
        const uids = this.#pods.get(event.seen.job) ?? [];
        this.#pods.set(event.seen.job, uids);
        uids.push(event.seen.uid);
      } else if (event.kind === 'job') this.#resume(event);
    }
  }

  readonly wouldStart = (): boolean => false;

  readonly advance = (): string[] => {
    this.#nowMs = Math.max(this.#nowMs, this.nextAtMs);
    for (let due = this.#due.first; due !== undefined && due.atMs <= this.#nowMs; due = this.#due.first) {
      this.#due.delete(due);
      this.#pending = [...this.#pending, ...this.#happens(due)];
    }
    const { commands, more, tried, wakeAtMs } = this.#admission.step(this.#nowMs, this.#pending, WORK);
    const started: string[] = [];
    this.#pending = commands.flatMap((command) => this.#obey(command, started));
    this.#steps += 1;
    this.#tried += tried;
    this.#quietSteps = this.#due.size === 0 && commands.length === 0 ? this.#quietSteps + 1 : 0;
    const dueMs = Math.min(this.#due.first?.atMs ?? Infinity, wakeAtMs ?? Infinity);
    this.nextAtMs = this.#isOver() ? Infinity : more || this.#pending.length > 0 ? this.#nowMs : dueMs;
    return started;
  };

  #isOver(): boolean {
    if (this.#asked.size === 0 || this.#quietSteps >= QUIET_STEPS_MAX) return true;
    return this.#steps >= STEPS_MAX || this.#tried >= TRIED_MAX;
  }

  /** What runs already goes on; what was told to leave leaves. */
  #resume({ job, record }: JobEvent): void {
    if (record === null) return;
    const { state, incarnation, startedAtMs } = record;
    const { id } = job.workload;
    if (state !== 'admitted' && state !== 'running' && state !== 'suspending') return;
    this.#startedAtMs.set(id, startedAtMs ?? this.#nowMs);
    if (state === 'suspending') this.#stop(id, incarnation, this.#nowMs);
    else this.#run(id, incarnation, startedAtMs ?? this.#nowMs);
  }

  #run(job: string, incarnation: number, startedAtMs: number): void {
    this.#startedAtMs.set(job, startedAtMs);
    const atMs = Math.max(this.#nowMs, startedAtMs + this.#leftOf(job));
    take(this.#ends, job, this.#due);
    const due: Due = { atMs, job, incarnation, kind: 'job-ended' };
    this.#ends.set(job, due);
    this.#due.put(due);
  }

  #happens({ kind, job, incarnation }: Due): AdmissionEvent[] {
    // Neither is to happen once the other has.
    take(this.#stops, job, this.#due);
    take(this.#ends, job, this.#due);
    const gone = (this.#pods.get(job) ?? []).map((uid): AdmissionEvent => ({ kind: 'pod-gone', uid }));
    const happened: AdmissionEvent =
      kind === 'job-stopped' ? { kind, job, incarnation } : { kind, job, incarnation, isFailed: false };
    return [happened, ...gone];
  }

  /** What follows at once from a command; jobs that start and are asked for are added to `started`. */
  #obey(command: AdmissionCommand, started: string[]): AdmissionEvent[] {
    if (command.kind === 'refuse-quota') return [];
    const { job, record } = command;
    const { incarnation } = record;
    switch (command.kind) {
      case 'admit':
        this.#run(job, incarnation, this.#nowMs);
        if (this.#asked.delete(job)) started.push(job);
        return [{ kind: 'job-ready', job, incarnation }];
      case 'suspend':
        this.#stop(job, incarnation, command.untilMs);
        return [];
      case 'evict':
        this.#stop(job, incarnation, this.#nowMs);
        return [];
      case 'resume':
        take(this.#stops, job, this.#due);
        this.#run(job, incarnation, this.#nowMs);
        return [{ kind: 'job-ready', job, incarnation }];
      case 'refuse':
        this.#asked.delete(job);
        return [];
      default:
        return [];
    }
  }

  /** It runs on until it stops. */
  #stop(job: string, incarnation: number, atMs: number): void {
    if (!take(this.#stops, job, this.#due)) {
      const ranMs = this.#nowMs - (this.#startedAtMs.get(job) ?? this.#nowMs);
      this.#leftMs.set(job, Math.max(1, this.#leftOf(job) - ranMs));
    }
    const due: Due = { atMs, job, incarnation, kind: 'job-stopped' };
    this.#stops.set(job, due);
    this.#due.put(due);
  }

  #leftOf(job: string): number {
    return this.#leftMs.get(job) ?? this.#runTimeMs.get(job) ?? this.#unknownRunMs;
  }
}

/** Takes back what was to happen to a job; whether something was. */
function take(from: Map<string, Due>, job: string, due: Heap<Due>): boolean {
  const known = from.get(job);
  if (known !== undefined) due.delete(known);
  return from.delete(job);
}

function byTime(left: Due, right: Due): number {
  return (
    left.atMs - right.atMs ||
    compareText(left.job, right.job) ||
    left.incarnation - right.incarnation ||
    compareText(left.kind, right.kind)
  );
}
