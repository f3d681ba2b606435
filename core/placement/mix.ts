import type { Request } from '../model/index.ts';
import type { RequestClass } from '../state/index.ts';

/** A class of the live request mix and its share of arrivals. */
export interface MixEntry {
  readonly requestClass: RequestClass;
  readonly share: number;
}

/** A request of a learned mix and how much it weighs. */
interface LearnedRequest {
  readonly request: Request;
  readonly tenant: string;
  readonly weight: number;
}

/** All that was learned, free of any book: going on from it is as if nothing had happened between. */
export interface LearnedMix {
  readonly requests: readonly LearnedRequest[];
  readonly arrivals: number;
  readonly due: number;
  /** The mix taken up last, weights as shares; null: none yet. */
  readonly taken: readonly LearnedRequest[] | null;
}

/** The class that a book has of a request, and the tenant of a class. */
export interface ClassBook {
  readonly classOf: (request: Request, tenant: string) => RequestClass;
  readonly tenantOf: (requestClass: RequestClass) => string;
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
  #taken: MixEntry[] | null = null;
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
    this.#taken = mix;
    return mix;
  }

  snapshot(book: ClassBook): LearnedMix {
    const learned = (requestClass: RequestClass, weight: number): LearnedRequest => {
      return { request: requestClass.request, tenant: book.tenantOf(requestClass), weight };
    };
    return {
      requests: Array.from(this.#weights, ([requestClass, weight]) => learned(requestClass, weight)),
      arrivals: this.#arrivals,
      due: this.#due,
      taken: this.#taken?.map(({ requestClass, share }) => learned(requestClass, share)) ?? null,
    };
  }

  /** Goes on from a snapshot; returns the mix that was taken up, null when there was none. */
  resume({ requests, arrivals, due, taken }: LearnedMix, book: ClassBook): MixEntry[] | null {
    for (const { request, tenant, weight } of requests) this.#weights.set(book.classOf(request, tenant), weight);
    this.#arrivals = arrivals;
    this.#due = due;
    if (taken === null) return null;
    const mix = taken.map(({ request, tenant, weight }) => {
      return { requestClass: book.classOf(request, tenant), share: weight };
    });
    this.#known = byCards(mix);
    this.#taken = mix;
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
