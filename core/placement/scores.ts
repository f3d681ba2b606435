import { FILTER_CODE, FILTERS } from '../model/index.ts';
import { type Book, NOT_FIT, type RequestClass, SCORE_MIN, Tournament } from '../state/index.ts';
import { knownCardsRefusal, machineRefusal, memoryRefusal } from './fit.ts';
import { MASKED, MemoryMask } from './memory-mask.ts';
import type { Policy } from './policy.ts';
import { Untouched } from './untouched.ts';

/** Scores below this tell a refusal for labels, taints or kinds of card, which no touch can change. */
const FIXED_MAX = NOT_FIT + FILTER_CODE.reserved;

/**
 * The scores of all machines for one class, kept true by rescoring only the machines touched since it was last
 * asked (method: shared/design/packing.md 7; FGD's artifact rescored every machine for every pod).
 * Also which filter refused each machine, and how many machines each filter refused (PL-2). Host memory and other
 * pods are not looked at here (`Placer.neighboursOf`).
 *
 * While it is *compact*, one untouched machine of a group stands in the tournament for all of them, which score
 * alike: bringing a class up to date costs the machines that were touched, whatever the fleet's size. `expand`
 * writes every machine's own score, for whoever reads them all.
 */
export class ClassScores {
  readonly tree: Tournament;
  /** Machines by the filter that refuses them; index 0 counts the feasible ones. */
  readonly counts: number[] = FILTERS.map(() => 0);
  readonly #context: ScoringContext;
  readonly #mask = new MemoryMask();
  /** By group: the score of its untouched machines, and the one that stands for them (-1: none is left). */
  readonly #groupScore: Int16Array;
  readonly #standIn: Int32Array;
  #isCompact = false;
  #seen = 0;
  #seenEver = 0;
  #epoch = -1;

  constructor(context: ScoringContext) {
    const { machines, groupFirst } = context.book;
    this.#context = context;
    this.tree = new Tournament(machines.length);
    this.#groupScore = new Int16Array(groupFirst.length);
    this.#standIn = new Int32Array(groupFirst.length);
  }

  /** The code of the filter that refuses a machine, 0 when it fits. True of every machine once it is expanded. */
  refusalOf(machine: number): number {
    return refusalIn(this.tree.scoreOf(machine));
  }

  /** The best machine by `pick` that has the memory a class asks for; -1 when none has. */
  bestWithMemory(requestClass: RequestClass, pick: (tree: Tournament) => number): number {
    const { tree } = this;
    const { book } = this.#context;
    this.#mask.admit(book, tree, requestClass.memoryBytes);
    let machine = pick(tree);
    while (machine !== -1 && memoryRefusal(book, requestClass, machine) !== 0) {
      this.#mask.pass(book, tree, machine);
      machine = pick(tree);
    }
    return machine;
  }

  /** Machines that would fit but for their memory, after `bestWithMemory` found none. */
  lackingMemory(): number {
    const { book, untouched } = this.#context;
    return this.#mask.count(book, (machine) => {
      const isStandIn = this.#isCompact && book.touched.lastTouchOf(machine) === -1;
      return isStandIn ? (untouched.count[book.groupOf[machine] as number] as number) : 1;
    });
  }

  /** Writes every machine's own score, those passed over for their memory too. O(machines) once an epoch. */
  expand(): ClassScores {
    const { tree } = this;
    const { book, scores } = this.#context;
    this.#mask.lift(book, tree);
    if (!this.#isCompact) return this;
    this.#isCompact = false;
    for (let machine = 0; machine < scores.length; machine += 1) {
      const isTouched = book.touched.lastTouchOf(machine) !== -1;
      scores[machine] = isTouched
        ? tree.scoreOf(machine)
        : (this.#groupScore[book.groupOf[machine] as number] as number);
    }
    tree.load(scores);
    return this;
  }

  /** Brings the scores up to date; returns how many machines it scored. */
  refresh(requestClass: RequestClass): number {
    const { book, policy } = this.#context;
    const epoch = policy.epoch();
    const seen = this.#seen;
    const seenEver = this.#seenEver;
    this.#seen = book.touched.position;
    this.#seenEver = book.touched.everCount;
    if (epoch === this.#epoch) {
      if (this.#isCompact) this.#replaceStandIns(seenEver);
      return this.#rescore(requestClass, seen);
    }
    this.#epoch = epoch;
    this.#mask.forget();
    this.tree.clear();
    this.counts.fill(0);
    this.#isCompact = requestClass.hasTwins;
    const scored = this.#isCompact ? this.#scoreDistinct(requestClass) : this.#scoreEach(requestClass);
    if (policy.randomTies) this.expand();
    return scored;
  }

  #scoreEach(requestClass: RequestClass): number {
    const { leafCount } = this.tree;
    for (let machine = 0; machine < leafCount; machine += 1) this.#enter(requestClass, machine);
    return leafCount;
  }

  /** The machines that were ever touched, and of the others one a group. */
  #scoreDistinct(requestClass: RequestClass): number {
    const { book, untouched } = this.#context;
    const { ever, everCount } = book.touched;
    for (let i = 0; i < everCount; i += 1) this.#enter(requestClass, ever[i] as number);
    let scored = everCount;
    for (let group = 0; group < this.#standIn.length; group += 1) {
      const machine = untouched.first[group] as number;
      this.#standIn[group] = machine;
      if (machine === -1) continue;
      const score = scoreOf(this.#context, requestClass, machine);
      this.#groupScore[group] = score;
      this.counts[refusalIn(score)]! += untouched.count[group] as number;
      this.tree.update(machine, score);
      scored += 1;
    }
    return scored;
  }

  #enter(requestClass: RequestClass, machine: number): void {
    const score = scoreOf(this.#context, requestClass, machine);
    this.counts[refusalIn(score)]! += 1;
    this.tree.update(machine, score);
  }

  /** A machine that was touched for the first time stands for itself, with the score it had; another stands in. */
  #replaceStandIns(seenEver: number): void {
    const { book, untouched } = this.#context;
    const { ever, everCount } = book.touched;
    for (let i = seenEver; i < everCount; i += 1) {
      const machine = ever[i] as number;
      const group = book.groupOf[machine] as number;
      const score = this.#groupScore[group] as number;
      const before = this.#standIn[group] as number;
      if (machine !== before) this.tree.update(machine, score);
      const first = untouched.first[group] as number;
      if (first === before) continue;
      this.#standIn[group] = first;
      if (first !== -1) this.tree.update(first, score);
    }
  }

  #rescore(requestClass: RequestClass, seen: number): number {
    const { tree, counts } = this;
    const { touched } = this.#context.book;
    let scored = 0;
    for (let machine = touched.newestSince(seen); machine !== -1; machine = touched.olderSince(machine, seen)) {
      scored += 1;
      const before = tree.scoreOf(machine);
      if (before < FIXED_MAX) continue;
      const after = scoreOf(this.#context, requestClass, machine);
      if (after === before) continue;
      counts[refusalIn(before)]! -= 1;
      counts[refusalIn(after)]! += 1;
      tree.update(machine, after);
    }
    return scored;
  }
}

/** A machine passed over for its memory counts as one that fits: memory is not looked at here. */
function refusalIn(score: number): number {
  return score < SCORE_MIN && score !== MASKED ? score - NOT_FIT : 0;
}

/** The score of a machine; below SCORE_MIN it tells which filter refuses it. */
function scoreOf({ book, policy }: ScoringContext, requestClass: RequestClass, machine: number): number {
  const refusal = machineRefusal(book, requestClass, machine);
  if (refusal !== 0) return NOT_FIT + refusal;
  const score = policy.score(requestClass, machine);
  return score === NOT_FIT ? NOT_FIT + knownCardsRefusal(book, requestClass, machine) : score;
}

export interface ScoringContext {
  readonly book: Book;
  readonly policy: Policy;
  readonly untouched: Untouched;
  /** Room for the scores of all machines. */
  readonly scores: Int16Array;
}

/** The most classes whose scores are kept; the one unused for longest goes first. */
export const CLASS_SCORES_MAX = 1024;

/** Score caches by class. Bounded: beyond `CLASS_SCORES_MAX` the one unused for longest is dropped and built anew. */
export class ScoreCache {
  readonly #context: ScoringContext;
  /** By class, or by what classes are without host memory. */
  readonly #byClass = new Map<number, ClassScores>();
  /** Machines scored so far: the work that decisions cost, counted. */
  machinesScored = 0;

  constructor(book: Book, policy: Policy) {
    const count = book.machines.length;
    this.#context = { book, policy, untouched: new Untouched(book), scores: new Int16Array(count) };
  }

  /** Up-to-date scores of a class. O(machines touched since). */
  of(requestClass: RequestClass): ClassScores {
    const key = this.#context.policy.readsMemory ? requestClass.index : requestClass.memorylessIndex;
    let scores = this.#byClass.get(key);
    if (scores === undefined) {
      scores = this.#admit(key);
    } else if (this.#byClass.size > CLASS_SCORES_MAX / 2) {
      this.#byClass.delete(key);
      this.#byClass.set(key, scores);
    }
    this.#context.untouched.update();
    this.machinesScored += scores.refresh(requestClass);
    return scores;
  }

  #admit(key: number): ClassScores {
    if (this.#byClass.size >= CLASS_SCORES_MAX) {
      const [oldest] = this.#byClass.keys();
      if (oldest !== undefined) this.#byClass.delete(oldest);
    }
    const scores = new ClassScores(this.#context);
    this.#byClass.set(key, scores);
    return scores;
  }
}
