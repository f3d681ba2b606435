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
    const isStale = epoch !== this.#epoch;
    const count = isStale ? this.#distinct(context, requestClass) : book.touched.since(this.#seen, scratch);
    this.#seen = position;
    this.#epoch = epoch;
    for (let i = 0; i < count; i += 1) {
      const machine = scratch[i] as number;
      const score = this.#score(context, requestClass, machine);
      if (isStale) context.scores[machine] = score;
      else this.tree.update(machine, score);
    }
    if (isStale) {
      this.#spread(context);
      this.tree.load(context.scores);
    }
    return count;
  }

  /**
   * Lists the machines that must be scored when nothing is known: of the untouched machines of one shape, which
   * all score alike, only the first. They are most of a large fleet, most of the time.
   */
  #distinct({ book, scratch, twins, firstOfShape }: ScoringContext, requestClass: RequestClass): number {
    const { staticRefusal } = requestClass;
    firstOfShape.fill(-1);
    let count = 0;
    for (let machine = 0; machine < this.#codes.length; machine += 1) {
      twins[machine] = -1;
      if (book.touched.lastTouchOf(machine) === -1 && staticRefusal[machine] === 0) {
        const shape = book.shapeOf[machine] as number;
        const first = firstOfShape[shape] as number;
        if (first === -1) firstOfShape[shape] = machine;
        twins[machine] = first;
      }
      if (twins[machine] === -1) scratch[count++] = machine;
    }
    return count;
  }

  #spread({ twins, scores }: ScoringContext): void {
    const codes = this.#codes;
    const { counts } = this;
    counts.fill(0);
    for (let machine = 0; machine < codes.length; machine += 1) {
      const twin = twins[machine] as number;
      if (twin !== -1) {
        scores[machine] = scores[twin] as number;
        codes[machine] = codes[twin] as number;
      }
      counts[codes[machine] as number]! += 1;
    }
  }

  /** The score of a machine, and which filter refuses it. */
  #score({ book, policy }: ScoringContext, requestClass: RequestClass, machine: number): number {
    let refusal = machineRefusal(book, requestClass, machine);
    const score = refusal === 0 ? policy.score(requestClass, machine) : NOT_FIT;
    if (refusal === 0 && score === NOT_FIT) refusal = cardsRefusal(book, requestClass, machine);
    const before = this.#codes[machine] as number;
    if (refusal !== before) {
      this.#codes[machine] = refusal;
      this.counts[before]! -= 1;
      this.counts[refusal]! += 1;
    }
    return score;
  }
}

export interface ScoringContext {
  readonly book: Book;
  readonly policy: Policy;
  /** Room for as many machine numbers as there are machines. */
  readonly scratch: Int32Array;
  /** Room for the machine that each machine takes its score from, and for the first machine of each shape. */
  readonly twins: Int32Array;
  readonly firstOfShape: Int32Array;
  /** Room for the scores of all machines. */
  readonly scores: Int32Array;
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
    const count = book.machines.length;
    const room = (): Int32Array => new Int32Array(count);
    this.#context = { book, policy, scratch: room(), twins: room(), firstOfShape: room(), scores: room() };
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
