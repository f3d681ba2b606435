import { compareText } from '../base/index.ts';
import type { QuotaLack } from '../model/index.ts';
import type { Quota, QuotaDemand } from './quota.ts';
import type { QuotaNode, QuotaTree, QuotaTreeCell } from './quota-tree.ts';

/** Borrowers that are told for one lack. */
const BORROWERS_TOLD = 5;

/**
 * Why a demand does not fit, one entry for each resource that is short; empty: it fits. What is available is never told
 * below 0. O(slots x queues).
 */
export function lacksOf(quota: Quota, demand: QuotaDemand): QuotaLack[] {
  return [...demand.slots].flatMap((slot, i) => {
    const asked = demand.amounts[i] as number;
    const available = quota.available(slot);
    if (available >= asked) return [];
    const { flavor, resource } = cellAt(quota.tree, slot);
    const node = nodeAt(quota.tree, shortAt(quota, slot, asked)).id;
    const borrowers = borrowersBeside(quota, slot);
    return [{ flavor, resource, node, asked, available: Math.max(0, available), borrowers }];
  });
}

/** What is used beyond what may be, where quota was lowered or running work was found. */
export interface QuotaExcess {
  readonly node: string;
  readonly flavor: string;
  readonly resource: string;
  readonly amount: number;
  /** Queues to take it from that use more than they own, most first. */
  readonly from: readonly string[];
}

/**
 * Where more is used than may be: a queue or cohort beyond its borrowing limit, a root beyond what it owns. Members
 * before their cohorts, since what they give back counts there too: after each eviction ask again. O(slots).
 */
export function excessesOf(quota: Quota): QuotaExcess[] {
  const { tree, ledger } = quota;
  const excesses: QuotaExcess[] = [];
  for (let slot = tree.slotCount - 1; slot >= 0; slot -= 1) {
    const limit = (tree.parentOf[slot] as number) < 0 ? 0 : (tree.borrowingLimit[slot] as number);
    const amount = (ledger.used[slot] as number) - (tree.owned[slot] as number) - limit;
    if (amount <= 0) continue;
    const from = borrowersBelow(quota, slot).map(({ queue }) => queue);
    excesses.push({ node: nodeAt(tree, slot).id, ...cellAt(tree, slot), amount, from });
  }
  return excesses;
}

/** The node on the way up that lets through least. */
function shortAt(quota: Quota, slot: number, asked: number): number {
  const parent = quota.tree.parentOf[slot] as number;
  if (parent < 0) return slot;
  const kept = Math.max(0, (quota.tree.guaranteed[slot] as number) - (quota.ledger.used[slot] as number));
  const above = quota.available(parent);
  return above < asked - kept ? shortAt(quota, parent, asked - kept) : slot;
}

function borrowersBeside(quota: Quota, own: number): { queue: string; amount: number }[] {
  const others = quota.tree.queueSlotsBeside(own).filter((slot) => slot !== own);
  return mostFirst(quota, others).slice(0, BORROWERS_TOLD);
}

function borrowersBelow(quota: Quota, top: number): { queue: string; amount: number }[] {
  const { parentOf } = quota.tree;
  const isBelow = (slot: number): boolean => {
    for (let at = slot; at >= top; at = parentOf[at] as number) if (at === top) return true;
    return false;
  };
  return mostFirst(quota, quota.tree.queueSlotsBeside(top).filter(isBelow));
}

function mostFirst(quota: Quota, slots: readonly number[]): { queue: string; amount: number }[] {
  return slots
    .map((slot) => ({ queue: nodeAt(quota.tree, slot).id, amount: quota.borrowed(slot) }))
    .filter(({ amount }) => amount > 0)
    .toSorted((left, right) => right.amount - left.amount || compareText(left.queue, right.queue));
}

function nodeAt(tree: QuotaTree, slot: number): QuotaNode {
  return tree.nodes[tree.nodeOf[slot] as number] as QuotaNode;
}

function cellAt(tree: QuotaTree, slot: number): QuotaTreeCell {
  return tree.cells[tree.cellOf[slot] as number] as QuotaTreeCell;
}
