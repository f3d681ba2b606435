import type { Checkpoint, PodSet, Toleration, TopologyRequest, TroubleVerdict } from '@springtide/core/model';

/** An object of the cluster whose pods wait for admission. */
export interface JobSource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The queue that an object asks for. */
export interface QueueAsk {
  readonly queue: string;
  /** Named by Kueue's label alone: where Kueue has a LocalQueue of that name, the object is Kueue's. */
  readonly isByKueueLabel: boolean;
  /** Names a PriorityClass; empty: none. */
  readonly priorityClass: string;
}

/** What came of a job's heartbeats, as it is kept with its object. */
export interface SeenProgress {
  /** Which start of the job reported last. */
  readonly incarnation: number;
  /** What it would go on from; null: from the beginning. */
  readonly checkpoint: Checkpoint | null;
  /** The last trouble that was decided on; null: it had none. */
  readonly verdict: TroubleVerdict | null;
}

/** A job as its object shows it, whoever admits it. */
export interface SeenJob {
  /** `namespace/name` of its Workload, whether or not that has been made. */
  readonly id: string;
  readonly source: JobSource;
  readonly ask: QueueAsk;
  readonly labels: ReadonlyMap<string, string>;
  /** As its author wrote them: without what admission has set. */
  readonly podSets: readonly PodSet[];
  /** The fewest pods that elastic pod sets start with. */
  readonly minCounts: ReadonlyMap<string, number>;
  readonly topology: TopologyRequest | null;
  readonly createdAtMs: number;
  readonly isDeleting: boolean;
  /** Nobody makes pods for it, or all that there are wait at the gate. */
  readonly isSuspended: boolean;
  /** Nothing that admission has set is left on it. */
  readonly isRestored: boolean;
  readonly ended: 'no' | 'done' | 'failed';
  /** All its pods are ready, or have done their work. */
  readonly isReady: boolean;
  /** No pod of it is left, or none that is not held at the gate. */
  readonly isIdle: boolean;
  /** Null: it sends no heartbeats. */
  readonly progress: SeenProgress | null;
  /** Pods of a group that have yet to be made: before they are there it asks for nothing. */
  readonly podsMissing: number;
  /** Of a group of pods: the pod set of each, by uid. Empty: its pods name their owner. */
  readonly pods: ReadonlyMap<string, string>;
}

/** What admission puts on the pods of a set, and how many there are to be. */
export interface PodSetPlacement {
  readonly podSet: string;
  readonly count: number;
  readonly nodeSelector: ReadonlyMap<string, string>;
  readonly tolerations: readonly Toleration[];
  readonly annotations: ReadonlyMap<string, string>;
  /** Machines that they are kept off. */
  readonly avoids: readonly string[];
}
