import { Admission, type AdmissionCommand, type AdmissionEvent, type AdmissionOptions } from '../admission/index.ts';
import { compareText, Heap } from '../base/index.ts';
import type { Rehearsal } from './rehearsal.ts';

/** All that an admission has to hear to stand where the real one stands, at one moment. */
export interface AdmissionMoment {
  readonly nowMs: number;
  readonly options: AdmissionOptions;
  readonly events: readonly AdmissionEvent[];
}

type JobEvent = Extract<AdmissionEvent, { readonly kind: 'job' }>;

/** Jobs that are tried in one step. */
const WORK = 512;

/** Where nothing runs and nothing was decided for so long, nothing will be: it is longer than any job rests. */
const IDLE_MS = 3_600_000;

/** A start of a job that goes on until its end. */
interface Run {
  readonly job: string;
  readonly incarnation: number;
  readonly startedAtMs: number;
  readonly endsAtMs: number;
}

/**
 * The real admission on a copy: started anew from what is kept with the jobs, which decides nothing that was not
 * decided (I14), and then played forward. Jobs are ready as soon as they are admitted, run as long as is assumed, and
 * are gone as soon as they are told to leave, with all that they have done saved. Further jobs are asked for by having
 * them among the events, since a newcomer need not be last in line: kinds are not known here. O(world) to make.
 */
export class AdmissionRehearsal implements Rehearsal<never> {
  nextAtMs: number;
  effort = 0;
  readonly #admission: Admission;
  readonly #runTimeMs: ReadonlyMap<string, number>;
  readonly #unknownRunMs: number;
  readonly #ends = new Heap<Run>(byEnd);
  /** By job. */
  readonly #runs = new Map<string, Run>();
  /** What is not done yet of jobs that were told to leave. */
  readonly #leftMs = new Map<string, number>();
  /** Uids of pods that run since before, by job. */
  readonly #pods = new Map<string, string[]>();
  #pending: AdmissionEvent[];
  #decidedAtMs: number;

  constructor({ nowMs, options, events }: AdmissionMoment, runTimeMs: ReadonlyMap<string, number>) {
    this.#admission = new Admission(options);
    this.#runTimeMs = runTimeMs;
    this.#unknownRunMs = options.unknownRunMs;
    this.#pending = [...events];
    this.nextAtMs = nowMs;
    this.#decidedAtMs = nowMs;
    for (const event of events) {
      if (event.kind === 'pod') this.#see(event.seen);
      else if (event.kind === 'job') this.#resume(event);
    }
  }

  readonly wouldStart = (): boolean => false;

  readonly advance = (): string[] => {
    const nowMs = this.nextAtMs;
    for (let run = this.#ends.first; run !== undefined && run.endsAtMs <= nowMs; run = this.#ends.first) {
      const { job, incarnation } = run;
      this.#ends.take();
      this.#runs.delete(job);
      this.#pending.push({ kind: 'job-ended', job, incarnation, isFailed: false }, ...this.#podsGone(job));
    }
    const { commands, more, tried, wakeAtMs } = this.#admission.step(nowMs, this.#pending, WORK);
    this.effort += 1 + tried;
    this.#pending = commands.flatMap((command) => this.#obey(command, nowMs));
    const dueMs = Math.min(this.#ends.first?.endsAtMs ?? Infinity, wakeAtMs ?? Infinity);
    if (commands.length > 0 || this.#runs.size > 0) this.#decidedAtMs = nowMs;
    const isIdle = nowMs - this.#decidedAtMs > IDLE_MS;
    this.nextAtMs = isIdle ? Infinity : more || this.#pending.length > 0 ? nowMs : Math.max(nowMs, dueMs);
    return commands.flatMap((command) => (command.kind === 'admit' ? [command.job] : []));
  };

  #see({ job, uid }: { readonly job: string | null; readonly uid: string }): void {
    if (job === null) return;
    const uids = this.#pods.get(job) ?? [];
    this.#pods.set(job, uids);
    uids.push(uid);
  }

  /** What runs goes on. */
  #resume({ job, record }: JobEvent): void {
    if (record === null) return;
    const { state, incarnation, startedAtMs } = record;
    const { id } = job.workload;
    if (state !== 'admitted' && state !== 'running' && state !== 'suspending') return;
    this.#run(id, incarnation, startedAtMs ?? this.nextAtMs);
    if (state === 'suspending') this.#pending.push(...this.#stop(id, incarnation, this.nextAtMs));
    if (state === 'admitted') this.#pending.push({ kind: 'job-ready', job: id, incarnation });
  }

  #run(job: string, incarnation: number, startedAtMs: number): void {
    const leftMs = this.#leftMs.get(job) ?? this.#runTimeMs.get(job) ?? this.#unknownRunMs;
    const run: Run = { job, incarnation, startedAtMs, endsAtMs: Math.max(this.nextAtMs, startedAtMs + leftMs) };
    this.#runs.set(job, run);
    this.#ends.put(run);
  }

  /** What follows at once from a command. */
  #obey(command: AdmissionCommand, nowMs: number): AdmissionEvent[] {
    if (!('record' in command)) return [];
    const { job, record } = command;
    const { incarnation } = record;
    if (command.kind === 'suspend' || command.kind === 'evict') return this.#stop(job, incarnation, nowMs);
    if (command.kind === 'admit') this.#run(job, incarnation, nowMs);
    // Who was called off before it was stopped goes on.
    return command.kind === 'admit' || command.kind === 'resume' ? [{ kind: 'job-ready', job, incarnation }] : [];
  }

  #stop(job: string, incarnation: number, nowMs: number): AdmissionEvent[] {
    const run = this.#runs.get(job);
    if (run !== undefined) {
      this.#ends.delete(run);
      this.#runs.delete(job);
      this.#leftMs.set(job, Math.max(1, run.endsAtMs - nowMs));
    }
    return [{ kind: 'job-stopped', job, incarnation }, ...this.#podsGone(job)];
  }

  #podsGone(job: string): AdmissionEvent[] {
    const uids = this.#pods.get(job) ?? [];
    this.#pods.delete(job);
    return uids.map((uid) => ({ kind: 'pod-gone', uid }));
  }
}

function byEnd(left: Run, right: Run): number {
  return left.endsAtMs - right.endsAtMs || compareText(left.job, right.job) || left.incarnation - right.incarnation;
}
