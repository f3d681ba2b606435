import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '@springtide/testkit/property';
import { mulberry32, shuffle } from './random.ts';

describe('mulberry32', () => {
  test('gives the sequence of the published generator', () => {
    const random = mulberry32(42);
    expect([random.uint32(), random.uint32(), random.uint32()]).toEqual([2581720956, 1925393290, 3661312704]);
  });

  test('takes a seed as 32 bits, so that negative and large seeds are seeds too', () => {
    expect(mulberry32(-1).uint32()).toBe(mulberry32(2 ** 32 - 1).uint32());
  });

  test('stays below the bound, and reaches every number of a small one', () => {
    forAll(fc.record({ seed: fc.nat(), bound: fc.integer({ min: 1, max: 9 }) }), ({ seed, bound }) => {
      const random = mulberry32(seed);
      const seen = new Set(Array.from({ length: 40 * bound }, () => random.below(bound)));
      expect([...seen].toSorted((left, right) => left - right)).toEqual([...Array(bound).keys()]);
    });
  });

  test('takes the whole range as a bound', () => {
    expect(mulberry32(7).below(2 ** 32)).toBe(mulberry32(7).uint32());
  });

  test('gives unit numbers from 0 up to, never with, 1', () => {
    const random = mulberry32(3);
    const units = Array.from({ length: 1000 }, () => random.unit());
    expect(Math.min(...units)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...units)).toBeLessThan(1);
  });
});

describe('a shuffle', () => {
  test('keeps all items and depends on nothing but the seed', () => {
    forAll(fc.record({ items: fc.array(fc.nat(9)), seed: fc.nat() }), ({ items, seed }) => {
      const shuffled = shuffle([...items], mulberry32(seed));
      expect(shuffled.toSorted((left, right) => left - right)).toEqual(items.toSorted((left, right) => left - right));
      expect(shuffle([...items], mulberry32(seed))).toEqual(shuffled);
    });
  });

  test('is fair: each of three items comes first about as often', () => {
    const random = mulberry32(1);
    const first = [0, 0, 0];
    for (let i = 0; i < 3000; i += 1) first[shuffle([0, 1, 2], random)[0] as number]! += 1;
    for (const count of first) expect(Math.abs(count - 1000)).toBeLessThan(100);
  });
});
