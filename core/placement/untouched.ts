import type { Book } from '../state/index.ts';

/**
 * Of each group of machines (`Book.groupOf`) those that nothing has touched yet. They all look alike, so that one
 * stands for them: the first in rank order. Most machines of a large fleet are among them most of the time.
 */
export class Untouched {
  /** By group: the first untouched machine, -1 when all were touched; and how many there are. */
  readonly first: Int32Array;
  readonly count: Int32Array;
  readonly #book: Book;
  /** Machines by group, in rank order; those of group g begin at `#start[g]`. */
  readonly #members: Int32Array;
  readonly #start: Int32Array;
  readonly #next: Int32Array;
  #read = 0;

  constructor(book: Book) {
    const { groupOf, groupFirst } = book;
    this.#book = book;
    this.count = new Int32Array(groupFirst.length);
    for (let machine = 0; machine < groupOf.length; machine += 1) this.count[groupOf[machine] as number]! += 1;
    this.#start = new Int32Array(groupFirst.length + 1);
    this.count.forEach((count, group) => {
      this.#start[group + 1] = (this.#start[group] as number) + count;
    });
    const next = this.#start.slice();
    this.#members = new Int32Array(groupOf.length);
    groupOf.forEach((group, machine) => {
      this.#members[next[group]!++] = machine;
    });
    this.#next = this.#start.slice();
    this.first = Int32Array.from(groupFirst);
  }

  /** Takes in the machines touched since the last call. O(those). */
  update(): void {
    const { touched, groupOf } = this.#book;
    for (; this.#read < touched.everCount; this.#read += 1) {
      const group = groupOf[touched.ever[this.#read] as number] as number;
      this.count[group]! -= 1;
      this.#advance(group);
    }
  }

  #advance(group: number): void {
    const { touched } = this.#book;
    const end = this.#start[group + 1] as number;
    let next = this.#next[group] as number;
    while (next < end && touched.lastTouchOf(this.#members[next] as number) !== -1) next += 1;
    this.#next[group] = next;
    this.first[group] = next < end ? (this.#members[next] as number) : -1;
  }
}
