import type { Pod, TopologyRequest } from '@springtide/core/model';

/** Equal pods of a request, described by one of them. Its id is `namespace/name`; copies need ids of their own. */
export interface RequestedPods {
  /** Name of the part, such as `worker`; empty where there is one only. */
  readonly name: string;
  readonly count: number;
  readonly pod: Pod;
  /** It asks for devices by resource claims (DRA). */
  readonly hasClaims: boolean;
  /** It asks for a share of a card by KAI's annotations: read the dump with `hasFractions`. */
  readonly isFraction: boolean;
}

/** What one object of a request file asks to run. */
export interface RequestedWorkload {
  /** `namespace/name`. */
  readonly id: string;
  readonly kind: string;
  /** Pods in all. */
  readonly replicas: number;
  /** All start together or none does. */
  readonly gang: boolean;
  readonly topology: TopologyRequest | null;
  readonly podSets: readonly RequestedPods[];
}
