import type { RequestClass } from '../state/index.ts';

/** A class of the live request mix and its share of arrivals. */
export interface MixEntry {
  readonly requestClass: RequestClass;
  readonly share: number;
}

/** The first estimate is made after this many arrivals, the next ones after ever longer intervals. */
const FIRST_ESTIMATE = 64;
const INTERVAL_GROWTH = 1.4;
/** Beyond this interval the mix forgets: older arrivals weigh half as much after each estimate. */
const INTERVAL_MAX = 16_384;

/**
 * The live request mix, learned from arrivals (P2). Estimates are due at growing intervals, so that their cost,
 * rescoring every machine of every class, stays a constant part of a decision whatever the size of the fleet.
 */
export class RequestMix {
  readonly #weights = new Map<RequestClass, number>();
  #arrivals = 0;
  #due = FIRST_ESTIMATE;
  #interval = FIRST_ESTIMATE;

  /** Counts an arrival; true when a new estimate is due. O(1). */
  observe(requestClass: RequestClass): boolean {
    this.#weights.set(requestClass, (this.#weights.get(requestClass) ?? 0) + 1);
    this.#arrivals += 1;
    if (this.#arrivals < this.#due) return false;
    this.#interval = Math.min(INTERVAL_MAX, Math.ceil(this.#interval * INTERVAL_GROWTH));
    this.#due = this.#arrivals + this.#interval;
    return true;
  }

  /** The mix as shares that sum to 1, in order of class. O(classes). */
  estimate(): MixEntry[] {
    let total = 0;
    for (const weight of this.#weights.values()) total += weight;
    const entries = [...this.#weights].map(([requestClass, weight]) => ({ requestClass, share: weight / total }));
    if (this.#interval >= INTERVAL_MAX) this.#forget();
    return entries.toSorted((left, right) => left.requestClass.index - right.requestClass.index);
  }

  #forget(): void {
    for (const [requestClass, weight] of this.#weights) {
      if (weight < 0.5) this.#weights.delete(requestClass);
      else this.#weights.set(requestClass, weight / 2);
    }
  }
}
