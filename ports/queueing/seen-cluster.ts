import type { ClusterEvent, Unreadable } from '../cluster/index.ts';
import type { QueueingEvent } from './queueing.ts';

/** All that the queue controller would see of a cluster, seen once. */
export interface SeenCluster {
  readonly cluster: readonly ClusterEvent[];
  readonly queueing: readonly QueueingEvent[];
  /** Objects that cannot be read, and are left out. */
  readonly unreadable: readonly Unreadable[];
}
