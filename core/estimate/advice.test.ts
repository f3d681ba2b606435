import { describe, expect, test } from 'vitest';
import { aFlavor } from '@springtide/testkit/builders';
import { adviceOn, type FlavorOption } from './advice.ts';

const MINUTE_MS = 60_000;

function option(some: Partial<FlavorOption>): FlavorOption {
  const flavor = aFlavor('A100', { priceMicrosPerCardHour: 2_000_000 });
  return {
    flavor,
    cards: 4,
    isPlaced: false,
    wait: { p50Ms: 10 * MINUTE_MS, p90Ms: 30 * MINUTE_MS },
    madeAtMs: 0,
    ...some,
  };
}

describe('advice at submission', () => {
  test('I15: "now" is told only of what a dry run placed', () => {
    const zero = { p50Ms: 0, p90Ms: 0 };
    const [unplaced, placed] = adviceOn([option({ wait: zero }), option({ isPlaced: true, wait: null })], 0);
    expect(unplaced?.start).toEqual({ kind: 'later', p50Ms: MINUTE_MS, p90Ms: MINUTE_MS });
    expect(placed?.start).toEqual({ kind: 'now' });
  });

  test('tells the wait that is left, the age of the estimate and the price of all cards', () => {
    expect(adviceOn([option({})], 4 * MINUTE_MS)).toEqual([
      {
        flavor: 'A100',
        start: { kind: 'later', p50Ms: 6 * MINUTE_MS, p90Ms: 26 * MINUTE_MS },
        priceMicrosPerHour: 8_000_000,
        bytesToMove: null,
        ageMs: 4 * MINUTE_MS,
      },
    ]);
  });

  test('says so when nothing can be foreseen', () => {
    const never = { p50Ms: Infinity, p90Ms: Infinity };
    const starts = adviceOn([option({ wait: null }), option({ wait: never })], 0).map(({ start }) => start.kind);
    expect(starts).toEqual(['unforeseeable', 'unforeseeable']);
  });
});
