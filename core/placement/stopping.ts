/**
 * The value of a card's free part when pods come one by one and each may be taken or declined. Declining costs
 * the factor `patience`:
 *
 *     V(s) = sum over c of p(c) max(patience V(s), value(c) + V(s - c))
 *
 * The best set to accept is a prefix of the classes sorted by value(c) + V(s - c), and for a prefix with
 * acceptance A and gain G the equation gives V = G / (1 - patience (1 - A)). Method: optimal stopping.
 */
export class Stopping {
  readonly #patience: number;
  readonly #gains: Float64Array;
  readonly #shares: Float64Array;
  #count = 0;

  constructor(classes: number, patience: number) {
    this.#patience = patience;
    this.#gains = new Float64Array(classes);
    this.#shares = new Float64Array(classes);
  }

  clear(): void {
    this.#count = 0;
  }

  /** Adds a class that fits, keeping the gains sorted: insertion, since the order hardly changes between states. */
  offer(gain: number, share: number): void {
    const gains = this.#gains;
    const shares = this.#shares;
    let at = this.#count;
    this.#count += 1;
    for (; at > 0 && (gains[at - 1] as number) < gain; at -= 1) {
      gains[at] = gains[at - 1] as number;
      shares[at] = shares[at - 1] as number;
    }
    gains[at] = gain;
    shares[at] = share;
  }

  /** V of the state whose classes were offered. O(classes). */
  value(): number {
    let best = 0;
    let accepted = 0;
    let gain = 0;
    for (let i = 0; i < this.#count; i += 1) {
      accepted += this.#shares[i] as number;
      gain += (this.#shares[i] as number) * (this.#gains[i] as number);
      const value = gain / (1 - this.#patience * (1 - accepted));
      if (value > best) best = value;
    }
    return best;
  }
}
