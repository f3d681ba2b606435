/**
 * A priority queue that knows where each of its items is, so that one can be taken out, or put in its place again
 * after it has changed. Each operation is O(log items). The order must be total among the items.
 */
export class Heap<T> {
  readonly #compare: (left: T, right: T) => number;
  readonly #items: T[] = [];
  readonly #at = new Map<T, number>();

  constructor(compare: (left: T, right: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The least item; undefined: there is none. */
  get first(): T | undefined {
    return this.#items[0];
  }

  has(item: T): boolean {
    return this.#at.has(item);
  }

  /** In no order. */
  [Symbol.iterator](): Iterator<T> {
    return this.#items[Symbol.iterator]();
  }

  /** Takes an item in, or finds its place anew. */
  put(item: T): void {
    const at = this.#at.get(item);
    if (at !== undefined) return this.#settle(at);
    this.#items.push(item);
    this.#at.set(item, this.#items.length - 1);
    this.#rise(this.#items.length - 1);
  }

  /** Whether it was in. */
  delete(item: T): boolean {
    const at = this.#at.get(item);
    if (at === undefined) return false;
    this.#at.delete(item);
    const last = this.#items.pop() as T;
    if (at < this.#items.length) {
      this.#place(last, at);
      this.#settle(at);
    }
    return true;
  }

  /** Takes the least item out; undefined: there is none. */
  take(): T | undefined {
    const first = this.first;
    if (first !== undefined) this.delete(first);
    return first;
  }

  #settle(at: number): void {
    this.#sink(this.#rise(at));
  }

  /** Where the item ends up. */
  #rise(from: number): number {
    let at = from;
    const item = this.#items[at] as T;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#compare(item, this.#items[parent] as T) >= 0) break;
      this.#place(this.#items[parent] as T, at);
      at = parent;
    }
    this.#place(item, at);
    return at;
  }

  #sink(from: number): void {
    const items = this.#items;
    let at = from;
    const item = items[at] as T;
    for (let child = 2 * at + 1; child < items.length; child = 2 * at + 1) {
      const right = child + 1;
      if (right < items.length && this.#compare(items[right] as T, items[child] as T) < 0) child = right;
      if (this.#compare(items[child] as T, item) >= 0) break;
      this.#place(items[child] as T, at);
      at = child;
    }
    this.#place(item, at);
  }

  #place(item: T, at: number): void {
    this.#items[at] = item;
    this.#at.set(item, at);
  }
}
