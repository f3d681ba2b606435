import { Heap } from '@springtide/core/base';

interface Item {
  readonly atMs: number;
  readonly order: number;
  readonly callback: () => void;
}

/** What is to happen, in virtual time: at one instant in the order in which it was put down. */
export class Agenda {
  nowMs = 0;
  #order = 0;
  readonly #items = new Heap<Item>((left, right) => left.atMs - right.atMs || left.order - right.order);

  at(atMs: number, callback: () => void): void {
    this.#order += 1;
    this.#items.put({ atMs: Math.max(atMs, this.nowMs), order: this.#order, callback });
  }

  /** When the next thing happens; Infinity: nothing does. */
  get nextAtMs(): number {
    return this.#items.first?.atMs ?? Infinity;
  }

  /** Lets time pass up to an instant, and all that is due until then happen. */
  passTo(atMs: number): void {
    for (let item = this.#items.first; item !== undefined && item.atMs <= atMs; item = this.#items.first) {
      this.#items.take();
      this.nowMs = item.atMs;
      item.callback();
    }
    this.nowMs = Math.max(this.nowMs, atMs);
  }
}
