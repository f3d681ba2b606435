import { assert } from '../base/index.ts';

/** The score of a machine that cannot take the pod. Every real score is greater. */
export const NOT_FIT = -2147483648;

/**
 * A tournament tree over integer scores: the best at the root, updates in O(log n) that stop as soon as a
 * parent does not change. Ties go to the left, so the leaf index (a machine's rank) is the total order.
 *
 *            [1]            node i has children 2i and 2i + 1;
 *        [2]     [3]        leaves start at `size`, a power of two
 */
export class Tournament {
  readonly leafCount: number;
  readonly #size: number;
  readonly #nodes: Int32Array;

  constructor(leafCount: number) {
    assert(leafCount > 0, 'a tournament needs a leaf');
    this.leafCount = leafCount;
    this.#size = 2 ** Math.ceil(Math.log2(Math.max(2, leafCount)));
    this.#nodes = new Int32Array(2 * this.#size).fill(NOT_FIT);
  }

  get bestScore(): number {
    return this.#nodes[1] as number;
  }

  scoreOf(leaf: number): number {
    return this.#nodes[this.#size + leaf] as number;
  }

  /** The first leaf with the best score, or -1 when none fits. */
  best(): number {
    const nodes = this.#nodes;
    const best = nodes[1] as number;
    if (best === NOT_FIT) return -1;
    let node = 1;
    while (node < this.#size) {
      node *= 2;
      if (nodes[node] !== best) node += 1;
    }
    return node - this.#size;
  }

  update(leaf: number, score: number): void {
    const nodes = this.#nodes;
    let node = this.#size + leaf;
    if (nodes[node] === score) return;
    nodes[node] = score;
    let winner = score;
    while (node > 1) {
      const sibling = nodes[node ^ 1] as number;
      if (sibling > winner) winner = sibling;
      node >>= 1;
      if (nodes[node] === winner) return;
      nodes[node] = winner;
    }
  }

  /** Sets all leaves at once. O(n). */
  load(scores: Int32Array): void {
    const nodes = this.#nodes;
    nodes.set(scores, this.#size);
    for (let node = this.#size - 1; node >= 1; node -= 1) {
      nodes[node] = Math.max(nodes[2 * node] as number, nodes[2 * node + 1] as number);
    }
  }

  /** All leaves that share the best score, in rank order. O(ties x log n). */
  ties(): number[] {
    const found: number[] = [];
    if (this.bestScore !== NOT_FIT) this.#collect(1, found);
    return found;
  }

  #collect(node: number, found: number[]): void {
    if (this.#nodes[node] !== this.bestScore) return;
    if (node >= this.#size) {
      found.push(node - this.#size);
      return;
    }
    this.#collect(2 * node, found);
    this.#collect(2 * node + 1, found);
  }
}
