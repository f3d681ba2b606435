import type { JobLeave } from './job-wait.ts';
import type { Workload } from './workload.ts';

/** A checkpoint that a job has told of and that was found whole (R1). */
export interface Checkpoint {
  readonly uri: string;
  readonly step: number;
  readonly atMs: number;
}

/** A job as it is submitted to a queue: what its submitter asks for. Times are by the clock on the wall. */
export interface QueuedJob {
  /** Its id, queue, tenant, priority, pod sets and how near they have to be. */
  readonly workload: Workload;
  /** Two submissions with one key are one job: the second is not queued. */
  readonly idempotencyKey: string;
  /** The name that its priority comes from; empty: none. */
  readonly priorityClass: string;
  /** False: nothing may evict it, and it starts within its queue's own quota only (Q3). */
  readonly isPreemptible: boolean;
  readonly submittedAtMs: number;
  /** When it has to be done; null: no matter when. */
  readonly deadlineMs: number | null;
  /** The fewest pods that elastic pod sets start with, by pod set; others start with all. */
  readonly minCounts: ReadonlyMap<string, number>;
  /** Flavors that it accepts, best first; empty: those of its queue, in the queue's order. */
  readonly flavors: readonly string[];
  /** How long it runs, as learned from history; null: nobody knows. */
  readonly expectedRunMs: number | null;
}

export const JOB_STATES = [
  'queued',
  'reserved',
  'admitted',
  'running',
  'suspending',
  'done',
  'failed',
  'cancelled',
] as const;

/**
 * Where a job is (I2: always in exactly one of these, and since when).
 *
 *     queued --> reserved --> admitted --> running --> done | failed
 *       ^  \_________________^    |           |
 *       |                         +-----------+--> suspending
 *       +----------------------------------------------+           cancelled: from any but the ended
 *
 * `reserved`: its place is kept while others leave it. `admitted`: ordered to start, and its pods not all ready yet.
 * `suspending`: told to leave, and its pods not all gone yet.
 */
export type JobState = (typeof JOB_STATES)[number];

/** Where one pod set of a job goes. */
export interface PodSetAssignment {
  readonly podSet: string;
  /** Pods that start: fewer than asked for where the set is elastic. */
  readonly count: number;
  /** The flavor whose machines it runs on; empty: no flavor of its queue covers what it asks for. */
  readonly flavor: string;
  /** The flavor that each resource is charged to, where quota limits it. */
  readonly charged: ReadonlyMap<string, string>;
  /** The machine of each pod, in order of its index; empty: whoever places the pods chooses (gate-only mode). */
  readonly machines: readonly string[];
}

/** What is kept with a job over restarts of whoever admits it. */
export interface JobRecord {
  readonly state: JobState;
  readonly sinceMs: number;
  /** Counts its starts: what tells of an older one is not heard (I6). 0: it never started. */
  readonly incarnation: number;
  /** While `reserved`, `admitted`, `running` or `suspending`. */
  readonly podSets: readonly PodSetAssignment[];
  /** Times that it was evicted for others; with the most allowed it may be evicted no more (I11). */
  readonly evictions: number;
  /** Starts in a row whose pods were not ready in time, or that failed: each waits longer before the next. */
  readonly setBacks: number;
  /** It is not tried before; 0: at once. */
  readonly retryAtMs: number;
  /** When this incarnation was ordered to start; null: it does not run. */
  readonly startedAtMs: number | null;
  /** Card-milliseconds held so far, over all incarnations. */
  readonly attainedCardMs: number;
  /** From where it goes on; null: from the beginning. */
  readonly checkpoint: Checkpoint | null;
  /** Machines that a failure is blamed on: it does not start there again. */
  readonly avoids: readonly string[];
  /** Why it was last told to leave; null: it never was. */
  readonly leaves: JobLeave | null;
}

/** What a job is that was just submitted. */
export function newRecord(nowMs: number): JobRecord {
  return {
    state: 'queued',
    sinceMs: nowMs,
    incarnation: 0,
    podSets: [],
    evictions: 0,
    setBacks: 0,
    retryAtMs: 0,
    startedAtMs: null,
    attainedCardMs: 0,
    checkpoint: null,
    avoids: [],
    leaves: null,
  };
}
