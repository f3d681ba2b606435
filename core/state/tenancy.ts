/** No tenant, no owner, no reservation. */
export const NOBODY = -1;
/** Pods of several tenants. */
export const MIXED = -2;

/** Who holds a card or a machine, by number, when one more tenant comes. */
export function joined(held: number, tenant: number): number {
  return held === NOBODY || held === tenant ? tenant : MIXED;
}
