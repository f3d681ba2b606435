import type { SliceHeld } from '@springtide/core/model';
import type { ClaimAnswer, FreeClaimOrder, ReserveClaimOrder, UnreserveClaimOrder } from './devices.ts';
import type { ClusterFailure } from './errors.ts';
import type { IsolatedPool, PoolStatus } from './objects.ts';
import type { PodRef } from './pod.ts';

export interface BindOrder {
  readonly pod: PodRef;
  readonly machine: string;
  /**
   * Which parts of which cards it gets. Where a plug-in is told that, it is written together with the binding, or
   * not at all, and seen later as `ClusterPod.held`; elsewhere nobody reads it.
   */
  readonly slices: readonly SliceHeld[];
}

export type BindAnswer =
  | { readonly answer: 'bound' }
  /** It is bound elsewhere, or being deleted, or changed: nothing was done. */
  | { readonly answer: 'conflict'; readonly failure: ClusterFailure }
  /** There is no such pod any more. */
  | { readonly answer: 'gone'; readonly failure: ClusterFailure }
  | { readonly answer: 'forbidden'; readonly failure: ClusterFailure }
  /** It was not done, for the reason in `failure`: not sent, throttled, invalid. */
  | { readonly answer: 'refused'; readonly failure: ClusterFailure }
  /** Nobody can say whether it was done: `lookUp` the pod before anything else. */
  | { readonly answer: 'unknown'; readonly failure: ClusterFailure };

export interface EvictOrder {
  readonly pod: PodRef;
  /** One word for a machine, such as `Preempted`, and a sentence: told in an event on the pod. */
  readonly reason: string;
  readonly message: string;
  /** Null: the pod's own. */
  readonly graceMs?: number | null;
}

export type EvictAnswer =
  /** It will be deleted; it holds what it has until `pod-gone`. */
  | { readonly answer: 'evicted' }
  | { readonly answer: 'blocked'; readonly failure: ClusterFailure }
  | { readonly answer: 'gone'; readonly failure: ClusterFailure }
  | { readonly answer: 'forbidden'; readonly failure: ClusterFailure }
  | { readonly answer: 'refused'; readonly failure: ClusterFailure }
  | { readonly answer: 'unknown'; readonly failure: ClusterFailure };

/** Writes the condition `PodScheduled=False`. A newer report of the same pod replaces one that still waits. */
export interface ReportOrder {
  readonly pod: PodRef;
  /** `Unschedulable` or `SchedulingGated` in Kubernetes' own words, or one of ours. */
  readonly reason: string;
  readonly message: string;
}

/** Says on which machine room is being made for a pod; null takes it back. */
export interface NominateOrder {
  readonly pod: PodRef;
  readonly machine: string | null;
}

/** Writes the status of a Pool, of this incarnation of it. */
export interface PoolStatusOrder {
  readonly pool: Pick<IsolatedPool, 'uid' | 'name'>;
  readonly status: PoolStatus;
}

export type WriteAnswer =
  | { readonly answer: 'written' }
  /** A newer order of the same kind for the same pod, or a bind, took its place before it was sent. */
  | { readonly answer: 'replaced' }
  | { readonly answer: 'gone'; readonly failure: ClusterFailure }
  | { readonly answer: 'forbidden'; readonly failure: ClusterFailure }
  | { readonly answer: 'refused'; readonly failure: ClusterFailure }
  | { readonly answer: 'unknown'; readonly failure: ClusterFailure };

/** What the API server itself says of a pod now, not what was last seen of it. */
export type PodWhereabouts =
  | { readonly answer: 'found'; readonly machine: string | null; readonly isDeleting: boolean }
  /** There is none, or another one under its name. */
  | { readonly answer: 'gone' }
  | { readonly answer: 'unknown'; readonly failure: ClusterFailure };

/** Keeps a free volume for a claim, which its own controller then binds. Only as it was seen: `conflict` otherwise. */
export interface KeepVolumeOrder {
  readonly volume: string;
  readonly resourceVersion: string;
  /** `namespace/name`. */
  readonly claim: string;
  readonly claimUid: string;
}

/** Given under a lease: an order that was not sent when the lease ended is refused as `fenced`. */
export interface ClusterOrders {
  readonly bind: (order: BindOrder) => Promise<BindAnswer>;
  readonly evict: (order: EvictOrder) => Promise<EvictAnswer>;
  readonly report: (order: ReportOrder) => Promise<WriteAnswer>;
  readonly nominate: (order: NominateOrder) => Promise<WriteAnswer>;
  readonly lookUp: (pod: PodRef) => Promise<PodWhereabouts>;
  /** Tells a volume that waits for its first consumer where that will be. `claim` is `namespace/name`. */
  readonly selectMachine: (claim: string, machine: string) => Promise<WriteAnswer>;
  readonly keepVolume: (order: KeepVolumeOrder) => Promise<WriteAnswer>;
  readonly reserveClaim: (order: ReserveClaimOrder) => Promise<ClaimAnswer>;
  readonly unreserveClaim: (order: UnreserveClaimOrder) => Promise<ClaimAnswer>;
  readonly freeClaim: (order: FreeClaimOrder) => Promise<ClaimAnswer>;
  readonly writePoolStatus: (order: PoolStatusOrder) => Promise<WriteAnswer>;
}

/** An event about an object, for people. Equal ones are folded into one with a count. */
export interface EventRecord {
  readonly about:
    | { readonly kind: 'pod'; readonly pod: PodRef }
    | { readonly kind: 'machine'; readonly machine: string }
    | { readonly kind: 'gang'; readonly gang: string; readonly namespace: string; readonly uid: string };
  readonly type: 'Normal' | 'Warning';
  /** Such as `FailedScheduling`, and what was being done, such as `Scheduling`. */
  readonly reason: string;
  readonly action: string;
  readonly note: string;
}

/** `dropped`: as many wait as may wait, or the object has had its share; it is counted. */
export type RecordAnswer = 'kept' | 'folded' | 'dropped';
