import type { CohortSpec, Flavor, JobRecord } from '@springtide/core/model';
import type { ClusterFailure, Term, Unreadable } from '../cluster/index.ts';
import type { PodSetPlacement, SeenJob } from './jobs.ts';
import type { SeenQueue, SeenWorkload } from './objects.ts';

/**
 * What happened, in nouns. Each object is told by its newest state: what changed twice between two takes is told once.
 * `gone` may name what was never seen. Kinds come by separate ways: a job may be told before its queue.
 */
export type QueueingEvent =
  | { readonly kind: 'queue-seen'; readonly queue: SeenQueue }
  | { readonly kind: 'queue-gone'; readonly queue: string }
  | { readonly kind: 'cohort-seen'; readonly cohort: CohortSpec }
  | { readonly kind: 'cohort-gone'; readonly cohort: string }
  | { readonly kind: 'flavor-seen'; readonly flavor: Flavor }
  | { readonly kind: 'flavor-gone'; readonly flavor: string }
  | { readonly kind: 'job-seen'; readonly job: SeenJob }
  | { readonly kind: 'job-gone'; readonly job: string }
  | { readonly kind: 'workload-seen'; readonly workload: SeenWorkload }
  | { readonly kind: 'workload-gone'; readonly workload: string }
  /** `namespace/name` of a LocalQueue: work that names it by Kueue's label is Kueue's. */
  | { readonly kind: 'foreign-queue-seen'; readonly queue: string }
  | { readonly kind: 'foreign-queue-gone'; readonly queue: string }
  /** An object that would have been one of the above, and for which `gone` is told as well. */
  | { readonly kind: 'unreadable'; readonly object: Unreadable };

/** What is queued, and by what it is admitted: a bounded queue with the newest state of each object. */
export interface QueueingView {
  /** The next events, at most so many; empty: nothing new. Never waits. */
  readonly take: (countMax: number) => readonly QueueingEvent[];
  /** Called when there is something to take after there was nothing; the answer unsubscribes. */
  readonly onReady: (listener: () => void) => () => void;
  /** The first lists are complete. */
  readonly isSynced: () => boolean;
  /** Resolves when whatever was written of Workloads and jobs before this call can be taken. */
  readonly refresh: () => Promise<void>;
}

/** When a job starts, as foretold from the queue played forward. */
export interface StartForecast {
  readonly madeAtMs: number;
  /** As likely later as earlier; null: later than can be foreseen. */
  readonly p50AtMs: number | null;
  /** Earlier nine times of ten. */
  readonly p90AtMs: number | null;
}

/** Why a job waits, for people. */
export interface WaitNote {
  /** 1: the head of its queue; 0: not known. */
  readonly position: number;
  readonly waiting: number;
  /** The kind of the reason, such as `quota`. */
  readonly reason: string;
  readonly message: string;
  readonly promisedStartMs: number | null;
  /** Null: nothing is foretold yet. */
  readonly forecast: StartForecast | null;
}

export type QueueingAnswer =
  | { readonly answer: 'done' }
  /** The object, or this incarnation of it, is not there. */
  | { readonly answer: 'gone' }
  /** It is not done, or perhaps it is: look at what the view shows next, and order it again if need be. */
  | { readonly answer: 'later'; readonly failure: ClusterFailure }
  /** The same order will fail again. */
  | { readonly answer: 'refused'; readonly failure: ClusterFailure };

/** Orders under one time in office. Each may be given again: what is so already is not done twice. */
export interface QueueingOrders {
  /** Makes the Workload of a job; done where it is there. */
  readonly create: (job: SeenJob, queue: string) => Promise<QueueingAnswer>;
  /** Keeps what was decided with the Workload, and why: only as it was last seen or written. */
  readonly keep: (workload: SeenWorkload, record: JobRecord, note: WaitNote | null) => Promise<QueueingAnswer>;
  /** Tells why it waits. */
  readonly tell: (workload: SeenWorkload, note: WaitNote) => Promise<QueueingAnswer>;
  /** Lets a job go on, as its object was last seen. */
  readonly start: (job: string, placements: readonly PodSetPlacement[]) => Promise<QueueingAnswer>;
  /** The next step towards a job that is suspended and stands as its author wrote it. */
  readonly stop: (job: string) => Promise<QueueingAnswer>;
  /** Of a group of pods that is no more. */
  readonly remove: (workload: SeenWorkload) => Promise<QueueingAnswer>;
  /** What is wrong with a queue; empty: nothing. */
  readonly tellQueue: (queue: string, fault: string) => Promise<QueueingAnswer>;
}

/** What admission needs of a cluster, beside its machines and pods. Nothing here throws but for a bug of the caller. */
export interface Queueing {
  /** Begins to list and watch. */
  readonly start: () => void;
  readonly view: QueueingView;
  readonly orders: (term: Term) => QueueingOrders;
  /** Ends watches, and refuses what still waits. */
  readonly stop: () => Promise<void>;
}
