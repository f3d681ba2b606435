import { FILTER_CODE, FILTERS } from '../model/index.ts';
import { type Book, NOT_FIT, type RequestClass, SCORE_MIN, Tournament } from '../state/index.ts';
import { knownCardsRefusal, machineRefusal, memoryRefusal } from './fit.ts';
import { MASKED, MemoryMask } from './memory-mask.ts';
import type { Policy } from './policy.ts';

/** Scores below this tell a refusal for labels, taints or kinds of card, which no touch can change. */
const FIXED_MAX = NOT_FIT + FILTER_CODE.reserved;

/**
 * The scores of all machines for one class, kept true by rescoring only the machines touched since it was last
 * asked (method: shared/design/packing.md 7; FGD's artifact rescored every machine for every pod).
 * Also which filter refused each machine, and how many machines each filter refused (PL-2). Host memory and other
 * pods are not looked at here (`Placer.neighboursOf`).
 */
export class ClassScores {
  readonly tree: Tournament;
  /** Machines by the filter that refuses them; index 0 counts the feasible ones. */
  readonly counts: number[] = FILTERS.map(() => 0);
  readonly #mask = new MemoryMask();
  #seen = 0;
  #epoch = -1;

  constructor(machineCount: number) {
    this.tree = new Tournament(machineCount);
  }

  /** The code of the filter that refuses a machine, 0 when it fits. */
  refusalOf(machine: number): number {
    return refusalIn(this.tree.scoreOf(machine));
  }

  /** The best machine by `pick` that has the memory a class asks for; -1 when none has. */
  bestWithMemory(book: Book, requestClass: RequestClass, pick: (tree: Tournament) => number): number {
    const { tree } = this;
    this.#mask.admit(book, tree, requestClass.memoryBytes);
    let machine = pick(tree);
    while (machine !== -1 && memoryRefusal(book, requestClass, machine) !== 0) {
      this.#mask.pass(book, tree, machine);
      machine = pick(tree);
    }
    return machine;
  }

  /** Machines that would fit but for their memory, after `bestWithMemory` found none. */
  lackingMemory(book: Book): number {
    return this.#mask.count(book);
  }

  /** Lets machines that were passed over for their memory back in: for whoever reads all scores. */
  unmask(book: Book): ClassScores {
    this.#mask.lift(book, this.tree);
    return this;
  }

  /** Brings the scores up to date; returns how many machines it scored. */
  refresh(context: ScoringContext, requestClass: RequestClass): number {
    const epoch = context.policy.epoch();
    const seen = this.#seen;
    this.#seen = context.book.touched.position;
    if (epoch === this.#epoch) return this.#rescore(context, requestClass, seen);
    this.#epoch = epoch;
    const count = listDistinct(context, requestClass);
    for (let i = 0; i < count; i += 1) {
      const machine = context.scratch[i] as number;
      context.scores[machine] = scoreOf(context, requestClass, machine);
    }
    spreadToTwins(context, this.counts);
    this.tree.load(context.scores);
    this.#mask.forget();
    return count;
  }

  #rescore(context: ScoringContext, requestClass: RequestClass, seen: number): number {
    const { tree, counts } = this;
    const { scratch } = context;
    const count = context.book.touched.since(seen, scratch);
    for (let i = 0; i < count; i += 1) {
      const machine = scratch[i] as number;
      const before = tree.scoreOf(machine);
      if (before < FIXED_MAX) continue;
      const after = scoreOf(context, requestClass, machine);
      if (after === before) continue;
      counts[refusalIn(before)]! -= 1;
      counts[refusalIn(after)]! += 1;
      tree.update(machine, after);
    }
    return count;
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

/**
 * Lists the machines that must be scored when nothing is known: of the untouched machines of one group, which
 * all score alike, only the first. They are most of a large fleet, most of the time.
 */
function listDistinct(context: ScoringContext, requestClass: RequestClass): number {
  const { book, scratch, twins, firstOfGroup } = context;
  const { staticRefusal } = requestClass;
  firstOfGroup.fill(-1);
  let count = 0;
  for (let machine = 0; machine < staticRefusal.length; machine += 1) {
    let twin = -1;
    if (staticRefusal[machine] === 0 && book.touched.lastTouchOf(machine) === -1) {
      const group = book.groupOf[machine] as number;
      twin = firstOfGroup[group] as number;
      if (twin === -1) firstOfGroup[group] = machine;
    }
    twins[machine] = twin;
    if (twin === -1) scratch[count++] = machine;
  }
  return count;
}

function spreadToTwins({ twins, scores }: ScoringContext, counts: number[]): void {
  counts.fill(0);
  for (let machine = 0; machine < twins.length; machine += 1) {
    const twin = twins[machine] as number;
    if (twin !== -1) scores[machine] = scores[twin] as number;
    counts[refusalIn(scores[machine] as number)]! += 1;
  }
}

export interface ScoringContext {
  readonly book: Book;
  readonly policy: Policy;
  /** Room for as many machine numbers as there are machines. */
  readonly scratch: Int32Array;
  /** Room for the machine that each machine takes its score from, and for the first machine of each group. */
  readonly twins: Int32Array;
  readonly firstOfGroup: Int32Array;
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
    const [scratch, twins, firstOfGroup] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
    this.#context = { book, policy, scratch, twins, firstOfGroup, scores: new Int16Array(count) };
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
    this.machinesScored += scores.refresh(this.#context, requestClass);
    return scores;
  }

  #admit(key: number): ClassScores {
    if (this.#byClass.size >= CLASS_SCORES_MAX) {
      const [oldest] = this.#byClass.keys();
      if (oldest !== undefined) this.#byClass.delete(oldest);
    }
    const scores = new ClassScores(this.#context.book.machines.length);
    this.#byClass.set(key, scores);
    return scores;
  }
}
