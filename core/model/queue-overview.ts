import type { JobStanding, JobWait } from './job-wait.ts';
import type { JobState } from './job.ts';

/** One resource of one flavor in a queue: what it owns and what of it is used, in the unit of the resource. */
export interface QuotaUse {
  readonly flavor: string;
  readonly resource: string;
  readonly nominal: number;
  readonly used: number;
  /** Used beyond what it owns. */
  readonly borrowed: number;
  /** Of what it owns and does not use: what others of its cohort use at the most. Exact where it alone lends. */
  readonly lent: number;
  /** What it owns, does not use and would lend. */
  readonly lendable: number;
  /** What it owns, does not use and keeps for itself (lending limit, floor). */
  readonly kept: number;
  /** How much more it may use now. */
  readonly available: number;
}

/** A queue as it stands. */
export interface QueueOverview {
  readonly queue: string;
  readonly tenant: string;
  /** Null: it lends to nobody. */
  readonly cohort: string | null;
  /** Of the queues with which it shares quota: that of the root above it, or its own. */
  readonly root: string;
  readonly isStopped: boolean;
  readonly uses: readonly QuotaUse[];
  /** Jobs in each state, where there are any. */
  readonly jobs: ReadonlyMap<JobState, number>;
  /** In line, head first. */
  readonly waiting: readonly JobStanding[];
}

/** A job that holds cards on which nothing runs yet. */
export interface IdleHolder {
  readonly job: string;
  readonly queue: string;
  readonly cards: number;
  /** How long so far. */
  readonly heldMs: number;
}

/** Advice on queues (O6): what is wrong, with the figures, so that the change that cures it can be named. */
export type QueueAdvice =
  /** Nobody waits, and cards are held by jobs whose pods are not ready: it is not for lack of cards. */
  | { readonly kind: 'held-idle'; readonly cards: number; readonly holders: readonly IdleHolder[] }
  /** As many cards are free as the head of a queue asks for, and not as one. */
  | {
      readonly kind: 'topology';
      readonly queue: string;
      readonly job: string;
      readonly wait: Extract<JobWait, { readonly kind: 'place' }>;
    }
  /** The head of a queue lacks quota that others of its cohort own, do not use and do not give. */
  | {
      readonly kind: 'unused-quota';
      readonly queue: string;
      readonly job: string;
      readonly flavor: string;
      readonly resource: string;
      /** What it lacks. */
      readonly short: number;
      /** What is unused in the cohort. */
      readonly unused: number;
      /** Who keeps it for itself, most first; empty: it would be lent, and a borrowing limit of `node` forbids it. */
      readonly keepers: readonly { readonly queue: string; readonly amount: number }[];
      readonly node: string;
    };
