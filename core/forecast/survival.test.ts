import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '@springtide/testkit/property';
import { firstBeyond, shareBeyond, survivalSteps, type Observation } from './survival.ts';

const over = (lasted: number, weight = 1): Observation => ({ lasted, isOver: true, weight });
const goesOn = (lasted: number, weight = 1): Observation => ({ lasted, isOver: false, weight });

const observations = fc.array(
  fc.record({ lasted: fc.nat(20), isOver: fc.boolean(), weight: fc.integer({ min: 1, max: 5 }) }),
  { maxLength: 30 },
);

describe('the steps of a survival function', () => {
  test('are those of a textbook case', () => {
    // Freireich and others 1963, 6-MP: remission in weeks; + goes on.
    const weeks = [6, 6, 6, 7, 10, 13, 16, 22, 23].map((lasted) => over(lasted));
    const still = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35].map((lasted) => goesOn(lasted));
    const steps = survivalSteps([...still, ...weeks]);
    expect(steps.values).toEqual([6, 7, 10, 13, 16, 22, 23]);
    expect(steps.shares.map((share) => share.toFixed(3))).toEqual([
      '0.857',
      '0.807',
      '0.753',
      '0.690',
      '0.627',
      '0.538',
      '0.448',
    ]);
    expect(steps.longest).toBe(35);
  });

  test('are plain shares when all is over', () => {
    forAll(fc.array(fc.nat(20), { minLength: 1, maxLength: 30 }), (values) => {
      const steps = survivalSteps(values.map((lasted) => over(lasted)));
      for (const value of values) {
        const longer = values.filter((each) => each > value).length;
        expect(shareBeyond(steps, value)).toBeCloseTo(longer / values.length, 9);
      }
    });
  });

  test('count a weight as so many observations, and do not depend on their order', () => {
    forAll(observations, (some) => {
      const repeated = some.flatMap(({ lasted, isOver, weight }) =>
        Array.from({ length: weight }, () => ({ lasted, isOver, weight: 1 })),
      );
      const weighted = survivalSteps(some);
      const plain = survivalSteps(repeated.toReversed());
      expect(weighted.values).toEqual(plain.values);
      weighted.shares.forEach((share, i) => expect(share).toBeCloseTo(plain.shares[i] as number, 9));
    });
  });

  test('fall, and to nothing only when nothing lasts beyond', () => {
    forAll(observations, (some) => {
      const { values, shares } = survivalSteps(some, 0.05);
      expect(values).toEqual([...new Set(values)].toSorted((left, right) => left - right));
      expect(shares).toEqual(shares.toSorted((left, right) => right - left));
      expect(shares.every((share) => share > 0 && share < 1)).toBe(true);
    });
  });

  test('are read both ways as by going through all of them', () => {
    forAll(
      fc.tuple(observations, fc.integer({ min: 0, max: 20 }), fc.float({ min: 0, max: 1, noNaN: true })),
      (each) => {
        const [some, value, share] = each;
        const steps = survivalSteps(some);
        const at = steps.values.findLastIndex((step) => step <= value);
        expect(shareBeyond(steps, value)).toBe(at < 0 ? 1 : steps.shares[at]);
        expect(firstBeyond(steps, share)).toBe(steps.values.find((_, i) => (steps.shares[i] as number) <= share));
      },
    );
  });
});
