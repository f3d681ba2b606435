import type { Clock } from '@springtide/ports/clock';
import type { Cluster, PodRef } from '@springtide/ports/cluster';

export interface MachineWish {
  readonly cards?: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** A plug-in cuts the cards by MiB: each has `SLICED_CARD_MIB`. */
  readonly isSliced?: boolean;
}

export const SLICED_CARD_MIB = 46_068;

export interface PodWish {
  readonly cards?: number;
  /** So many MiB of each card. */
  readonly sliceMiB?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly isGated?: boolean;
}

export interface KeptEvent {
  readonly reason: string;
  readonly note: string;
  readonly count: number;
}

/** The rest of a cluster, as a test of the port needs it: in memory or a real one. Everything in it is its own. */
export interface ClusterWorld {
  readonly clock: Clock;
  /** Lets time pass. */
  readonly pass: (ms: number) => Promise<void>;
  /** A client of the cluster, not started; its leases are those of all clients of this world. Stopped with the world. */
  readonly connect: (holder: string) => Cluster;
  readonly namespace: string;
  /** A machine on which pods run; its name. */
  readonly addMachine: (wish?: MachineWish) => Promise<string>;
  readonly cordon: (machine: string) => Promise<void>;
  readonly removeMachine: (machine: string) => Promise<void>;
  readonly addPod: (name: string, wish?: PodWish) => Promise<PodRef>;
  readonly deletePod: (pod: PodRef) => Promise<void>;
  readonly finishPod: (pod: PodRef, phase: 'Succeeded' | 'Failed') => Promise<void>;
  /** Covers pods whose label `app` is so. */
  readonly addBudget: (name: string, app: string, minAvailable: number) => Promise<void>;
  readonly removeBudget: (name: string) => Promise<void>;
  /** An isolated pool of the machines with this label; its name. */
  readonly addPool: (name: string, label: readonly [key: string, value: string]) => Promise<string>;
  readonly removePool: (pool: string) => Promise<void>;
  /** Cards that the pool's status tells; null: it tells none. */
  readonly cardsOfPool: (pool: string) => Promise<number | null>;
  /** What the cluster itself says now. */
  readonly machineOf: (pod: PodRef) => Promise<string | null>;
  readonly eventsOf: (pod: PodRef) => Promise<readonly KeptEvent[]>;
  /** Breaks every connection; what is tried meanwhile fails. Resolves when the cluster answers again. */
  readonly disturb: (meanwhile: () => Promise<void>) => Promise<void>;
  readonly close: () => Promise<void>;
}
