import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '@springtide/testkit/property';
import { runTimeFrom } from './run-time.ts';

const HOUR_MS = 3_600_000;

describe('a run time', () => {
  test('has a median of an hour where nothing is known', () => {
    expect(Math.round(runTimeFrom([]).quantileMs(0.5, 0) / 1000)).toBe(3600);
  });

  test('rises with the level and with the time that has passed, and is longer than that', () => {
    const observation = fc.record({
      lasted: fc.nat(10 * HOUR_MS),
      isOver: fc.boolean(),
      weight: fc.double({ min: 1e-6, max: 1, noNaN: true }),
    });
    const question = fc.record({
      level: fc.double({ min: 0, max: 0.999, noNaN: true }),
      elapsedMs: fc.nat(20 * HOUR_MS),
    });
    forAll(fc.tuple(fc.array(observation, { maxLength: 40 }), question, question), ([observations, one, other]) => {
      const { quantileMs } = runTimeFrom(observations);
      expect(quantileMs(one.level, one.elapsedMs)).toBeGreaterThan(one.elapsedMs);
      const [low, high] = [Math.min(one.level, other.level), Math.max(one.level, other.level)];
      expect(quantileMs(high, one.elapsedMs)).toBeGreaterThanOrEqual(quantileMs(low, one.elapsedMs));
      const [early, late] = [Math.min(one.elapsedMs, other.elapsedMs), Math.max(one.elapsedMs, other.elapsedMs)];
      expect(quantileMs(one.level, late)).toBeGreaterThanOrEqual(quantileMs(one.level, early));
    });
  });

  test('of what has run for long is that of those that ran as long: P(T > t | T > elapsed)', () => {
    // Half of all end within a minute, the others after ten hours.
    const observations = [...Array(100).keys()].map((i) => ({
      lasted: i < 50 ? 30_000 + i : 10 * HOUR_MS + i,
      isOver: true,
      weight: 1,
    }));
    const { quantileMs } = runTimeFrom(observations);
    expect(quantileMs(0.4, 0)).toBeLessThan(60_000);
    expect(quantileMs(0.4, 60_000)).toBeGreaterThan(9 * HOUR_MS);
  });

  test('beyond all that was seen is as long again with even odds, or nearly so', () => {
    const { quantileMs } = runTimeFrom([{ lasted: HOUR_MS, isOver: true, weight: 1 }]);
    expect(quantileMs(0.5, 10 * HOUR_MS) / HOUR_MS).toBeCloseTo(10 * Math.SQRT2, 3);
  });
});
