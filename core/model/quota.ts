import type { Toleration } from './constraints.ts';
import type { Taint } from './machine.ts';

/** The largest amount a quota can say, and how it says that there is no limit: sums stop here and never wrap. */
export const QUOTA_MAX = Number.MAX_SAFE_INTEGER;

/**
 * What is counted, beside any resource of `Request.resources` by its own name. A card held whole counts as a card, as
 * all its memory and as a thousand thousandths of compute; a slice counts as its memory and compute and as no card.
 */
export const QUOTA_RESOURCES = [
  'cards',
  'cardMemoryMiB',
  'computeMilli',
  'priceMicrosPerHour',
  'cpuMilli',
  'memoryBytes',
] as const;

/** One kind of capacity: the machines that the selector finds, what their cards are and what they cost. */
export interface Flavor {
  readonly id: string;
  /** Labels that its machines bear; a pod that is admitted with the flavor is sent to them. */
  readonly nodeSelector: ReadonlyMap<string, string>;
  /** What its machines keep off: only work that tolerates all of them may have the flavor. */
  readonly taints: readonly Taint[];
  /** Given to the pods that are admitted with it. */
  readonly tolerations: readonly Toleration[];
  /** Product names of its cards; null: any. */
  readonly cardModels: readonly string[] | null;
  /** Where it is; empty: anywhere. */
  readonly region: string;
  /** Spot capacity may be taken back by its owner at any time. */
  readonly capacity: 'on-demand' | 'spot';
  /** Memory of one card; 0: unknown, and slices in thousandths of a card cannot be counted in MiB. */
  readonly cardMemoryMiB: number;
  readonly priceMicrosPerCardHour: number;
}

/**
 * How much of one resource in one flavor a queue or a cohort owns and may lend or borrow. All amounts are integers
 * from 0 to `QUOTA_MAX`, in the unit of the resource.
 */
export interface QuotaCell {
  readonly flavor: string;
  readonly resource: string;
  readonly nominal: number;
  /** The most that is used beyond what is owned; null: whatever the cohort has. */
  readonly borrowingLimit: number | null;
  /** The most of what is owned that others may use while it is idle; null: all of it. */
  readonly lendingLimit: number | null;
  /** The part of `nominal` that is never lent, used or not (Q7). */
  readonly floor: number;
}

/** Queues and cohorts that lend to each other. */
export interface CohortSpec {
  readonly id: string;
  readonly parent: string | null;
  /** Its part of what is borrowed, beside its siblings; thousandths, 1000: the usual. */
  readonly weightMilli: number;
  /** What the cohort owns itself, beside what its members own. */
  readonly cells: readonly QuotaCell[];
}

/** Whose running work a queue may stop. */
export interface PreemptionRules {
  /** In the queue itself. */
  readonly withinQueue: 'none' | 'lower-priority' | 'lower-or-newer-equal-priority';
  /** In queues of the cohort that borrow, for what this queue owns. */
  readonly reclaimWithinCohort: 'none' | 'lower-priority' | 'any';
  /** In queues of the cohort that borrow, for what this queue would borrow itself. */
  readonly borrowWithinCohort: 'none' | 'lower-priority';
  /** Work above this priority is not stopped by `borrowWithinCohort`; null: no such bound. */
  readonly borrowMaxPriority: number | null;
}

/** Where workloads of a tenant wait, and what they may use. */
export interface QueueSpec {
  readonly id: string;
  readonly tenant: string;
  readonly cohort: string | null;
  /** As in `CohortSpec`. */
  readonly weightMilli: number;
  /** Online replicas never wait behind a batch queue (Q8). */
  readonly workClass: 'online' | 'training' | 'offline';
  /** Strict: nobody passes a head that cannot go. */
  readonly strategy: 'strict' | 'best-effort';
  /** Among equal priorities: first come first, or first whoever has had least (for clusters of experiments). */
  readonly order: 'submission' | 'least-attained';
  /** It starts nothing new; what runs goes on. */
  readonly isStopped: boolean;
  /** In order of preference; every flavor of the cells is here once. */
  readonly flavors: readonly string[];
  readonly cells: readonly QuotaCell[];
  readonly preemption: PreemptionRules;
}

/** All that a quota tree is built from. */
export interface QuotaSpecs {
  readonly flavors: readonly Flavor[];
  readonly cohorts: readonly CohortSpec[];
  readonly queues: readonly QueueSpec[];
}

/** An amount of one resource in one flavor. */
export interface QuotaAmount {
  readonly flavor: string;
  readonly resource: string;
  readonly amount: number;
}

/** Cohorts above each other, at most. */
export const COHORT_DEPTH_MAX = 32;

/** What may be wrong with quota specs. */
export const QUOTA_PROBLEMS = [
  'duplicate-id',
  'unknown-flavor',
  'unknown-cohort',
  'cycle',
  'too-deep',
  'not-an-amount',
  'floor-above-nominal',
  'duplicate-cell',
  'duplicate-flavor',
  'flavor-not-listed',
  'in-use',
] as const;
export type QuotaProblem = (typeof QUOTA_PROBLEMS)[number];

/** One thing that is wrong, and where. */
export interface QuotaFault {
  readonly object: 'flavor' | 'cohort' | 'queue';
  readonly id: string;
  /** The path of the field in the object's spec, such as `cells[0].nominal`. */
  readonly field: string;
  readonly problem: QuotaProblem;
  /** What is there: an amount, a name, the way round of a cycle; what is in use. */
  readonly value: string;
}
