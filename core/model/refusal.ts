/**
 * Every "no" is a value. Filters run in this order and the first that refuses a machine is counted, so the
 * counts of one decision add up to the machines refused. Numbers are stable: a code never changes meaning.
 */
export const FILTERS = [
  'none',
  'unschedulable',
  'machine',
  'taint',
  'selector',
  'card-resource',
  'card-model',
  'card-slicing',
  'reserved',
  'pods',
  'cpu',
  'memory',
  'resource',
  'cards',
  'slice',
  'tenant',
  'service-machine',
  'service-rack',
  'host-port',
  'pod-affinity',
  'pod-anti-affinity',
  'topology-spread',
] as const;
export type FilterName = (typeof FILTERS)[number];

export const FILTER_CODE: Readonly<Record<FilterName, number>> = Object.fromEntries(
  FILTERS.map((name, code) => [name, code]),
) as Record<FilterName, number>;

/** Machines refused by one filter. */
export interface RefusalCount {
  readonly filter: FilterName;
  readonly machines: number;
}

/**
 * What would make some machines feasible: the only filter that refuses each of them, how much is missing on
 * the one that lacks least, and how many machines that is.
 */
export interface Remedy {
  readonly filter: FilterName;
  readonly machines: number;
  /** The machine that lacks least. */
  readonly nearest: string;
  /** The smallest amount missing, in the unit of `resource`; 0 where no amount applies. */
  readonly missing: number;
  /** `cpuMilli`, `memoryBytes`, a resource name, `cards`, `sliceMiB`, `computeMilli`, a taint or label key. */
  readonly resource: string;
  /** Free cards the pod could use there if the rest were granted. */
  readonly cardsFree: number;
  /** The card model there, empty when none or mixed. */
  readonly model: string;
}

/** One term of a score, by the policy's own name for it. */
export interface ScoreTerm {
  readonly name: string;
  readonly value: number;
}

export interface Candidate {
  readonly machine: string;
  readonly score: number;
  readonly terms: readonly ScoreTerm[];
}

/** The outcome for one pod, with its reasons. */
export interface Explanation {
  readonly pod: string;
  readonly policy: string;
  readonly machine: string | null;
  readonly cards: readonly string[];
  readonly feasibleMachines: number;
  readonly refusals: readonly RefusalCount[];
  readonly best: readonly Candidate[];
  readonly remedies: readonly Remedy[];
}
