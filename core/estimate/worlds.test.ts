import { expect, test } from 'vitest';
import { levelsOf } from './worlds.ts';

test('worlds span the levels evenly, the same whenever they are asked for', () => {
  const sums = new Float64Array(20);
  for (let job = 0; job < 500; job += 1) {
    const levels = levelsOf(`job ${job}`, `kind ${job % 50}`, 0, 20);
    expect(levels).toEqual(levelsOf(`job ${job}`, `kind ${job % 50}`, 0, 20));
    levels.forEach((level, world) => {
      expect(level).toBeGreaterThan(0);
      expect(level).toBeLessThan(1);
      sums[world] = (sums[world] as number) + level / 500;
    });
  }
  for (const mean of sums) expect(Math.abs(mean - 0.5)).toBeLessThan(0.15);
});

test('jobs of one burst mostly share their level, those of others do not', () => {
  const same = (one: Float64Array, other: Float64Array): number =>
    one.filter((level, world) => level === other[world]).length;
  const [first, second] = [levelsOf('a', 'k', 0, 100), levelsOf('b', 'k', 60_000, 100)];
  expect(same(first, second)).toBeGreaterThan(60);
  expect(same(first, levelsOf('b', 'k', 7_200_000, 100))).toBeLessThan(20);
  expect(same(first, levelsOf('b', 'other', 0, 100))).toBeLessThan(20);
});
