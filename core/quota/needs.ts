import type { Quota, QuotaDemand } from './quota.ts';

/** What a demand needs of the cohort above its queue, as things are in the queue; `parents` are slots of the cohort. */
export interface QuotaNeeds {
  readonly parents: Int32Array;
  readonly amounts: Float64Array;
}

/**
 * What must be available in the cohort for a demand to fit; null: its queue's own limits, or what it owns if it may
 * not borrow, are in the way, whatever the cohort has. It holds until use of the queue itself or the tree changes, so
 * that many demands can be compared with a cohort in which something was given back. Whether all use of a resource can
 * still be counted is not looked at: `Quota.fits` has the last word. O(slots).
 */
export function needsOf(quota: Quota, { slots, amounts }: QuotaDemand, mayBorrow: boolean): QuotaNeeds | null {
  const { parentOf, owned, guaranteed, borrowingLimit } = quota.tree;
  const parents: number[] = [];
  const missing: number[] = [];
  for (let i = 0; i < slots.length; i += 1) {
    const slot = slots[i] as number;
    const amount = amounts[i] as number;
    const used = quota.ledger.used[slot] as number;
    const own = owned[slot] as number;
    const parent = parentOf[slot] as number;
    const limit = parent < 0 || !mayBorrow ? 0 : (borrowingLimit[slot] as number);
    if (used + amount - own > limit) return null;
    if (parent < 0) continue;
    // None, or less, where what is idle of its own is enough: a cohort that uses too much still keeps it from it.
    parents.push(parent);
    missing.push(amount - Math.max(0, (guaranteed[slot] as number) - used));
  }
  return { parents: Int32Array.from(parents), amounts: Float64Array.from(missing) };
}

/** Whether a cohort has what is needed, `available` being `Quota.available`. O(slots x depth). */
export function areMet({ parents, amounts }: QuotaNeeds, available: (slot: number) => number): boolean {
  for (let i = 0; i < parents.length; i += 1) {
    if (available(parents[i] as number) < (amounts[i] as number)) return false;
  }
  return true;
}
