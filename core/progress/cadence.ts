import { compareNumber } from '../base/index.ts';

/** Gaps that are remembered. */
const GAPS_MAX = 32;
/** Gaps that must be known before anything is concluded from them. */
const GAPS_MIN = 4;
/** Of the gaps, so many come within the interval. */
const SHARE = 0.9;

/**
 * How long it takes from one event to the next, where that varies: the interval in which nine of ten have come, out of
 * the last 32. A quantile, so that a few long gaps (an evaluation, a lost report) do not move it. `add` sorts 32
 * numbers; reading is O(1).
 */
export class Cadence {
  readonly #leastMs: number;
  readonly #gapsMs: number[] = [];
  #next = 0;
  #intervalMs: number | null = null;

  /** `leastMs`: no interval is taken to be shorter. */
  constructor(leastMs: number) {
    this.#leastMs = leastMs;
  }

  add(gapMs: number): void {
    this.#gapsMs[this.#next] = gapMs;
    this.#next = (this.#next + 1) % GAPS_MAX;
    const count = this.#gapsMs.length;
    if (count < GAPS_MIN) return;
    const sorted = this.#gapsMs.toSorted(compareNumber);
    this.#intervalMs = Math.max(this.#leastMs, sorted[Math.ceil(SHARE * count) - 1] as number);
  }

  /** Null: not enough is known. */
  get intervalMs(): number | null {
    return this.#intervalMs;
  }
}
