import type { Card } from './card.ts';
import type { PoolMembership } from './pool.ts';

export type TaintEffect = 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: TaintEffect;
}

/** Where a machine stands, widest first. Empty text means that the cluster does not tell. */
export interface Location {
  readonly region: string;
  readonly zone: string;
  readonly rack: string;
  readonly cluster: string;
}

export interface Machine {
  /** The node's name: unique in the book. */
  readonly id: string;
  readonly location: Location;
  readonly cpuMilli: number;
  readonly memoryBytes: number;
  readonly podsMax: number;
  /** Other resources by name (ephemeral-storage, rdma/hca, nvidia.com/mig-1g.10gb), in their own units. */
  readonly resources: ReadonlyMap<string, number>;
  readonly labels: ReadonlyMap<string, string>;
  readonly taints: readonly Taint[];
  readonly cordoned: boolean;
  readonly cards: readonly Card[];
  /** Set apart for some; absent: in the common pool. */
  readonly pool?: PoolMembership;
}

/** Topology levels a gang may ask for, narrowest first (P4). */
export const TOPOLOGY_LEVELS = ['island', 'machine', 'rack', 'zone'] as const;
export type TopologyLevel = (typeof TOPOLOGY_LEVELS)[number];
