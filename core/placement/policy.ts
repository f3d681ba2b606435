import type { ScoreTerm } from '../model/index.ts';
import type { RequestClass } from '../state/index.ts';

/**
 * A placement policy: pure functions over the book. `score` is asked only where the machine-level filters
 * passed, and must answer NOT_FIT exactly where the cards refuse. Scores are integers from SCORE_MIN to
 * SCORE_MAX, greater is better, and must not change until the machine is touched or `epoch` changes: they are cached. Untouched machines of one group score alike.
 */
export interface Policy {
  readonly name: string;
  readonly score: (requestClass: RequestClass, machine: number) => number;
  /** Chooses `requestClass.count` cards of a machine that fits. */
  readonly chooseCards: (requestClass: RequestClass, machine: number) => number[];
  /** Counts up when every cached score is out of date. */
  readonly epoch: () => number;
  /** Scores depend on host memory; otherwise requests that differ in it alone share them. */
  readonly readsMemory: boolean;
  /** Told of each pod that arrives, before it is placed. */
  readonly observe: (requestClass: RequestClass) => void;
  /** The parts of a score, for explanations. */
  readonly terms: (requestClass: RequestClass, machine: number) => readonly ScoreTerm[];
  /** Pick at random among the best instead of the first in rank order. */
  readonly randomTies: boolean;
}
