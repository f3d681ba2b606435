import { sortedKeys } from '../base/index.ts';
import type { PodSet, QueuedJob, Request, TopologyRequest } from '../model/index.ts';

/** What jobs that ask for the same have in common: they are charged and placed alike. */
export interface Shape {
  readonly key: string;
  /** Stands for the key. */
  readonly number: number;
  readonly podSets: readonly PodSet[];
  readonly minCounts: ReadonlyMap<string, number>;
  readonly topology: TopologyRequest | null;
  readonly flavors: readonly string[];
  /** Whole cards of all its pods, and slices, each as a card. */
  readonly cards: number;
}

/** Requests remembered by content, at most; when full they are forgotten, and equal ones are then of two shapes. */
const REQUESTS_MAX = 10_000;

/**
 * The shapes of the jobs that are known, one object for equal content: so that requests are compiled once for all jobs
 * that share one. A shape is forgotten with its last job. O(size of the job) for each.
 */
export class Shapes {
  readonly #byObject = new WeakMap<Request, number>();
  readonly #byContent = new Map<string, number>();
  #nextRequest = 0;
  #next = 0;
  readonly #known = new Map<string, { readonly shape: Shape; jobs: number }>();

  take({ workload: { podSets, topology }, minCounts, flavors }: QueuedJob): Shape {
    const sets = podSets.map(({ name, count, role, request }) => [name, count, role, this.#numberOf(request)]);
    const key = JSON.stringify([sets, topology, minCounts, flavors], plainly);
    let known = this.#known.get(key);
    if (known === undefined) {
      const cards = podSets.reduce((sum, { count, request }) => sum + count * cardsOf(request.cards), 0);
      known = { shape: { key, number: this.#next++, podSets, minCounts, topology, flavors, cards }, jobs: 0 };
      this.#known.set(key, known);
    }
    known.jobs += 1;
    return known.shape;
  }

  /** One for equal requests, as long as they are remembered: many jobs share one. */
  #numberOf(request: Request): number {
    const known = this.#byObject.get(request);
    if (known !== undefined) return known;
    if (this.#byContent.size >= REQUESTS_MAX) this.#byContent.clear();
    const content = JSON.stringify(request, plainly);
    const number = this.#byContent.get(content) ?? this.#nextRequest++;
    this.#byContent.set(content, number);
    this.#byObject.set(request, number);
    return number;
  }

  giveBack({ key }: Shape): void {
    const known = this.#known.get(key);
    if (known === undefined) return;
    known.jobs -= 1;
    if (known.jobs === 0) this.#known.delete(key);
  }
}

function plainly(_: string, value: unknown): unknown {
  return value instanceof Map ? sortedKeys(value).map((key) => [key, value.get(key)]) : value;
}

function cardsOf(cards: PodSet['request']['cards']): number {
  return cards.kind === 'none' ? 0 : cards.count;
}
