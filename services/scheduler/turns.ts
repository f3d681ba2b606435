/** Lets so many at once through for each key; the others wait for their turn, in order. */
export class Turns {
  readonly #max: number;
  readonly #busy = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Resolves when it is its turn; `give` ends that. */
  async take(key: string): Promise<void> {
    const busy = this.#busy.get(key) ?? 0;
    if (busy < this.#max) {
      this.#busy.set(key, busy + 1);
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) this.#waiting.set(key, [resolve]);
    else waiting.push(resolve);
    await promise;
  }

  /** Ends a turn: it is the next one's, if anybody waits. O(those that wait). */
  give(key: string): void {
    const waiting = this.#waiting.get(key);
    const next = waiting?.shift();
    if (waiting?.length === 0) this.#waiting.delete(key);
    if (next !== undefined) return next();
    const busy = (this.#busy.get(key) ?? 0) - 1;
    if (busy > 0) this.#busy.set(key, busy);
    else this.#busy.delete(key);
  }
}
