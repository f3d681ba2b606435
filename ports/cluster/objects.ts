import type { CardLimit, LabelSelector, NodeSelectorTerm, TopologyLevel } from '@springtide/core/model';
import type { GangSource } from './pod.ts';

/** What limits evictions: a PodDisruptionBudget. */
export interface DisruptionBudget {
  readonly uid: string;
  /** `namespace/name`. */
  readonly id: string;
  readonly namespace: string;
  /** null matches no pod, an empty list every pod of the namespace. */
  readonly selector: LabelSelector | null;
  /** Evictions that the budget's own controller would let pass when it last counted. */
  readonly disruptionsAllowed: number;
}

export interface PriorityClass {
  readonly name: string;
  readonly value: number;
  readonly isDefault: boolean;
  readonly preemptionPolicy: 'PreemptLowerPriority' | 'Never';
}

/** An object that says how many pods have to start together. */
export interface GangObject {
  readonly uid: string;
  /** `source:namespace/name`: the same as in `GangMembership`. */
  readonly id: string;
  readonly source: GangSource;
  readonly namespace: string;
  readonly name: string;
  /** 1 where the object asks for no gang (policy `basic`). */
  readonly minCount: number;
  /** Members are made one after the other, once those before them run: none can wait for all. */
  readonly isStaged: boolean;
  /** Members have to be near each other at this node label; empty: anywhere. */
  readonly topologyKey: string;
  /** The same in our own levels, where the key is one of the usual ones. */
  readonly topologyLevel: TopologyLevel | null;
  /** Members are evicted all together or not at all. */
  readonly isEvictedWhole: boolean;
  readonly priorityClassName: string;
}

/** A claim for a volume. */
export interface VolumeClaim {
  readonly uid: string;
  /** `namespace/name`. */
  readonly id: string;
  /** The volume that it names; empty: none yet. */
  readonly volume: string;
  /** It and its volume have found each other: only then can a pod use it. */
  readonly isBound: boolean;
  /** Its volume is gone for good. */
  readonly isLost: boolean;
  readonly storageClass: string;
  /** What it asks of the labels of its volume; null: nothing. */
  readonly selector: LabelSelector | null;
  /** `Filesystem` or `Block`. */
  readonly mode: string;
  readonly attributesClass: string;
  readonly bytes: number;
  /** Such as `ReadWriteOnce`. */
  readonly accessModes: readonly string[];
  /** The machine that a scheduler chose for it while it waits for its first consumer; empty: none. */
  readonly selectedMachine: string;
  readonly isDeleting: boolean;
}

export interface Volume {
  readonly name: string;
  /** Opaque; it differs whenever the object does. */
  readonly resourceVersion: string;
  readonly labels: ReadonlyMap<string, string>;
  /** Where its affinity lets it be used; null: everywhere. Terms are or-ed. */
  readonly machines: readonly NodeSelectorTerm[] | null;
  /** Where its zone labels let it be used once it is bound; null: everywhere. Terms are or-ed. */
  readonly zones: readonly NodeSelectorTerm[] | null;
  readonly storageClass: string;
  readonly bytes: number;
  readonly accessModes: readonly string[];
  /** The claim it is kept for, `namespace/name`; empty: none. */
  readonly claim: string;
  /** Which incarnation of it; empty: any. */
  readonly claimUid: string;
  /** It waits for a claim. */
  readonly isFree: boolean;
  readonly isDeleting: boolean;
  readonly mode: string;
  readonly attributesClass: string;
}

/** A ResourceQuota, as far as it limits parts of cards. */
export interface CardQuota {
  /** `namespace/name`. */
  readonly id: string;
  readonly namespace: string;
  /** None: it is about other things. */
  readonly limits: readonly CardLimit[];
}

/** A namespace, as far as affinities choose it. */
export interface Namespace {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
}

export interface StorageClass {
  readonly name: string;
  /** Volumes are made only once a pod has a machine. */
  readonly isLate: boolean;
  /** Volumes are made on demand; else somebody has made them beforehand. */
  readonly isProvisioned: boolean;
  /** Where its volumes can be made; null: everywhere. Terms are or-ed. */
  readonly machines: readonly NodeSelectorTerm[] | null;
}

/** What a Pool's status says. */
export interface PoolStatus {
  readonly machines: number;
  readonly cards: number;
  /** Why some of the machines that it selects are not its own; empty: they all are. */
  readonly conflict: string;
  /** Since when there is a conflict, or none; whole seconds by the wall clock. */
  readonly conflictSinceMs: number;
}

/** Machines set apart, with a reason and an owner (P9): an object `Pool`. */
export interface IsolatedPool {
  readonly uid: string;
  readonly name: string;
  readonly createdAtMs: number;
  readonly reason: string;
  readonly owner: string;
  /** By the labels of machines; an empty list selects every machine. */
  readonly selector: LabelSelector;
  /** Whose pods may use it; empty: any pod that names it. */
  readonly namespaces: readonly string[];
  /** As it was last written; null: never. */
  readonly status: PoolStatus | null;
}

/** An object of the cluster that cannot be read: what was expected where. That it is gone is told beside. */
export interface Unreadable {
  readonly kind: string;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** Of a pod: whose it is, and where it is. Empty for everything else. */
  readonly schedulerName: string;
  readonly machine: string;
  /** Such as `spec.containers[0].resources.requests["nvidia.com/gpu"]`. */
  readonly path: string;
  readonly expected: string;
  readonly found: string;
}
