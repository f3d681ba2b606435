import { compareText } from '../base/index.ts';
import type { JobLeave, JobRecord, QueuedJob } from '../model/index.ts';
import type { Refused } from './attempt.ts';
import type { Lane, Line } from './lines.ts';
import type { Shape } from './shapes.ts';
import type { StartOption } from './start-options.ts';

/** Why and for whom a job leaves. */
export interface Leaving {
  readonly reason: JobLeave;
  /** The job that takes its place; null: none, and nobody can call it off. */
  readonly by: Entry | null;
  /** It is in its grace: asked for a checkpoint and not stopped yet. */
  isAsked: boolean;
  /** Orders to stop that were given. */
  stops: number;
  readonly avoids: readonly string[];
  readonly retryAtMs: number;
}

/** A job that admission knows, with all that is remembered of it. */
export interface Entry {
  readonly id: string;
  job: QueuedJob;
  /** A newer submission that is taken in when the job next waits; null: none. */
  newer: QueuedJob | null;
  record: JobRecord;
  shape: Shape;
  /** The line of its queue; null: there is no such queue. */
  line: Line | null;
  /** Where it rests among those that are refused when it is; null: it is tried, or waits for its turn. */
  lane: Lane | null;
  /** What it was given, while it holds something. */
  option: StartOption | null;
  /** It was evicted for a job that then did not come: it goes before all others. */
  isResumed: boolean;
  /** The placement policy was told of it, so that it learns what is asked for. */
  isObserved: boolean;
  /** Its priority, raised as its deadline comes nearer. */
  rank: number;
  /** While `reserved`: those whose leaving it waits for. */
  victims: readonly Entry[];
  /** While `suspending`. */
  leaving: Leaving | null;
  /** While it waits: the job that it was last evicted for; null: none. */
  lastBy: Entry | null;
  /** When something of it is due; Infinity: nothing. */
  dueMs: number;
  /** Why it was refused when it was last tried. */
  refused: Refused | null;
  /** What was last told of it, in short. */
  told: string;
}

/** Holds quota and cards. */
export function isHolding({ record: { state } }: Entry): boolean {
  return state === 'reserved' || state === 'admitted' || state === 'running' || state === 'suspending';
}

/** Evicted in vain first, then by priority, by the time of submission, by id. A total order. */
export function inLine(left: Entry, right: Entry): number {
  return (
    Number(right.isResumed) - Number(left.isResumed) ||
    right.rank - left.rank ||
    left.job.submittedAtMs - right.job.submittedAtMs ||
    compareText(left.id, right.id)
  );
}

/** How a priority grows by deadline: with a half, a quarter, an eighth, a sixteenth of the time left. */
const RAISES = [1, 10, 100, 1000] as const;

/**
 * The priority of a job in its queue, and when it next changes. It counts the time from submission to the last moment
 * at which a start still meets the deadline; a raise gives a better turn, and never a right to evict.
 */
export function agedRank(
  { workload: { priority }, submittedAtMs, deadlineMs, expectedRunMs }: QueuedJob,
  unknownRunMs: number,
  nowMs: number,
): { readonly rank: number; readonly changesAtMs: number } {
  if (deadlineMs === null) return { rank: priority, changesAtMs: Infinity };
  const lastStartMs = deadlineMs - (expectedRunMs ?? unknownRunMs);
  const windowMs = lastStartMs - submittedAtMs;
  let rank = priority;
  for (let half = 1; half <= RAISES.length; half += 1) {
    const atMs = lastStartMs - windowMs / 2 ** half;
    if (nowMs < atMs && windowMs > 0) return { rank, changesAtMs: Math.ceil(atMs) };
    rank = priority + (RAISES[half - 1] as number);
  }
  return { rank, changesAtMs: Infinity };
}

/** When what runs of a job is expected to end: what outlives its estimate, half as long again as it has run. */
export function endsAtMs({ record, job }: Entry, unknownRunMs: number, nowMs: number): number {
  const startedAtMs = record.startedAtMs ?? nowMs;
  const elapsedMs = nowMs - startedAtMs;
  const runMs = job.expectedRunMs ?? unknownRunMs;
  return elapsedMs < runMs ? startedAtMs + runMs : nowMs + Math.max(elapsedMs / 2, LEAST_REMAINING_MS);
}

const LEAST_REMAINING_MS = 30_000;

/** By priority, then who started last and so loses least, then who was submitted last, then by id. */
export function leastImportantFirst(left: Entry, right: Entry): number {
  return (
    left.job.workload.priority - right.job.workload.priority ||
    (right.record.startedAtMs ?? 0) - (left.record.startedAtMs ?? 0) ||
    right.job.submittedAtMs - left.job.submittedAtMs ||
    compareText(left.id, right.id)
  );
}
