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
  'resource',
  'cards',
  'slice',
  'tenant',
  'memory',
  'service-machine',
  'service-rack',
  'host-port',
  'pod-affinity',
  'pod-anti-affinity',
  'topology-spread',
  'volume',
  'volume-in-use',
  'pool',
  'pool-asked',
  'card-choice',
  'device',
  'card-limit',
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

/** What of a machine's cards is short, where an obstacle is about cards. */
export const SHORTAGES = ['cards', 'unhealthy', 'sliceMiB', 'computeMilli', 'slice'] as const;

/** One thing that keeps a pod off a machine, whatever else does. */
export interface Obstacle {
  readonly filter: FilterName;
  /**
   * What is short or in the way: `cpuMilli`, `memoryBytes`, `pods`, a resource name, one of `SHORTAGES`, a taint
   * (`key=value:effect`), a label (`key=value`), what is wrong with a claim (`missing data-0`), the card models, the
   * machine or the pool asked for, the pool that the machine is in (`name of owner (reason)`). Several are joined by `, `.
   */
  readonly resource: string;
  /** How much is missing, in the unit of `resource`; 0 where no amount applies. */
  readonly missing: number;
  /** The machine is too small even when it is empty. */
  readonly isBeyond: boolean;
}

/** What would make some machines feasible: the only obstacle that each of them has. */
export interface Remedy {
  readonly filter: FilterName;
  /** As in `Obstacle`. */
  readonly resource: string;
  /** Machines on which nothing else is in the way. */
  readonly machines: number;
  /** The smallest amount missing among them; 0 where no amount applies. */
  readonly missing: number;
  /** How many of them that amount would open. */
  readonly opened: number;
  /** The machine that lacks least, the first of them in rank order. */
  readonly nearest: string;
  /** The fewest cards free for the pod among the machines that would open. */
  readonly cardsFree: number;
  /** The card model there; empty when the pod asks for no cards, or the cluster does not tell. */
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

/** A machine and all that keeps the pod off it. */
export interface NearMiss {
  readonly machine: string;
  readonly obstacles: readonly Obstacle[];
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
  /** The machine with fewest obstacles, where no single change would open any; else null. */
  readonly nearMiss: NearMiss | null;
  /** What no machine that the pod may use could give even when it is empty; `missing` is against the largest. */
  readonly beyond: readonly Obstacle[];
}
