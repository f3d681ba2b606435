import { QUOTA_MAX } from '../model/index.ts';
import type { Quota } from './quota.ts';
import type { QuotaNode } from './quota-tree.ts';

/** A share of all that could be borrowed, at the usual weight. */
const WHOLE_SHARE = 1_000_000;

/**
 * How much a queue, and each cohort above it, has borrowed of what it could, root first: less goes first. Compared
 * number by number, a cohort stands behind its sibling however little one of its queues has borrowed.
 *
 * The dominant share of each (Ghodsi et al., "Dominant Resource Fairness", NSDI 2011; borrowed over lendable as in
 * Kueue's fair sharing), in millionths, divided by the weight; `QUOTA_MAX` for weight 0. What counts as borrowed is the
 * mean of what is now and of the decayed average over the past: what the average will be in a half-life if nothing
 * changes. So those who borrow at once take turns, and who borrowed all day waits. A root has nobody beside it: 0.
 * O(cells x depth).
 */
export function sharesOf(quota: Quota, queue: string): number[] {
  const shares: number[] = [];
  for (let node = quota.tree.queueNumber(queue); node >= 0; node = (quota.tree.nodes[node] as QuotaNode).parent) {
    shares.push(shareOf(quota, node));
  }
  return shares.toReversed();
}

/** As in `sharesOf`, of one node. */
function shareOf(quota: Quota, number: number): number {
  const { tree, ledger } = quota;
  const { parent, slots, weightMilli } = tree.nodes[number] as QuotaNode;
  if (parent < 0) return 0;
  const borrowed = new Float64Array(tree.resourceCount);
  for (const [cell, slot] of slots) {
    borrowed[tree.resourceOf[cell] as number]! += (quota.borrowed(slot) + ledger.averageBorrowed(slot)) / 2;
  }
  const lendable = tree.lendable(parent);
  const dominant = borrowed.reduce((most, amount, resource) => {
    const all = lendable[resource] as number;
    return amount === 0 || all === 0 ? most : Math.max(most, amount / all);
  }, 0);
  if (dominant === 0) return 0;
  return Math.min(QUOTA_MAX, Math.ceil((WHOLE_SHARE * dominant * 1000) / weightMilli));
}
