import { FILTER_CODE } from '../model/index.ts';
import { type Book, NOT_FIT, type Tournament } from '../state/index.ts';

/** The score of a machine that is passed over for its memory while it would fit otherwise. */
export const MASKED = NOT_FIT + FILTER_CODE.memory;

interface Passed {
  readonly machine: number;
  readonly score: number;
  readonly freeBytes: number;
  /** The machine's last touch when it was passed over; a later one makes the entry void. */
  readonly touch: number;
}

/**
 * Machines passed over in one tournament because they lack the memory that some request of its classes asks for.
 * They stay out until a request comes that they have memory for, so that a decision does not pass over the same
 * machines again: without this its cost would grow with the fleet.
 */
export class MemoryMask {
  #passed: Passed[] = [];
  #freeBytesMax = -1;

  /** Lets machines back in that have so much memory. O(1) when none can have. */
  admit(book: Book, tree: Tournament, memoryBytes: number): void {
    if (memoryBytes <= this.#freeBytesMax) this.#restore(book, tree, (entry) => entry.freeBytes >= memoryBytes);
  }

  #restore(book: Book, tree: Tournament, isRestored: (entry: Passed) => boolean): void {
    this.#keep(book, (entry) => {
      if (!isRestored(entry)) return true;
      tree.update(entry.machine, entry.score);
      return false;
    });
  }

  pass(book: Book, tree: Tournament, machine: number): void {
    if (this.#passed.length >= 2 * book.machines.length) this.#keep(book, () => true);
    const freeBytes = book.memoryFreeBytes[machine] as number;
    const touch = book.touched.lastTouchOf(machine);
    this.#passed.push({ machine, score: tree.scoreOf(machine), freeBytes, touch });
    this.#freeBytesMax = Math.max(this.#freeBytesMax, freeBytes);
    tree.update(machine, MASKED);
  }

  /** Lets all back in, those with overdrawn memory too. */
  lift(book: Book, tree: Tournament): void {
    if (this.#passed.length > 0) this.#restore(book, tree, () => true);
  }

  /** Forgets all, when the tournament is loaded anew. */
  forget(): void {
    this.#passed = [];
    this.#freeBytesMax = -1;
  }

  /** How many machines are passed over; `weightOf` says for how many a machine stands. */
  count(book: Book, weightOf: (machine: number) => number): number {
    let count = 0;
    for (const { machine, touch } of this.#passed) {
      if (book.touched.lastTouchOf(machine) === touch) count += weightOf(machine);
    }
    return count;
  }

  /** Drops entries that are void or that `isKept` lets go. */
  #keep(book: Book, isKept: (entry: Passed) => boolean): void {
    this.#passed = this.#passed.filter(
      (entry) => book.touched.lastTouchOf(entry.machine) === entry.touch && isKept(entry),
    );
    this.#freeBytesMax = this.#passed.reduce((most, { freeBytes }) => Math.max(most, freeBytes), -1);
  }
}
