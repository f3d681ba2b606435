import type { QuotaCharge } from '../state/index.ts';
import type { Quota, QuotaDemand } from './quota.ts';
import type { QuotaNode, QuotaTree } from './quota-tree.ts';

/**
 * How a demand that does not fit may take from a queue that borrows. `owned`: what is asked for belongs to the asking
 * queue, or to a cohort of it that the other is not in, and is taken back (reclaim). `borrowed`: the asking side would
 * borrow as well, so only rules for that (`borrowWithinCohort`) may let it.
 */
export type Claim = 'owned' | 'borrowed';

/**
 * Whether a workload that is charged may be stopped for a demand of another queue, and how; null: it may not. For some
 * resource that is short and that it uses, its queue and all cohorts above, up to where both meet, must use more than
 * they own. Whoever takes back what it owns uses no more than that afterwards, so nobody can take it back from there.
 *
 * Taking work out changes the answer: ask again after each. O(slots x depth).
 */
export function claimOn(quota: Quota, demand: QuotaDemand, { queue, slots }: QuotaCharge): Claim | null {
  const { tree } = quota;
  const meeting = meetingOf(tree, tree.queueNumber(demand.queue), tree.queueNumber(queue));
  if (meeting < 0 || queue === demand.queue) return null;
  const isTakenBack = slots.some((other) => {
    const i = demand.slots.findIndex((slot) => tree.cellOf[slot] === tree.cellOf[other]);
    return i >= 0 && isShort(quota, demand, i) && isLentAll(quota, other, meeting);
  });
  if (!isTakenBack) return null;
  const isOwned = demand.slots.every((slot, i) => !borrows(quota, slot, meeting, demand.amounts[i] as number));
  return isOwned ? 'owned' : 'borrowed';
}

function isShort(quota: Quota, { slots, amounts }: QuotaDemand, i: number): boolean {
  return quota.available(slots[i] as number) < (amounts[i] as number);
}

/** The lowest node above both; -1: none. A cohort has a lower number than its members. */
function meetingOf({ nodes }: QuotaTree, left: number, right: number): number {
  let [a, b] = [left, right];
  while (a !== b && a >= 0 && b >= 0) {
    if (a > b) a = (nodes[a] as QuotaNode).parent;
    else b = (nodes[b] as QuotaNode).parent;
  }
  return a === b ? a : -1;
}

/** From a slot up to below a node: one uses more than it owns, once `amount` more is used. */
function borrows({ tree, ledger }: Quota, first: number, meeting: number, amount: number): boolean {
  let more = amount;
  for (let slot = first; tree.nodeOf[slot] !== meeting; slot = tree.parentOf[slot] as number) {
    const used = ledger.used[slot] as number;
    if (used + more > (tree.owned[slot] as number)) return true;
    const kept = tree.guaranteed[slot] as number;
    more = Math.max(0, used + more - kept) - Math.max(0, used - kept);
  }
  return false;
}

/** From a slot up to below a node, all use more than they own. */
function isLentAll(quota: Quota, first: number, meeting: number): boolean {
  for (let slot = first; quota.tree.nodeOf[slot] !== meeting; slot = quota.tree.parentOf[slot] as number) {
    if (quota.borrowed(slot) === 0) return false;
  }
  return true;
}
