import type {
  Checkpoint,
  JobLeave,
  JobRecord,
  JobRefusal,
  JobReport,
  Machine,
  PodSetAssignment,
  QueuedJob,
  QuotaFault,
  QuotaSpecs,
} from '../model/index.ts';

import type { ObservedHolding } from '../state/index.ts';

/** A pod as the cluster shows it. */
export interface SeenJobPod extends ObservedHolding {
  readonly uid: string;
  /** The job that it is a pod of; null: nothing that is queued, such as an online replica. */
  readonly job: string | null;
  readonly podSet: string;
}

/**
 * What admission hears of the world. Events may repeat and come late: each tells a whole state, and those with an
 * incarnation are not heard when the job has started anew since (I6).
 */
export type AdmissionEvent =
  /** It was submitted, or has changed; `record` is what was kept of it before a restart, else null. */
  | { readonly kind: 'job'; readonly job: QueuedJob; readonly record: JobRecord | null }
  /** Nobody wants it any more. */
  | { readonly kind: 'job-cancelled'; readonly job: string }
  | { readonly kind: 'job-ready'; readonly job: string; readonly incarnation: number }
  /** It ended for good. */
  | { readonly kind: 'job-ended'; readonly job: string; readonly incarnation: number; readonly isFailed: boolean }
  /** It failed, or stands still, and is to be tried again elsewhere from its checkpoint. */
  | {
      readonly kind: 'job-failed';
      readonly job: string;
      readonly incarnation: number;
      readonly avoids: readonly string[];
      readonly retryAtMs: number;
    }
  /** All pods of an incarnation that was told to leave are gone. */
  | { readonly kind: 'job-stopped'; readonly job: string; readonly incarnation: number }
  /** An order to start or to stop that was certainly not carried out. */
  | {
      readonly kind: 'order-failed';
      readonly job: string;
      readonly incarnation: number;
      readonly order: 'admit' | 'stop';
    }
  | {
      readonly kind: 'job-checkpointed';
      readonly job: string;
      readonly incarnation: number;
      /** Null: none is whole any more. The last that is told holds, even where it is of an older step. */
      readonly checkpoint: Checkpoint | null;
    }
  /** The whole quota tree, which is taken or refused as one. */
  | { readonly kind: 'quota'; readonly specs: QuotaSpecs }
  | { readonly kind: 'machine'; readonly machine: Machine }
  | { readonly kind: 'machine-gone'; readonly id: string }
  | { readonly kind: 'pod'; readonly seen: SeenJobPod }
  | { readonly kind: 'pod-gone'; readonly uid: string };

/**
 * What admission wants done. Whoever carries it out writes `record` with the job in the same write, so that a restart
 * finds it; an order is for one incarnation.
 */
export type AdmissionCommand =
  | {
      readonly kind: 'admit';
      readonly job: string;
      readonly podSets: readonly PodSetAssignment[];
      readonly checkpoint: Checkpoint | null;
      readonly record: JobRecord;
    }
  /** Its place is kept while others leave it: nothing is started yet. */
  | { readonly kind: 'reserve'; readonly job: string; readonly record: JobRecord }
  /** Ask it for a checkpoint, and stop it when it has made one or at `untilMs` at the latest. */
  | {
      readonly kind: 'suspend';
      readonly job: string;
      readonly reason: JobLeave;
      /** The job that takes its place; empty: none. */
      readonly by: string;
      readonly untilMs: number;
      readonly record: JobRecord;
    }
  /** It is not to leave after all: go on, if it has not stopped yet. */
  | { readonly kind: 'resume'; readonly job: string; readonly record: JobRecord }
  /** Stop it at once. */
  | { readonly kind: 'evict'; readonly job: string; readonly reason: JobLeave; readonly record: JobRecord }
  /** It waits again, with its former rank. */
  | { readonly kind: 'requeue'; readonly job: string; readonly reason: JobLeave; readonly record: JobRecord }
  /** It can never start as it is. */
  | { readonly kind: 'refuse'; readonly job: string; readonly refusal: JobRefusal; readonly record: JobRecord }
  /** Another state is to be kept with it: it runs, is done, has a newer checkpoint. */
  | { readonly kind: 'record'; readonly job: string; readonly record: JobRecord }
  /** A quota tree was not taken: the former one holds. */
  | { readonly kind: 'refuse-quota'; readonly faults: readonly QuotaFault[] };

/** What one step decides. */
export interface AdmissionResult {
  readonly commands: readonly AdmissionCommand[];
  /** Why jobs wait, where that has changed. */
  readonly reports: readonly JobReport[];
  /** Jobs that were tried. */
  readonly tried: number;
  /** The work budget ran out before the queues were through: call again. */
  readonly more: boolean;
  /** When to call again although nothing happens; null: not before the next event. */
  readonly wakeAtMs: number | null;
}
