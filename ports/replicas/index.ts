import type { Result } from '@springtide/core/base';
import type { Replica } from '@springtide/core/scale-in';
import type { ClusterFailure, PodRef, ScaleInMark } from '../cluster/index.ts';

/** A workload whose replicas are to become fewer. */
export interface ScaleInRequest {
  readonly kind: 'Deployment' | 'ReplicaSet' | 'StatefulSet';
  readonly namespace: string;
  readonly name: string;
  /** Replicas that are to stay. */
  readonly to: number;
  /** Nothing may be written. */
  readonly isDryRun: boolean;
}

/** A ReplicaSet as the API server has it now. */
export interface ReplicaSet {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** As many as there are to be. */
  readonly replicas: number;
  /** As labels are selected in a list. */
  readonly selector: string;
}

/** A pod of a ReplicaSet that has neither ended nor is being deleted, as the API server has it now. */
export interface ReplicaPod {
  readonly ref: PodRef;
  readonly resourceVersion: string;
  readonly replica: Replica;
  /** Of an earlier choice. */
  readonly mark: ScaleInMark | null;
}

/** Writes a deletion cost with its mark, or takes both away (null). Only on the pod as it was seen. */
export interface MarkOrder {
  readonly pod: PodRef;
  readonly resourceVersion: string;
  readonly mark: ScaleInMark | null;
}

export type MarkAnswer =
  | { readonly answer: 'written' }
  /** It has changed since it was seen: nothing was done. */
  | { readonly answer: 'changed' }
  | { readonly answer: 'gone' }
  | { readonly answer: 'failed'; readonly failure: ClusterFailure };

/** The replicas of workloads, read anew at every call, and the marks of those that are to leave. */
export interface Replicas {
  /** Those of a Deployment that have replicas, or are to have some. */
  readonly ofDeployment: (namespace: string, name: string) => Promise<Result<readonly ReplicaSet[], ClusterFailure>>;
  readonly replicaSet: (namespace: string, name: string) => Promise<Result<ReplicaSet, ClusterFailure>>;
  readonly pods: (replicaSet: ReplicaSet) => Promise<Result<readonly ReplicaPod[], ClusterFailure>>;
  readonly mark: (order: MarkOrder) => Promise<MarkAnswer>;
}
