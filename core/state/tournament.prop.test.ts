import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '@springtide/testkit/property';
import { NOT_FIT, SCORE_MAX, SCORE_MIN, Tournament } from './tournament.ts';

/** Few distinct scores, so that ties are common; some tell refusals, and the ends of the range occur. */
const scores = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -3, max: 3 }) },
  { weight: 2, arbitrary: fc.integer({ min: NOT_FIT, max: SCORE_MIN - 1 }) },
  { weight: 1, arbitrary: fc.constantFrom(SCORE_MIN, SCORE_MAX) },
);

/** A few leaves, or enough for three levels of groups. */
const cases = fc.record({
  leaves: fc.oneof(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1020, max: 1100 })),
  isLoaded: fc.boolean(),
  loaded: fc.array(scores, { maxLength: 8 }),
  updates: fc.array(fc.tuple(fc.nat(2000), scores, fc.boolean()), { maxLength: 60 }),
});

function firstsOf(naive: readonly number[]): number[] {
  const best = Math.max(...naive);
  return best < SCORE_MIN ? [] : naive.flatMap((score, leaf) => (score === best ? [leaf] : []));
}

describe('a tournament', () => {
  test('equals looking through all scores, ties in order of leaf included, however many updates lie between', () => {
    forAll(cases, ({ leaves, isLoaded, loaded, updates }) => {
      const tree = new Tournament(leaves);
      const naive = Array.from({ length: leaves }, (_, leaf) => (isLoaded ? (loaded[leaf % 8] ?? NOT_FIT) : NOT_FIT));
      if (isLoaded) tree.load(Int16Array.from(naive));
      for (const [number, score, isAsked] of updates) {
        const leaf = number % leaves;
        naive[leaf] = score;
        tree.update(leaf, score);
        if (isAsked) expect(tree.best()).toBe(firstsOf(naive)[0] ?? -1);
      }
      expect(tree.ties()).toEqual(firstsOf(naive));
      expect(naive.map((_, leaf) => tree.scoreOf(leaf))).toEqual(naive);
    });
  });

  test('is empty until something fits', () => {
    const tree = new Tournament(33);
    expect([tree.best(), tree.ties()]).toEqual([-1, []]);
    tree.update(32, SCORE_MIN);
    expect([tree.best(), tree.ties()]).toEqual([32, [32]]);
    tree.update(32, NOT_FIT + 5);
    expect(tree.best()).toBe(-1);
  });

  test('needs a leaf', () => {
    expect(() => new Tournament(0)).toThrow('a tournament needs a leaf');
  });
});
