import { assert } from '../base/index.ts';

/** Scores are 16-bit. A machine that does not fit scores NOT_FIT plus the code of the filter that refuses it. */
export const NOT_FIT = -32768;
/** The least score of a machine that fits; anything below tells a refusal. */
export const SCORE_MIN = NOT_FIT + 32;
export const SCORE_MAX = 32767;

const BITS = 4;
const WIDTH = 1 << BITS;

/**
 * A tournament over integer scores: the best at the top, updates that stop as soon as a group's best does not
 * change. Groups are 16 wide: a group of 16-bit scores is half a line of cache, and an update touches three or four
 * lines; a binary tree over the scores of a few hundred classes misses the cache at every level.
 * Ties go to the left: the leaf index (a machine's rank) is the total order.
 */
export class Tournament {
  readonly leafCount: number;
  /** Leaves first; each next level holds the best of each group of 16 below. The last has one group. */
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
  }

  scoreOf(leaf: number): number {
    return (this.#levels[0] as Int16Array)[leaf] as number;
  }

  /** The best score; below SCORE_MIN when nothing fits. */
  get bestScore(): number {
    return bestOfGroup(this.#levels[this.#levels.length - 1] as Int16Array, 0, SCORE_MAX);
  }

  /** The first leaf with the best score, or -1 when none fits. O(16 x levels). */
  best(): number {
    const score = this.bestScore;
    if (score < SCORE_MIN) return -1;
    let at = 0;
    for (let level = this.#levels.length - 1; level >= 0; level -= 1) {
      const scores = this.#levels[level] as Int16Array;
      at <<= BITS;
      while (scores[at] !== score) at += 1;
    }
    return at;
  }

  update(leaf: number, score: number): void {
    const levels = this.#levels;
    let at = leaf;
    let value = score;
    for (let level = 0; ; level += 1) {
      const scores = levels[level] as Int16Array;
      const old = scores[at] as number;
      if (old === value) return;
      scores[at] = value;
      const above = levels[level + 1];
      if (above === undefined) return;
      at >>= BITS;
      const best = above[at] as number;
      if (value < best) {
        if (old !== best) return;
        value = bestOfGroup(scores, at, best);
      }
    }
  }

  /** Takes every leaf out. O(n), at the speed of memory. */
  clear(): void {
    for (const scores of this.#levels) scores.fill(NOT_FIT);
  }

  /** Sets all leaves at once. O(n). */
  load(scores: Int16Array): void {
    const levels = this.#levels;
    (levels[0] as Int16Array).set(scores);
    for (let level = 1; level < levels.length; level += 1) {
      const below = levels[level - 1] as Int16Array;
      const above = levels[level] as Int16Array;
      for (let group = 0; group < below.length / WIDTH; group += 1) above[group] = bestOfGroup(below, group, SCORE_MAX);
    }
  }

  /** All leaves that share the best score, in rank order. O(n). */
  ties(): number[] {
    const score = this.bestScore;
    const found: number[] = [];
    if (score < SCORE_MIN) return found;
    for (let leaf = 0; leaf < this.leafCount; leaf += 1) if (this.scoreOf(leaf) === score) found.push(leaf);
    return found;
  }
}

/** `most` is a score that none of the group exceeds: at the first that equals it the search is over. */
function bestOfGroup(scores: Int16Array, group: number, most: number): number {
  const start = group << BITS;
  let best = NOT_FIT;
  for (let i = start; i < start + WIDTH; i += 1) {
    const score = scores[i] as number;
    if (score <= best) continue;
    best = score;
    if (best === most) break;
  }
  return best;
}
