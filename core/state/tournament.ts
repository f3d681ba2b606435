import { assert } from '../base/index.ts';

/** Scores are 16-bit. A machine that does not fit scores NOT_FIT plus the code of the filter that refuses it. */
export const NOT_FIT = -32768;
/** The least score of a machine that fits; anything below tells a refusal. */
export const SCORE_MIN = NOT_FIT + 32;
export const SCORE_MAX = 32767;

const BITS = 4;
const WIDTH = 1 << BITS;

/**
 * A tournament over integer scores: the best at the top. Above the leaves stand bounds: no score of a group exceeds
 * its own. A better score raises them at once; a worse one leaves them, since most of what gets worse is never asked
 * for again. Only where the best is looked for, a bound that no score reaches is brought down.
 * Groups are 16 wide: a group of 16-bit scores is half a line of cache; a binary tree over the scores of a few
 * hundred classes misses the cache at every level.
 * Ties go to the left: the leaf index (a machine's rank) is the total order.
 */
export class Tournament {
  readonly leafCount: number;
  readonly #leaves: Int16Array;
  /** Bounds of the groups of 16 below, level by level, the leaves at 0. The last has one group. */
  readonly #levels: Int16Array[] = [];

  constructor(leafCount: number) {
    assert(leafCount > 0, 'a tournament needs a leaf');
    this.leafCount = leafCount;
    let width = leafCount;
    do {
      const groups = Math.ceil(width / WIDTH);
      this.#levels.push(new Int16Array(groups * WIDTH).fill(NOT_FIT));
      width = groups;
    } while (width > 1);
    this.#leaves = this.#levels[0] as Int16Array;
  }

  scoreOf(leaf: number): number {
    return this.#leaves[leaf] as number;
  }

  /**
   * The first leaf with the best score, or -1 when none fits. O(16 x levels) and as much again for each bound it
   * brings down, of which an update leaves one a level at most.
   */
  best(): number {
    const top = this.#levels.length - 1;
    for (;;) {
      const bound = bestOfGroup(this.#levels[top] as Int16Array, 0);
      if (bound < SCORE_MIN) return -1;
      const leaf = this.#firstIn(top, 0, bound);
      if (leaf !== -1) return leaf;
    }
  }

  /** The first leaf of a group's that has its bound as score; -1 when none has, and the bound is brought down. */
  #firstIn(level: number, group: number, bound: number): number {
    const scores = this.#levels[level] as Int16Array;
    const start = group << BITS;
    let best = NOT_FIT;
    for (let at = start; at < start + WIDTH; at += 1) {
      let score = scores[at] as number;
      if (score === bound) {
        const leaf = level === 0 ? at : this.#firstIn(level - 1, at, bound);
        if (leaf !== -1) return leaf;
        score = scores[at] as number;
      }
      if (score > best) best = score;
    }
    const above = this.#levels[level + 1];
    if (above !== undefined) above[group] = best;
    return -1;
  }

  update(leaf: number, score: number): void {
    this.#leaves[leaf] = score;
    const levels = this.#levels;
    let at = leaf >> BITS;
    for (let level = 1; level < levels.length; level += 1) {
      const bounds = levels[level] as Int16Array;
      if (score <= (bounds[at] as number)) return;
      bounds[at] = score;
      at >>= BITS;
    }
  }

  /** Takes every leaf out. O(n), at the speed of memory. */
  clear(): void {
    for (const scores of this.#levels) scores.fill(NOT_FIT);
  }

  /** Sets all leaves at once. O(n). */
  load(scores: Int16Array): void {
    const levels = this.#levels;
    this.#leaves.set(scores);
    for (let level = 1; level < levels.length; level += 1) {
      const below = levels[level - 1] as Int16Array;
      const above = levels[level] as Int16Array;
      for (let group = 0; group < below.length / WIDTH; group += 1) above[group] = bestOfGroup(below, group);
    }
  }

  /** All leaves that share the best score, in rank order. O(n). */
  ties(): number[] {
    const first = this.best();
    const found: number[] = [];
    if (first === -1) return found;
    const score = this.scoreOf(first);
    for (let leaf = first; leaf < this.leafCount; leaf += 1) if (this.scoreOf(leaf) === score) found.push(leaf);
    return found;
  }
}

function bestOfGroup(scores: Int16Array, group: number): number {
  const start = group << BITS;
  let best = NOT_FIT;
  for (let i = start; i < start + WIDTH; i += 1) {
    const score = scores[i] as number;
    if (score > best) best = score;
  }
  return best;
}
