import type { DevicePool, Machine } from '@springtide/core/model';
import type { DeviceClaim } from './devices.ts';
import type {
  CardQuota,
  DisruptionBudget,
  GangObject,
  IsolatedPool,
  Namespace,
  PriorityClass,
  StorageClass,
  Unreadable,
  Volume,
  VolumeClaim,
} from './objects.ts';
import type { ClusterPod, PodPhase, PodRef } from './pod.ts';

/** What is watched. Optional ones may be absent from a cluster; then they count as seen, and empty. */
export type WatchedKind =
  | 'machines'
  | 'pods'
  | 'budgets'
  | 'priority-classes'
  | 'gangs'
  | 'claims'
  | 'volumes'
  | 'storage-classes'
  | 'namespaces'
  | 'quotas'
  | 'pools'
  | 'devices'
  | 'device-claims';

/**
 * What happened, in nouns. Each object is told by its newest state: what changed twice between two takes is told
 * once. So `gone` may name what was never seen, and `seen` what has been seen before, even unchanged; both must be
 * harmless. Kinds come by separate ways: a pod may be told before its machine.
 */
export type ClusterEvent =
  | { readonly kind: 'machine-seen'; readonly machine: Machine }
  | { readonly kind: 'machine-gone'; readonly machine: string }
  | { readonly kind: 'pod-seen'; readonly pod: ClusterPod }
  /** `phase` is its last, `Succeeded` or `Failed` for one that ended: it holds nothing any more. Null: not known. */
  | { readonly kind: 'pod-gone'; readonly pod: PodRef; readonly phase: PodPhase | null }
  | { readonly kind: 'budget-seen'; readonly budget: DisruptionBudget }
  | { readonly kind: 'budget-gone'; readonly budget: string }
  | { readonly kind: 'priority-class-seen'; readonly priorityClass: PriorityClass }
  | { readonly kind: 'priority-class-gone'; readonly priorityClass: string }
  | { readonly kind: 'gang-seen'; readonly gang: GangObject }
  | { readonly kind: 'gang-gone'; readonly gang: string }
  | { readonly kind: 'claim-seen'; readonly claim: VolumeClaim }
  | { readonly kind: 'claim-gone'; readonly claim: string }
  | { readonly kind: 'volume-seen'; readonly volume: Volume }
  | { readonly kind: 'volume-gone'; readonly volume: string }
  | { readonly kind: 'storage-class-seen'; readonly storageClass: StorageClass }
  | { readonly kind: 'storage-class-gone'; readonly storageClass: string }
  | { readonly kind: 'namespace-seen'; readonly namespace: Namespace }
  | { readonly kind: 'namespace-gone'; readonly namespace: string }
  | { readonly kind: 'quota-seen'; readonly quota: CardQuota }
  | { readonly kind: 'quota-gone'; readonly quota: string }
  | { readonly kind: 'pool-seen'; readonly pool: IsolatedPool }
  | { readonly kind: 'pool-gone'; readonly pool: string }
  | { readonly kind: 'device-pool-seen'; readonly pool: DevicePool }
  /** `driver/pool`. */
  | { readonly kind: 'device-pool-gone'; readonly pool: string }
  | { readonly kind: 'device-claim-seen'; readonly claim: DeviceClaim }
  | { readonly kind: 'device-claim-gone'; readonly claim: string }
  /** An object that was, or would have been, one of the above, and for which `gone` is told as well. */
  | { readonly kind: 'unreadable'; readonly object: Unreadable }
  /** The first lists are complete, once: everything that existed when they were made has been told before this. */
  | { readonly kind: 'synced' }
  /** A watch was lost or came back. */
  | { readonly kind: 'freshness'; readonly freshness: Freshness };

/** How far the view may lie behind the cluster. */
export interface Freshness {
  readonly isSynced: boolean;
  readonly watches: readonly WatchState[];
}

export interface WatchState {
  readonly watched: WatchedKind;
  /** The API of a kind with several, such as `scheduling.k8s.io/v1beta1 podgroups`; else the kind again. */
  readonly source: string;
  /** Its first list is complete, or the cluster does not have the kind. */
  readonly isSynced: boolean;
  /** `Clock.nowMs` since when nothing can come; null: it is being watched. */
  readonly disconnectedSinceMs: number | null;
  /** `Clock.nowMs` of the last thing heard, a bookmark included. */
  readonly heardAtMs: number;
  /** Why it is disconnected; empty while it is not. */
  readonly why: string;
}
