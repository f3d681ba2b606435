import { Quota, type QuotaDemand } from '@springtide/core/quota';
import { QUOTA_MAX, type QuotaAmount, type QuotaSpecs } from '@springtide/core/model';
import { Book } from '@springtide/core/state';
import type { QuotaStep } from '../generators/index.ts';
import { QuotaTwin, type QuotaUse } from './quota.ts';

/**
 * A quota tree on a book without machines, with its twin: takes steps, and keeps a plain list of uses beside the
 * ledger. A savepoint remembers the list and a roll back puts it back.
 */
export class QuotaStage {
  readonly book = new Book([]);
  readonly quota = new Quota(this.book.quota);
  #uses: ReadonlyMap<string, QuotaUse> = new Map();
  readonly #saved: { savepoint: number; uses: ReadonlyMap<string, QuotaUse> }[] = [];
  #next = 0;

  /** Savepoints that are open. */
  get depth(): number {
    return this.#saved.length;
  }

  constructor(specs: QuotaSpecs) {
    this.quota.edit(specs);
  }

  get uses(): ReadonlyMap<string, QuotaUse> {
    return this.#uses;
  }

  get specs(): QuotaSpecs {
    return this.quota.tree.specs;
  }

  get twin(): QuotaTwin {
    return new QuotaTwin(this.specs, [...this.#uses.values()]);
  }

  /** Takes a step; one that is not possible now does nothing. */
  take(step: QuotaStep): void {
    switch (step.kind) {
      case 'observe':
      case 'admit':
        return this.#charge(step);
      case 'refund':
        return this.#refund(step.pick);
      case 'edit':
        if (this.#saved.length === 0) this.quota.edit(step.specs);
        return;
      case 'savepoint':
        this.#saved.push({ savepoint: this.book.savepoint(), uses: this.#uses });
        return;
      case 'rollBack':
      case 'keep':
        return this.#close(step.kind);
    }
  }

  /** Every slot of a queue, by name. */
  *queueSlots(): Generator<{ slot: number; queue: string; flavor: string; resource: string }> {
    const { tree } = this.quota;
    for (const { id, isQueue, slots } of tree.nodes) {
      if (!isQueue) continue;
      for (const [cell, slot] of slots) yield { slot, queue: id, ...(tree.cells[cell] as (typeof tree.cells)[number]) };
    }
  }

  #charge({ kind, queue, wanted }: QuotaStep & { readonly kind: 'observe' | 'admit' }): void {
    const id = this.specs.queues[queue % this.specs.queues.length]?.id ?? '';
    const own = [...this.queueSlots()].filter((slot) => slot.queue === id);
    if (own.length === 0) return;
    const amounts = wanted.map(({ cell, amount }): QuotaAmount => {
      const { flavor, resource } = own[cell % own.length] as (typeof own)[number];
      return { flavor, resource, amount };
    });
    const demand = this.quota.demand(id, amounts);
    if (!demand.ok || (kind === 'admit' && !this.quota.fits(demand.value))) return;
    const workload = `w${this.#next}`;
    this.#next += 1;
    this.quota.charge(workload, demand.value);
    this.#uses = new Map(this.#uses).set(workload, { queue: id, amounts: this.#counted(demand.value) });
  }

  /** What can be counted of a demand: no cell's total may be above the largest amount. */
  #counted({ slots, amounts }: QuotaDemand): QuotaAmount[] {
    const { tree } = this.quota;
    return [...slots].map((slot, i) => {
      const { flavor, resource } = tree.cells[tree.cellOf[slot] as number] as { flavor: string; resource: string };
      return {
        flavor,
        resource,
        amount: Math.min(amounts[i] as number, QUOTA_MAX - this.twin.total(flavor, resource)),
      };
    });
  }

  #refund(pick: number): void {
    const workload = [...this.#uses.keys()][pick % Math.max(1, this.#uses.size)];
    if (workload === undefined) return;
    this.book.quota.refund(workload);
    const uses = new Map(this.#uses);
    uses.delete(workload);
    this.#uses = uses;
  }

  #close(kind: 'rollBack' | 'keep'): void {
    const saved = this.#saved.pop();
    if (saved === undefined) return;
    this.book[kind](saved.savepoint);
    if (kind === 'rollBack') this.#uses = saved.uses;
  }
}
