import { err, ok, type Result } from '../base/index.ts';
import { QUOTA_MAX, type QuotaAmount, type QuotaFault, type QuotaSpecs } from '../model/index.ts';
import type { QuotaCharge, QuotaLedger } from '../state/index.ts';
import { type QuotaNode, QuotaTree, type QuotaTreeCell } from './quota-tree.ts';

/** What a workload would use of a queue's quota, ready to be tried and charged. Made anew after an edit of the tree. */
export interface QuotaDemand {
  readonly queue: string;
  readonly slots: Int32Array;
  readonly amounts: Float64Array;
}

/**
 * The quota tree and its use: what is free to whom. The use is the book's (`Book.quota`), so that what is charged there
 * inside a savepoint is undone with the placement that it belongs to.
 */
export class Quota {
  readonly ledger: QuotaLedger;
  #tree = QuotaTree.empty();

  constructor(ledger: QuotaLedger) {
    this.ledger = ledger;
  }

  get tree(): QuotaTree {
    return this.#tree;
  }

  /**
   * Replaces the whole tree, or changes nothing and says why not. Refused besides faulty specs is to take away a cell
   * that is in use, with its queue or alone: lower its nominal quota and wait. Quota may be lowered below use and a
   * queue moved while full: nothing more is admitted there until enough has been given back. O(slots x depth + charges).
   */
  edit(specs: QuotaSpecs): Result<QuotaTree, readonly QuotaFault[]> {
    const built = QuotaTree.build(specs);
    if (!built.ok) return built;
    const after = built.value;
    const faults = this.#inUse(after);
    if (faults.length > 0) return err(faults);
    const before = this.#tree;
    this.#tree = after;
    const slots = Int32Array.from({ length: after.slotCount }, (_, slot) => before.slotLike(after, slot));
    this.ledger.reshape(after, slots);
    return built;
  }

  #inUse(after: QuotaTree): QuotaFault[] {
    const before = this.#tree;
    const faults: QuotaFault[] = [];
    for (let slot = 0; slot < before.slotCount; slot += 1) {
      const { id, isQueue } = before.nodes[before.nodeOf[slot] as number] as QuotaNode;
      const used = this.ledger.used[slot] as number;
      if (used === 0 || !isQueue || after.slotLike(before, slot) >= 0) continue;
      const { flavor, resource } = before.cells[before.cellOf[slot] as number] as QuotaTreeCell;
      const isQueueGone = after.queueNumber(id) < 0;
      const value = `${flavor} ${resource}: ${used}`;
      faults.push({ object: 'queue', id, field: isQueueGone ? 'id' : 'cells', problem: 'in-use', value });
    }
    return faults;
  }

  /**
   * Amounts by name, turned into slots: equal names are added up and zeros left out. Where the queue has no cell for
   * some, these are the error. O(amounts).
   */
  demand(queue: string, amounts: readonly QuotaAmount[]): Result<QuotaDemand, readonly QuotaAmount[]> {
    const sums = new Map<number, number>();
    const uncovered: QuotaAmount[] = [];
    for (const wanted of amounts) {
      if (wanted.amount === 0) continue;
      const slot = this.#tree.slotOf(queue, wanted.flavor, wanted.resource);
      if (slot < 0) uncovered.push(wanted);
      else sums.set(slot, Math.min(QUOTA_MAX, (sums.get(slot) ?? 0) + wanted.amount));
    }
    if (uncovered.length > 0) return err(uncovered);
    return ok({ queue, slots: Int32Array.from(sums.keys()), amounts: Float64Array.from(sums.values()) });
  }

  /** Charges a workload with a demand, whether it fits or not (running work that is seen again); see the ledger. */
  charge(workload: string, { queue, slots, amounts }: QuotaDemand): QuotaCharge {
    return this.ledger.charge({ workload, queue, slots, amounts });
  }

  /**
   * How much more a slot may use now; below 0 where it, or a cohort above it, uses more than it may. A queue has what
   * of its guaranteed part is idle, and what its cohort has, up to its borrowing limit. O(depth).
   */
  available(slot: number): number {
    return Math.min(this.#available(slot), this.ledger.countable(slot));
  }

  #available(slot: number): number {
    const { parentOf, owned, guaranteed, borrowingLimit } = this.#tree;
    const used = this.ledger.used[slot] as number;
    const own = owned[slot] as number;
    const parent = parentOf[slot] as number;
    if (parent < 0) return own - used;
    const kept = guaranteed[slot] as number;
    const untilLimit = own - kept - Math.max(0, used - kept) + (borrowingLimit[slot] as number);
    return Math.max(0, kept - used) + Math.min(untilLimit, this.#available(parent));
  }

  /** All of a demand may be used now. O(slots x depth). */
  fits({ slots, amounts }: QuotaDemand): boolean {
    for (let i = 0; i < slots.length; i += 1) {
      if (this.available(slots[i] as number) < (amounts[i] as number)) return false;
    }
    return true;
  }

  /** A demand that could be met if nobody else used anything; else it never can. O(slots). */
  canEverFit({ slots, amounts }: QuotaDemand): boolean {
    return slots.every((slot, i) => (this.#tree.potential[slot] as number) >= (amounts[i] as number));
  }

  /** What a slot uses beyond what it owns, with `more` in use. */
  borrowed(slot: number, more = 0): number {
    return Math.max(0, (this.ledger.used[slot] as number) + more - (this.#tree.owned[slot] as number));
  }

  /** Whether the queue would use more than it owns of anything in the demand. */
  wouldBorrow({ slots, amounts }: QuotaDemand): boolean {
    return slots.some((slot, i) => this.borrowed(slot, amounts[i]) > 0);
  }

  /**
   * Grows when use goes down anywhere that a demand depends on: while it stands, what did not fit does not fit.
   * O(slots x depth).
   */
  freed({ slots }: QuotaDemand): number {
    let sum = 0;
    for (const first of slots) {
      for (let slot = first; slot >= 0; slot = this.#tree.parentOf[slot] as number) {
        sum += this.ledger.freed[slot] as number;
      }
    }
    return sum;
  }
}
