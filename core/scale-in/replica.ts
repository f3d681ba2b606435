import type { Pod } from '../model/index.ts';

/** A pod of a ReplicaSet that has neither ended nor is being deleted, as far as the order of deletion looks at it. */
export interface Replica {
  readonly pod: Pod;
  readonly uid: string;
  /** It has a machine, whether or not the book knows that. */
  readonly machine: string | null;
  readonly phase: 'Pending' | 'Unknown' | 'Running';
  readonly isReady: boolean;
  /** The deletion cost that somebody else gave it; null: nobody did. Ours does not count. */
  readonly cost: number | null;
  /** 0: not known. */
  readonly createdAtMs: number;
  /** Null: it is not ready, or nobody tells since when. */
  readonly readySinceMs: number | null;
  /** The most of any of its containers. */
  readonly restarts: number;
}
