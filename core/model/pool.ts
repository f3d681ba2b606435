/** The pool that a machine is set apart in (P9): whose it is and why. */
export interface PoolMembership {
  readonly name: string;
  readonly owner: string;
  readonly reason: string;
}

/** A pod goes nowhere but to the isolated pool that this label names. */
export const POOL_LABEL = 'springtide.io/pool';
