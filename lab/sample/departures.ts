/** What leaves, and when: a binary heap by time, then by order of entry, so that ties are the same everywhere. */
export class Departures<T> {
  readonly #heap: { readonly atMs: number; readonly entry: number; readonly item: T }[] = [];
  #entries = 0;

  /** The time of the next departure; Infinity when there is none. */
  get nextMs(): number {
    return this.#heap[0]?.atMs ?? Infinity;
  }

  add(atMs: number, item: T): void {
    const heap = this.#heap;
    heap.push({ atMs, entry: this.#entries, item });
    this.#entries += 1;
    let at = heap.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  /** Takes the next one out. */
  take(): T | undefined {
    const heap = this.#heap;
    if (heap.length === 0) return undefined;
    this.#swap(0, heap.length - 1);
    const taken = heap.pop();
    let at = 0;
    for (;;) {
      let first = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < heap.length && this.#isBefore(child, first)) first = child;
      if (first === at) return taken?.item;
      this.#swap(at, first);
      at = first;
    }
  }

  #isBefore(left: number, right: number): boolean {
    const [one, other] = [this.#heap[left], this.#heap[right]];
    if (one === undefined || other === undefined) return false;
    return one.atMs === other.atMs ? one.entry < other.entry : one.atMs < other.atMs;
  }

  #swap(left: number, right: number): void {
    const heap = this.#heap;
    const held = heap[left];
    const other = heap[right];
    if (held === undefined || other === undefined) return;
    heap[left] = other;
    heap[right] = held;
  }
}
