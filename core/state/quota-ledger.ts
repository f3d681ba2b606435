import { assert, fail } from '../base/index.ts';
import { QUOTA_MAX } from '../model/index.ts';

/**
 * What the ledger must know of a quota tree. A slot is one (queue or cohort, flavor, resource); its parent is the same
 * flavor and resource one level up, so that a parent has a lower number than its children.
 */
export interface QuotaShape {
  readonly slotCount: number;
  /** -1: no parent. */
  readonly parentOf: Int32Array;
  /** The number of the slot's (flavor, resource). */
  readonly cellOf: Int32Array;
  readonly cellCount: number;
  /** What the slot's subtree owns. */
  readonly owned: Float64Array;
  /** The part of it that is never lent: use beyond it is use of the parent. */
  readonly guaranteed: Float64Array;
}

/** What one workload holds of its queue's quota. */
export interface QuotaCharge {
  readonly workload: string;
  readonly queue: string;
  /** The queue's slots, each once. */
  readonly slots: Int32Array;
  readonly amounts: Float64Array;
}

const NO_SHAPE: QuotaShape = {
  slotCount: 0,
  parentOf: new Int32Array(0),
  cellOf: new Int32Array(0),
  cellCount: 0,
  owned: new Float64Array(0),
  guaranteed: new Float64Array(0),
};

type Change = { readonly charge: QuotaCharge; readonly sign: 1 | -1 };

/** A day: who has borrowed by night gives way by day. */
const HALF_LIFE_MS = 86_400_000;

/**
 * Who has used how much quota, kept in the book beside who holds which card, under the same savepoints. What a queue
 * uses beyond its guaranteed part counts against its cohort, and so on up (Kueue, KEP 79).
 */
export class QuotaLedger {
  readonly charges = new Map<string, QuotaCharge>();
  #shape = NO_SHAPE;
  #used = new Float64Array(0);
  #freed = new Float64Array(0);
  /** All use of a cell, whatever the tree; never above `QUOTA_MAX`, so no sum of a tree is. */
  #total = new Float64Array(0);
  readonly #journal: Change[] = [];
  readonly #savepoints: number[] = [];
  readonly #halfLifeMs: number;
  #nowMs = 0;
  /** What each slot has used beyond what it owns, on average over the past as it was at its time of settlement. */
  #averageBorrowed = new Float64Array(0);
  #settledMs = new Float64Array(0);

  /** What was borrowed so long ago counts half. */
  constructor(halfLifeMs = HALF_LIFE_MS) {
    this.#halfLifeMs = halfLifeMs;
  }

  /** Tells the time, which never goes back. Not inside a savepoint that is rolled back later. */
  advance(nowMs: number): void {
    this.#nowMs = Math.max(this.#nowMs, nowMs);
  }

  /** What the slot uses beyond what it owns, on average over the past, each moment weighed by its half-life. O(1). */
  averageBorrowed(slot: number): number {
    const kept = 2 ** (((this.#settledMs[slot] as number) - this.#nowMs) / this.#halfLifeMs);
    const borrowed = Math.max(0, (this.#used[slot] as number) - (this.#shape.owned[slot] as number));
    return (this.#averageBorrowed[slot] as number) * kept + borrowed * (1 - kept);
  }

  /** Use of each slot. */
  get used(): Readonly<Float64Array> {
    return this.#used;
  }

  /**
   * How often use of each slot has gone down, what was undone aside: while the sum over a path stands, what did not
   * fit does not fit.
   */
  get freed(): Readonly<Float64Array> {
    return this.#freed;
  }

  /** What can still be counted in the cell of a slot before amounts reach `QUOTA_MAX`. */
  countable(slot: number): number {
    return QUOTA_MAX - (this.#total[this.#shape.cellOf[slot] as number] as number);
  }

  /**
   * Books a workload's amounts, whether or not they fit; what cannot be counted (see `countable`) is left out. Returns
   * what is booked. O(slots x depth).
   */
  charge(wanted: QuotaCharge): QuotaCharge {
    if (this.charges.has(wanted.workload)) fail(`workload ${wanted.workload} is charged already`);
    const amounts = wanted.amounts.map((amount, i) => Math.min(amount, this.countable(wanted.slots[i] as number)));
    const charge = { ...wanted, amounts };
    this.#apply(charge, 1);
    if (this.#savepoints.length > 0) this.#journal.push({ charge, sign: 1 });
    return charge;
  }

  /** Gives back all that a workload is charged with. O(slots x depth). */
  refund(workload: string): QuotaCharge {
    const charge = this.charges.get(workload) ?? fail(`workload ${workload} is charged with nothing`);
    this.#apply(charge, -1);
    if (this.#savepoints.length > 0) this.#journal.push({ charge, sign: -1 });
    return charge;
  }

  /** As `Book.savepoint`, which calls it. */
  savepoint(): void {
    this.#savepoints.push(this.#journal.length);
  }

  /** As `Book.rollBack`, which calls it. */
  rollBack(): void {
    const length = this.#savepoints.pop() as number;
    while (this.#journal.length > length) {
      const { charge, sign } = this.#journal.pop() as Change;
      this.#apply(charge, sign === 1 ? -1 : 1, true);
    }
  }

  /** As `Book.keep`, which calls it. */
  keep(): void {
    this.#savepoints.pop();
    if (this.#savepoints.length === 0) this.#journal.length = 0;
  }

  /**
   * Takes another tree. `from` says where each slot of the new one was in the old, -1 where it was not; every charged
   * slot must be found again. Not inside a savepoint. O(slots + charges x depth).
   */
  reshape(shape: QuotaShape, from: Int32Array): void {
    assert(this.#savepoints.length === 0, 'a quota tree is not changed inside a savepoint');
    const charges = [...this.charges.values()];
    const averages = Float64Array.from(from, (slot) => (slot < 0 ? 0 : this.averageBorrowed(slot)));
    const slotNow = new Map([...from].map((before, slot) => [before, slot]));
    this.charges.clear();
    this.#shape = shape;
    this.#used = new Float64Array(shape.slotCount);
    this.#freed = new Float64Array(shape.slotCount);
    this.#total = new Float64Array(shape.cellCount);
    this.#averageBorrowed = averages;
    this.#settledMs = new Float64Array(shape.slotCount).fill(this.#nowMs);
    for (const charge of charges) {
      this.#apply({ ...charge, slots: charge.slots.map((slot) => slotNow.get(slot) as number) }, 1);
    }
  }

  #apply(charge: QuotaCharge, sign: 1 | -1, isUndoing = false): void {
    const { slots, amounts } = charge;
    const freed = isUndoing === (sign === 1) ? -sign : 0;
    for (let i = 0; i < slots.length; i += 1) this.#add(slots[i] as number, sign * (amounts[i] as number), freed);
    if (sign === 1) this.charges.set(charge.workload, charge);
    else this.charges.delete(charge.workload);
  }

  #add(first: number, amount: number, freed: number): void {
    const { parentOf, guaranteed, cellOf } = this.#shape;
    this.#total[cellOf[first] as number]! += amount;
    let delta = amount;
    for (let slot = first; slot >= 0 && delta !== 0; slot = parentOf[slot] as number) {
      this.#settle(slot);
      const before = this.#used[slot] as number;
      const after = before + delta;
      this.#used[slot] = after;
      this.#freed[slot]! += freed;
      const kept = guaranteed[slot] as number;
      delta = Math.max(0, after - kept) - Math.max(0, before - kept);
    }
  }

  /** Takes the time since a slot's use last changed into its average. */
  #settle(slot: number): void {
    if ((this.#settledMs[slot] as number) >= this.#nowMs) return;
    this.#averageBorrowed[slot] = this.averageBorrowed(slot);
    this.#settledMs[slot] = this.#nowMs;
  }
}
