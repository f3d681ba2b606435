import { assert, type Random } from '../base/index.ts';
import { FILTER_CODE, FILTERS, type Pod, type RefusalCount } from '../model/index.ts';
import {
  type Book,
  type Holding,
  holdingOn,
  NOT_FIT,
  type RequestClass,
  SCORE_MIN,
  type Tournament,
} from '../state/index.ts';
import { hasNeighbours, type Neighbours, neighboursOf } from './neighbours.ts';
import type { Policy } from './policy.ts';
import { ScoreCache, type ClassScores } from './scores.ts';
import type { ServiceCaps } from './service-caps.ts';

/** Where a pod goes: a machine's rank and its cards. */
export interface Placed {
  readonly ok: true;
  readonly holding: Holding;
  readonly score: number;
}

/** No machine takes the pod: how many machines each filter refused, named when asked. */
export class Refused {
  readonly ok = false;
  /** Machines by filter code. */
  readonly counts: readonly number[];

  constructor(counts: readonly number[]) {
    this.counts = counts;
  }

  get refusals(): readonly RefusalCount[] {
    return refusalCounts(this.counts);
  }
}

export type Decision = Placed | Refused;

export interface PlacerOptions {
  readonly book: Book;
  readonly policy: Policy;
  /** Needed by policies that break ties at random. */
  readonly random?: Random;
  /** P1's caps; without them replicas may pile up. */
  readonly serviceCaps?: ServiceCaps;
}

/**
 * Decides pods one at a time against the book, with cached scores. `decide` changes nothing but caches;
 * `place` also books the holding.
 */
export class Placer {
  readonly book: Book;
  readonly policy: Policy;
  readonly #scores: ScoreCache;
  readonly #random: Random | undefined;
  readonly #caps: ServiceCaps | undefined;

  constructor(options: PlacerOptions) {
    this.book = options.book;
    this.policy = options.policy;
    this.#random = options.random;
    this.#caps = options.serviceCaps;
    this.#scores = new ScoreCache(options.book, options.policy);
    assert(!options.policy.randomTies || options.random !== undefined, 'random ties need a generator');
  }

  /** Machines scored so far: counted work. */
  get machinesScored(): number {
    return this.#scores.machinesScored;
  }

  scoresOf(requestClass: RequestClass): ClassScores {
    return this.#scores.of(requestClass).expand();
  }

  /** The filters that scores leave out, host memory and other pods, or null when the pod has none. */
  neighboursOf(pod: Pod, requestClass: RequestClass): Neighbours | null {
    return neighboursOf(this.book, pod, requestClass, this.#caps);
  }

  decide(pod: Pod, requestClass: RequestClass = this.book.classOf(pod.request, pod.tenant)): Decision {
    const scores = this.#scores.of(requestClass);
    let machine = scores.bestWithMemory(requestClass, this.#pickBest);
    if (machine === -1) return new Refused(withMemory(scores));
    if (hasNeighbours(this.book, pod, requestClass, this.#caps)) {
      const neighbours = this.neighboursOf(pod, requestClass) as Neighbours;
      machine = this.#bestBeside(scores.expand(), neighbours);
      if (machine === -1) return new Refused(this.#refusals(scores, neighbours));
    }
    const cards = this.policy.chooseCards(requestClass, machine);
    const holding = holdingOn(this.book, pod, requestClass, { machine, cards });
    return { ok: true, holding, score: scores.tree.scoreOf(machine) };
  }

  /** How many machines each filter refuses, whether or not others take the pod. */
  refusalsOf(pod: Pod, requestClass: RequestClass): RefusalCount[] {
    return refusalCounts(this.#refusals(this.scoresOf(requestClass), this.neighboursOf(pod, requestClass)));
  }

  place(pod: Pod): Decision {
    const requestClass = this.book.classOf(pod.request, pod.tenant);
    this.policy.observe(requestClass);
    const decision = this.decide(pod, requestClass);
    if (decision.ok) this.book.hold(decision.holding);
    return decision;
  }

  readonly #pickBest = (tree: Tournament): number => {
    return this.policy.randomTies ? this.#pick(tree.ties()) : tree.best();
  };

  #pick(ties: readonly number[]): number {
    if (ties.length === 0) return -1;
    return this.policy.randomTies ? (ties[(this.#random as Random).below(ties.length)] as number) : (ties[0] as number);
  }

  /** O(machines): only for pods that look at their neighbours. Of equal machines those after the first are not asked. */
  #bestBeside(scores: ClassScores, neighbours: Neighbours): number {
    let best = NOT_FIT;
    let ties: number[] = [];
    for (let machine = 0; machine < scores.tree.leafCount; machine += 1) {
      const score = scores.tree.scoreOf(machine);
      if (score < SCORE_MIN || score < best) continue;
      if (score === best && !this.policy.randomTies) continue;
      if (neighbours.refusalOf(machine) !== 0) continue;
      if (score > best) ties = [];
      best = score;
      ties.push(machine);
    }
    return this.#pick(ties);
  }

  #refusals(scores: ClassScores, neighbours: Neighbours | null): number[] {
    const counts = scores.counts.slice();
    if (neighbours !== null) {
      for (let machine = 0; machine < scores.tree.leafCount; machine += 1) {
        if (scores.refusalOf(machine) === 0) counts[neighbours.refusalOf(machine)]! += 1;
      }
    }
    return counts;
  }
}

/** The counts of a refused class: the machines passed over for their memory are all that would fit. */
function withMemory(scores: ClassScores): number[] {
  const counts = scores.counts.slice();
  counts[FILTER_CODE.memory]! += scores.lackingMemory();
  return counts;
}

/** Counts by filter code as named counts, most machines first, then by filter order. */
export function refusalCounts(counts: readonly number[]): RefusalCount[] {
  const named = FILTERS.map((filter, code) => ({ filter, machines: counts[code] as number }));
  return named
    .slice(1)
    .filter((count) => count.machines > 0)
    .toSorted((left, right) => right.machines - left.machines);
}
