/**
 * A bounded queue that keeps the newest item of each key in the place where the key first came in. When it is full
 * nothing is dropped: whoever fills it waits for `room`, and so the API server's connection fills up, not this memory.
 */
export class KeyedQueue<T> {
  readonly #items = new Map<string, T>();
  readonly #countMax: number;
  readonly #listeners = new Set<() => void>();
  #waiting: (() => void)[] = [];
  #folded = 0;

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  get length(): number {
    return this.#items.size;
  }

  /** Items that were replaced before anybody took them. */
  get folded(): number {
    return this.#folded;
  }

  get hasRoom(): boolean {
    return this.#items.size < this.#countMax;
  }

  /** Resolves when there is room; several who waited may then overfill it by one item each. */
  async room(): Promise<void> {
    while (!this.hasRoom) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  put(key: string, item: T): void {
    const wasEmpty = this.#items.size === 0;
    if (this.#items.has(key)) this.#folded += 1;
    this.#items.set(key, item);
    if (wasEmpty) for (const listener of this.#listeners) listener();
  }

  /** At most so many, the longest waiting first. */
  take(countMax: number): T[] {
    const taken: T[] = [];
    for (const [key, item] of this.#items) {
      if (taken.length === countMax) break;
      taken.push(item);
      this.#items.delete(key);
    }
    if (this.hasRoom) this.#wake();
    return taken;
  }

  /** Lets everybody go on who waits for room: the queue is being given up. */
  release(): void {
    this.#items.clear();
    this.#wake();
  }

  onReady(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
