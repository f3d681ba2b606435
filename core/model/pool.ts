/** The pool that a machine is set apart in (P9): whose it is and why. */
export interface PoolMembership {
  readonly name: string;
  readonly owner: string;
  readonly reason: string;
}
