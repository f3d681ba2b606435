import type { Pod, SliceHeld, TopologyRequest } from '@springtide/core/model';
import type { PodDeviceClaim } from './devices.ts';

/** Names one incarnation of a pod: a pod made anew under the same name has another uid. */
export interface PodRef {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';

/** Where a gang is told: the native `PodGroup`, another tool's group object or labels, or the owner of the pods. */
export type GangSource =
  | 'pod-group'
  | 'coscheduling'
  | 'pod-group-labels'
  | 'volcano'
  | 'indexed-job'
  | 'job-set'
  | 'leader-worker-set'
  | 'kubeflow';

export interface GangMembership {
  /** `source:namespace/name`: the same as in `GangObject`, unless `object` says otherwise. */
  readonly id: string;
  readonly source: GangSource;
  readonly name: string;
  /** The `id` of the object that describes it, where one object describes many gangs. */
  readonly object: string;
  /** How many must start together, where the pod itself tells; null: the object `id` tells, or nobody does yet. */
  readonly minCount: number | null;
  /** How near its members have to be, where the pod itself tells. */
  readonly topology: TopologyRequest | null;
}

export interface PodOwner {
  /** Such as `apps/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** The condition `PodScheduled=False` as it stands on the object, whoever wrote it. */
export interface PodVerdict {
  readonly reason: string;
  readonly message: string;
}

/** Stands beside a deletion cost of ours: which choice of replicas that leave it comes from. */
export interface ScaleInMark {
  /** Uid of the ReplicaSet. */
  readonly replicaSet: string;
  /** How many replicas were to stay. */
  readonly to: number;
  readonly atMs: number;
}

/** A pod as the cluster shows it, in nouns. */
export interface ClusterPod extends PodRef {
  /** Opaque; it differs whenever the object does. */
  readonly resourceVersion: string;
  /** The noun of core. `serviceReplicas` is 0: whoever sees all pods counts them by `pod.service`. */
  readonly pod: Pod;
  /** The machine it is bound to; null: it waits. */
  readonly machine: string | null;
  readonly phase: PodPhase;
  readonly isReady: boolean;
  /** A pod that is being deleted holds what it has until it is gone. */
  readonly isDeleting: boolean;
  /** It has scheduling gates: nothing may place it yet. */
  readonly isGated: boolean;
  /** Its claims for devices (DRA), those left out that it turned out not to need. */
  readonly deviceClaims: readonly PodDeviceClaim[];
  /** Claims for volumes in its namespace, by name, in order. */
  readonly volumeClaims: readonly string[];
  readonly schedulerName: string;
  readonly createdAtMs: number;
  /** When the kubelet took it; null: it has not. */
  readonly startedAtMs: number | null;
  /** What a plug-in's annotation says it holds; null: no plug-in names it, so the book must guess. */
  readonly held: readonly SliceHeld[] | null;
  /** Pods of a machine with a group in common share one card of it. */
  readonly fractionGroups: readonly string[];
  readonly preemptionPolicy: 'PreemptLowerPriority' | 'Never';
  readonly nominatedMachine: string | null;
  readonly gang: GangMembership | null;
  readonly owner: PodOwner | null;
  readonly verdict: PodVerdict | null;
  /** It has been chosen to leave; null: it has not. */
  readonly scaleInMark: ScaleInMark | null;
  /** Annotations of other tools, or ours, that could not be read: they count as absent. */
  readonly malformed: readonly string[];
}
