import type { QuotaUse } from '../model/index.ts';
import type { Quota } from './quota.ts';

/** What a queue owns and uses, cell by cell in the order of its slots; empty: there is no such queue. O(slots x queues). */
export function usesOf(quota: Quota, queue: string): QuotaUse[] {
  const { tree, ledger } = quota;
  const node = tree.nodes[tree.queueNumber(queue)];
  return [...(node?.slots.values() ?? [])].map((slot) => {
    const { flavor, resource } = tree.cells[tree.cellOf[slot] as number] as { flavor: string; resource: string };
    const used = ledger.used[slot] as number;
    const lendable = lendableOf(quota, slot);
    const kept = Math.max(0, (tree.guaranteed[slot] as number) - used);
    return {
      flavor,
      resource,
      nominal: tree.owned[slot] as number,
      used,
      borrowed: quota.borrowed(slot),
      lent: Math.min(lendable, borrowedBeside(quota, slot)),
      lendable,
      kept,
      available: Math.max(0, quota.available(slot)),
    };
  });
}

/** What a queue's slot owns, does not use and does not keep for itself. */
function lendableOf({ tree, ledger }: Quota, slot: number): number {
  if ((tree.parentOf[slot] as number) < 0) return 0;
  const owned = tree.owned[slot] as number;
  return Math.max(0, owned - Math.max(tree.guaranteed[slot] as number, ledger.used[slot] as number));
}

function borrowedBeside(quota: Quota, own: number): number {
  let sum = 0;
  for (const slot of quota.tree.queueSlotsBeside(own)) if (slot !== own) sum += quota.borrowed(slot);
  return sum;
}
