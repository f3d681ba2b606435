import type { LabelSelector, NodeSelectorTerm, TopologyLevel } from '@springtide/core/model';
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
  /** The volume that it is bound to; empty: none yet. */
  readonly volume: string;
  readonly storageClass: string;
  readonly bytes: number;
  /** Such as `ReadWriteOnce`. */
  readonly accessModes: readonly string[];
  /** The machine that a scheduler chose for it while it waits for its first consumer; empty: none. */
  readonly selectedMachine: string;
  readonly isDeleting: boolean;
}

export interface Volume {
  readonly name: string;
  /** Where it can be used; null: everywhere. Terms are or-ed. Zone labels are among them. */
  readonly machines: readonly NodeSelectorTerm[] | null;
  readonly storageClass: string;
  readonly bytes: number;
  readonly accessModes: readonly string[];
  /** The claim it is kept for, `namespace/name`; empty: none. */
  readonly claim: string;
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
