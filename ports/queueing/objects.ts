import type { JobRecord, LabelSelector, QueueSpec, QueuedJob } from '@springtide/core/model';

/** A queue as it is described in the cluster. */
export interface SeenQueue {
  readonly spec: QueueSpec;
  /** Namespaces whose work may use it. Null: none, but for those of its aliases; an empty list: all. */
  readonly namespaces: LabelSelector | null;
  /** `namespace/name`: what work of that namespace may call it, as it called a LocalQueue of Kueue. */
  readonly aliases: readonly string[];
}

/** What keeps a job over restarts: a Workload. */
export interface SeenWorkload {
  /** `namespace/name`. */
  readonly id: string;
  readonly uid: string;
  /** Opaque; it differs whenever the object does. */
  readonly version: string;
  /** It is kept for a job that has an object of its own; else whoever made it looks at its state. */
  readonly hasSource: boolean;
  /** Uid of that object; empty: it is a group of pods. */
  readonly sourceUid: string;
  /** What it asks for by itself. Of a job that has an object, that says more. */
  readonly job: QueuedJob;
  /** Null: nothing has been decided about it. */
  readonly record: JobRecord | null;
  readonly isDeleting: boolean;
}
