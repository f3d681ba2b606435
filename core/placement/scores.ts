import { FILTERS } from '../model/index.ts';
import { NOT_FIT, Tournament, type Book, type RequestClass } from '../state/index.ts';
import { cardsRefusal, machineRefusal } from './fit.ts';
import type { Policy } from './policy.ts';

/**
 * The scores of all machines for one class, kept true by rescoring only the machines touched since it was last
 * asked (method: shared/design/packing.md 7; FGD's artifact rescored every machine for every pod).
 * Also which filter refused each machine, and how many machines each filter refused (PL-2).
 */
export class ClassScores {
  readonly tree: Tournament;
  /** Machines by the filter that refuses them; index 0 counts the feasible ones. */
  readonly counts = new Int32Array(FILTERS.length);
  readonly #codes: Uint8Array;
  #seen = 0;
  #epoch = -1;

  constructor(machineCount: number) {
    this.tree = new Tournament(machineCount);
    this.#codes = new Uint8Array(machineCount);
  }

  refusalOf(machine: number): number {
    return this.#codes[machine] as number;
  }

  /** Brings the scores up to date; returns how many machines it scored. */
  refresh(context: ScoringContext, requestClass: RequestClass): number {
    const { book, policy, scratch } = context;
    const epoch = policy.epoch();
    const position = book.touched.position;
    if (epoch !== this.#epoch) {
      this.#epoch = epoch;
      this.#seen = position;
      return this.#loadAll(context, requestClass);
    }
    const touched = book.touched.since(this.#seen, scratch);
    this.#seen = position;
    for (let i = 0; i < touched; i += 1) {
      const machine = scratch[i] as number;
      const before = this.#codes[machine] as number;
      const score = this.#score(context, requestClass, machine);
      const after = this.#codes[machine] as number;
      if (after !== before) {
        this.counts[before]! -= 1;
        this.counts[after]! += 1;
      }
      this.tree.update(machine, score);
    }
    return touched;
  }

  #loadAll(context: ScoringContext, requestClass: RequestClass): number {
    this.counts.fill(0);
    for (let machine = 0; machine < this.#codes.length; machine += 1) {
      this.tree.load(machine, this.#score(context, requestClass, machine));
      this.counts[this.#codes[machine] as number]! += 1;
    }
    this.tree.rebuild();
    return this.#codes.length;
  }

  #score(context: ScoringContext, requestClass: RequestClass, machine: number): number {
    const { book, policy } = context;
    const refusal = machineRefusal(book, requestClass, machine);
    if (refusal !== 0) {
      this.#codes[machine] = refusal;
      return NOT_FIT;
    }
    const score = policy.score(requestClass, machine);
    this.#codes[machine] = score === NOT_FIT ? cardsRefusal(book, requestClass, machine) : 0;
    return score;
  }
}

export interface ScoringContext {
  readonly book: Book;
  readonly policy: Policy;
  /** Room for as many machine numbers as there are machines. */
  readonly scratch: Int32Array;
}

/** The most classes whose scores are kept; the one unused for longest goes first. */
export const CLASS_SCORES_MAX = 1024;

/** Score caches by class. Bounded: beyond `CLASS_SCORES_MAX` the one unused for longest is dropped and built anew. */
export class ScoreCache {
  readonly #context: ScoringContext;
  readonly #byClass = new Map<number, ClassScores>();
  /** Machines scored so far: the work that decisions cost, counted. */
  machinesScored = 0;

  constructor(book: Book, policy: Policy) {
    this.#context = { book, policy, scratch: new Int32Array(book.machines.length) };
  }

  /** Up-to-date scores of a class. O(machines touched since x log machines). */
  of(requestClass: RequestClass): ClassScores {
    let scores = this.#byClass.get(requestClass.index);
    if (scores === undefined) {
      scores = this.#admit(requestClass);
    } else if (this.#byClass.size > CLASS_SCORES_MAX / 2) {
      this.#byClass.delete(requestClass.index);
      this.#byClass.set(requestClass.index, scores);
    }
    this.machinesScored += scores.refresh(this.#context, requestClass);
    return scores;
  }

  #admit(requestClass: RequestClass): ClassScores {
    if (this.#byClass.size >= CLASS_SCORES_MAX) {
      const [oldest] = this.#byClass.keys();
      if (oldest !== undefined) this.#byClass.delete(oldest);
    }
    const scores = new ClassScores(this.#context.book.machines.length);
    this.#byClass.set(requestClass.index, scores);
    return scores;
  }
}
