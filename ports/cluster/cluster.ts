import type { ClusterEvent, Freshness } from './events.ts';
import type { Lease, Term } from './lease.ts';
import type { ClusterOrders, EventRecord, RecordAnswer } from './orders.ts';

/** What the cluster shows: a bounded queue with the newest state of each object. */
export interface ClusterView {
  /** The next events, oldest object first, at most so many; empty: nothing new. Never waits. */
  readonly take: (countMax: number) => readonly ClusterEvent[];
  /** Called when there is something to take after there was nothing; the answer unsubscribes. */
  readonly onReady: (listener: () => void) => () => void;
  readonly freshness: () => Freshness;
  /**
   * Lists pods and claims for devices anew. Resolves when whatever was written before this call can be taken; never while the cluster
   * cannot be reached.
   */
  readonly refresh: () => Promise<void>;
}

/** One cluster, as the services of that cluster need it. Nothing here throws but for a bug of the caller. */
export interface Cluster {
  /** Begins to list and watch. */
  readonly start: () => void;
  readonly view: ClusterView;
  readonly lease: Lease;
  /** Orders under one time in office. They are sent in order of urgency: binds, evictions, reports. */
  readonly orders: (term: Term) => ClusterOrders;
  /** Keeps an event to be written when nothing more urgent waits. Never waits. */
  readonly record: (event: EventRecord) => RecordAnswer;
  /** Ends watches and timers, refuses what still waits, gives up the lease. */
  readonly stop: () => Promise<void>;
}
