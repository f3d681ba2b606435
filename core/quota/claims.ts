import type { Quota, QuotaDemand } from './quota.ts';
import type { QuotaTree } from './quota-tree.ts';

/**
 * How a demand that does not fit may take from a queue that borrows. `owned`: what is asked for belongs to the asking
 * queue, or to a cohort of it that the other is not in, and is taken back (reclaim). `borrowed`: the asking side would
 * borrow as well, so only rules for that (`borrowWithinCohort`) may let it.
 */
export type Claim = 'owned' | 'borrowed';

/**
 * Whether work of a queue may be stopped for a demand of another, and how; null: nothing of it may. For some resource
 * that is short, the queue and all cohorts above it, up to where both meet, must use more than they own. Whoever takes
 * back what it owns uses no more than that afterwards, so nobody can take it back from there: every claim on `owned`
 * lowers what is borrowed in all, and no ring of evictions can go on.
 *
 * Taking work out changes the answer: ask again after each. O(slots x depth).
 */
export function claimOn(quota: Quota, demand: QuotaDemand, queue: string): Claim | null {
  const { tree } = quota;
  const asking = tree.queueNumber(demand.queue);
  const asked = tree.queueNumber(queue);
  if (asking === asked || asked < 0) return null;
  let isShort = false;
  let isOwned = true;
  for (let i = 0; i < demand.slots.length; i += 1) {
    const slot = demand.slots[i] as number;
    const amount = demand.amounts[i] as number;
    const other = tree.nodes[asked]?.slots.get(tree.cellOf[slot] as number) ?? -1;
    const meeting = other < 0 ? -1 : meetingOf(tree, slot, other);
    if (borrowsBelow(quota, slot, meeting, amount)) isOwned = false;
    if (meeting >= 0 && quota.available(slot) < amount && lendsBack(quota, other, meeting)) isShort = true;
  }
  if (!isShort) return null;
  return isOwned ? 'owned' : 'borrowed';
}

/** Every queue on which a demand has a claim, by number. O(queues x slots x depth). */
export function claimsOf(quota: Quota, demand: QuotaDemand): Map<string, Claim> {
  const claims = new Map<string, Claim>();
  for (const slot of demand.slots) {
    for (const other of quota.tree.queueSlotsBeside(slot)) {
      const queue = quota.tree.nodes[quota.tree.nodeOf[other] as number]?.id ?? '';
      if (claims.has(queue) || quota.borrowed(other) === 0) continue;
      const claim = claimOn(quota, demand, queue);
      if (claim !== null) claims.set(queue, claim);
    }
  }
  return claims;
}

/** The lowest slot above both; -1: none. A parent has a lower number than its children. */
function meetingOf({ parentOf }: QuotaTree, left: number, right: number): number {
  let [a, b] = [left, right];
  while (a !== b && a >= 0 && b >= 0) {
    if (a > b) a = parentOf[a] as number;
    else b = parentOf[b] as number;
  }
  return a === b ? a : -1;
}

/** From a slot up to below the meeting: one uses more than it owns, once `amount` more is used. */
function borrowsBelow(quota: Quota, first: number, meeting: number, amount: number): boolean {
  const { parentOf, guaranteed } = quota.tree;
  let more = amount;
  for (let slot = first; slot >= 0 && slot !== meeting; slot = parentOf[slot] as number) {
    if (quota.borrowed(slot, more) > 0) return true;
    const used = quota.ledger.used[slot] as number;
    const kept = guaranteed[slot] as number;
    more = Math.max(0, used + more - kept) - Math.max(0, used - kept);
  }
  return false;
}

/** From a slot up to below the meeting, all use more than they own. */
function lendsBack(quota: Quota, first: number, meeting: number): boolean {
  for (let slot = first; slot !== meeting; slot = quota.tree.parentOf[slot] as number) {
    if (quota.borrowed(slot) === 0) return false;
  }
  return true;
}
