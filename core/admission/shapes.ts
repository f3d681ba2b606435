import { sortedKeys } from '../base/index.ts';
import type { PodSet, QueuedJob, TopologyRequest } from '../model/index.ts';

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

/**
 * The shapes of the jobs that are known, one object for equal content: so that requests are compiled once for all jobs
 * that share one. A shape is forgotten with its last job. O(size of the job) for each.
 */
export class Shapes {
  #next = 0;
  readonly #known = new Map<string, { readonly shape: Shape; jobs: number }>();

  take({ workload: { podSets, topology }, minCounts, flavors }: QueuedJob): Shape {
    const key = JSON.stringify([podSets, topology, minCounts, flavors], plainly);
    let known = this.#known.get(key);
    if (known === undefined) {
      const cards = podSets.reduce((sum, { count, request }) => sum + count * cardsOf(request.cards), 0);
      known = { shape: { key, number: this.#next++, podSets, minCounts, topology, flavors, cards }, jobs: 0 };
      this.#known.set(key, known);
    }
    known.jobs += 1;
    return known.shape;
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
