import type { Request } from '../model/index.ts';
import type { RequestClass } from '../state/index.ts';

/** A class of the live request mix and its share of arrivals. */
export interface MixEntry {
  readonly requestClass: RequestClass;
  readonly share: number;
}

/** A request of a learned mix and how much it weighs. */
export interface LearnedRequest {
  readonly request: Request;
  readonly weight: number;
}

/** The first estimate is made after this many arrivals, the next ones after ever longer intervals. */
const FIRST_ESTIMATE = 64;
/** Beyond this interval the mix forgets: older arrivals weigh half as much after each look. */
const INTERVAL_MAX = 16_384;
/** A new estimate is taken up when this share of arrivals would ask otherwise of cards (total variation distance). */
const DRIFT_MIN = 0.05;

/**
 * The live request mix, learned from arrivals (P2). It is looked at after 64, 128, 256, ... arrivals and taken up
 * only when it has moved, since a new mix makes every kept score worthless. A steady stream settles after a few
 * hundred arrivals; one that changes is followed for ever.
 */
export class RequestMix {
  readonly #weights = new Map<RequestClass, number>();
  /** Shares by what is asked of cards, in the mix taken up last. */
  #known = new Map<number, number>();
  #arrivals = 0;
  #due = FIRST_ESTIMATE;

  /** Counts an arrival; the new mix when it has moved, else null. O(1), and O(classes) when it is looked at. */
  observe(requestClass: RequestClass): MixEntry[] | null {
    this.#weights.set(requestClass, (this.#weights.get(requestClass) ?? 0) + 1);
    this.#arrivals += 1;
    if (this.#arrivals < this.#due) return null;
    this.#due = this.#arrivals + Math.min(this.#arrivals, INTERVAL_MAX);
    const mix = this.#estimate();
    if (this.#arrivals >= INTERVAL_MAX) this.#forget();
    const shares = byCards(mix);
    if (drift(shares, this.#known) < DRIFT_MIN) return null;
    this.#known = shares;
    return mix;
  }

  /** What was learned, free of any book: request and weight. */
  snapshot(): LearnedRequest[] {
    return [...this.#weights].map(([{ request }, weight]) => ({ request, weight }));
  }

  /** Goes on from a snapshot; returns the mix to take up, null when there is nothing in it. */
  resume(snapshot: readonly LearnedRequest[], classOf: (request: Request) => RequestClass): MixEntry[] | null {
    for (const { request, weight } of snapshot) {
      const requestClass = classOf(request);
      this.#weights.set(requestClass, (this.#weights.get(requestClass) ?? 0) + weight);
      this.#arrivals += weight;
    }
    if (this.#arrivals < FIRST_ESTIMATE) return null;
    this.#due = this.#arrivals + Math.min(this.#arrivals, INTERVAL_MAX);
    const mix = this.#estimate();
    this.#known = byCards(mix);
    return mix;
  }

  /** The mix as shares that sum to 1, in order of class. */
  #estimate(): MixEntry[] {
    let total = 0;
    for (const weight of this.#weights.values()) total += weight;
    const entries = [...this.#weights].map(([requestClass, weight]) => ({ requestClass, share: weight / total }));
    return entries.toSorted((left, right) => left.requestClass.index - right.requestClass.index);
  }

  #forget(): void {
    for (const [requestClass, weight] of this.#weights) {
      if (weight < 0.5) this.#weights.delete(requestClass);
      else this.#weights.set(requestClass, weight / 2);
    }
  }
}

function byCards(mix: readonly MixEntry[]): Map<number, number> {
  const shares = new Map<number, number>();
  for (const { requestClass, share } of mix) {
    shares.set(requestClass.cardsIndex, (shares.get(requestClass.cardsIndex) ?? 0) + share);
  }
  return shares;
}

/** Half the sum of differences of two mixes: 1 when they share nothing. */
function drift(shares: ReadonlyMap<number, number>, known: ReadonlyMap<number, number>): number {
  let common = 0;
  for (const [index, share] of shares) common += Math.min(share, known.get(index) ?? 0);
  return 1 - common;
}
