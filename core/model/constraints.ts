import type { DeviceNeed } from './device.ts';

/** Constraints of a request on machines and neighbours, in the terms of the Kubernetes scheduler. */

export type SelectorOperator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';

export interface SelectorExpression {
  readonly key: string;
  readonly operator: SelectorOperator;
  readonly values: readonly string[];
}

/** All expressions must hold. `fields` are on `metadata.name`. */
export interface NodeSelectorTerm {
  readonly expressions: readonly SelectorExpression[];
  readonly fields: readonly SelectorExpression[];
}

export interface PreferredNodeTerm extends NodeSelectorTerm {
  /** 1 to 100. */
  readonly weight: number;
}

export interface Toleration {
  /** Empty with `Exists`: every taint. */
  readonly key: string;
  readonly operator: 'Equal' | 'Exists';
  readonly value: string;
  /** Empty: every effect. */
  readonly effect: string;
}

/** A label selector: all expressions must hold; an empty list matches everything. */
export type LabelSelector = readonly SelectorExpression[];

export interface PodAffinityTerm {
  readonly topologyKey: string;
  /** null matches no pod, an empty list every pod. */
  readonly selector: LabelSelector | null;
  /** The namespaces looked at; `*` alone means all. The reader puts the pod's own in where none is named. */
  readonly namespaces: readonly string[];
  /** Where namespaces are chosen by label: `namespaces` is `*` until whoever sees them all puts in those chosen. */
  readonly chosen?: NamespaceChoice;
}

export interface NamespaceChoice {
  readonly named: readonly string[];
  readonly selector: LabelSelector;
}

export interface TopologySpread {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly selector: LabelSelector | null;
  /** Only `DoNotSchedule` constraints are kept: the soft ones are preferences. */
  readonly nodeAffinityPolicy: 'Honor' | 'Ignore';
  readonly nodeTaintsPolicy: 'Honor' | 'Ignore';
}

export interface HostPort {
  readonly ip: string;
  readonly port: number;
  readonly protocol: string;
}

/** A volume that would do for a claim, and where it can be used; null: everywhere. */
export interface VolumeChoice {
  readonly volume: string;
  readonly machines: readonly NodeSelectorTerm[] | null;
}

/** What is wrong with a claim, so that no machine will do. */
export const VOLUME_TROUBLES = ['missing', 'going', 'lost', 'unbound'] as const;
export type VolumeTrouble = (typeof VOLUME_TROUBLES)[number];

/** What one claim of a pod needs of a machine. */
export interface VolumeNeed {
  /** Volumes that would do, in the order in which they are tried; each serves one claim of a pod. */
  readonly volumes: readonly VolumeChoice[];
  /** Where one could be made, or where any of those that no other claim wants can be used; null: everywhere. */
  readonly machines: readonly NodeSelectorTerm[] | null;
  /** Null where nothing is wrong; else no machine will do. */
  readonly trouble: { readonly claim: string; readonly kind: VolumeTrouble } | null;
}

/** What the pods of a namespace may hold of the cards of a resource together, in the unit that is limited. */
export interface CardLimit {
  readonly resource: string;
  readonly of: 'memoryMiB' | 'computeMilli';
  readonly max: number;
}

export interface Constraints {
  /** Terms are or-ed; null: no node affinity. nodeSelector is and-ed by the reader into every term. */
  readonly nodeTerms: readonly NodeSelectorTerm[] | null;
  readonly nodeSelector: ReadonlyMap<string, string>;
  readonly nodePreferred: readonly PreferredNodeTerm[];
  readonly tolerations: readonly Toleration[];
  readonly podAffinity: readonly PodAffinityTerm[];
  readonly podAntiAffinity: readonly PodAffinityTerm[];
  readonly topologySpread: readonly TopologySpread[];
  readonly hostPorts: readonly HostPort[];
  /** In the order in which volumes are given to them. */
  readonly volumes: readonly VolumeNeed[];
  /** Claims for volumes that one pod at a time may use, `namespace/name`. */
  readonly exclusiveClaims: readonly string[];
  /** What its resource claims need, in the order of `Pod.deviceClaims`; absent: it has none. */
  readonly devices?: readonly DeviceNeed[];
  /** Of its namespace; absent: none. A pod that is on a machine needs none: what it holds, it holds. */
  readonly cardLimits?: readonly CardLimit[];
  /** `spec.nodeName`-like pinning: only this machine. Empty: any. */
  readonly machine: string;
  /** Isolated pools that it may use, by name, sorted; absent: none. */
  readonly pools?: readonly string[];
  /** Only machines of this pool; absent: any. */
  readonly pool?: string;
}

export const NO_CONSTRAINTS: Constraints = {
  nodeTerms: null,
  nodeSelector: new Map(),
  nodePreferred: [],
  tolerations: [],
  podAffinity: [],
  podAntiAffinity: [],
  topologySpread: [],
  hostPorts: [],
  volumes: [],
  exclusiveClaims: [],
  machine: '',
};
