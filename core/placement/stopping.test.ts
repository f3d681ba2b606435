import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { forAll } from '@springtide/testkit/property';
import { Stopping } from './stopping.ts';

function valueOf(patience: number, offers: readonly (readonly [gain: number, share: number])[]): number {
  const stopping = new Stopping(offers.length, patience);
  for (const [gain, share] of offers) stopping.offer(gain, share);
  return stopping.value();
}

test('nothing on offer is worth nothing, and everything is forgotten when it is cleared', () => {
  const stopping = new Stopping(1, 0.9);
  stopping.offer(100, 1);
  stopping.clear();
  expect(stopping.value()).toBe(0);
});

test('waiting costs: what comes one time in two at patience 0.9 is worth 10 elevenths of itself', () => {
  expect(valueOf(0.9, [[110, 0.5]])).toBeCloseTo(100);
  expect(valueOf(1, [[110, 0.5]])).toBeCloseTo(110);
});

test('a small gain is declined where the large one comes often enough', () => {
  expect(
    valueOf(1, [
      [1, 0.9],
      [100, 0.1],
    ]),
  ).toBeCloseTo(100);
  expect(
    valueOf(0, [
      [1, 0.9],
      [100, 0.1],
    ]),
  ).toBeCloseTo(10.9);
});

test('the value is the best over every set that could be accepted, in whatever order they are offered', () => {
  const offers = fc.array(fc.tuple(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 9 })), {
    minLength: 1,
    maxLength: 6,
  });
  forAll(fc.record({ offers, patience: fc.constantFrom(0, 0.5, 0.9, 0.985, 1) }), ({ offers: drawn, patience }) => {
    const total = drawn.reduce((sum, [, weight]) => sum + weight, 1);
    const shared = drawn.map(([gain, weight]) => [gain, weight / total] as const);
    let best = 0;
    for (let set = 1; set < 2 ** shared.length; set += 1) {
      const accepted = shared.filter((_, i) => Math.floor(set / 2 ** i) % 2 === 1);
      const share = accepted.reduce((sum, [, part]) => sum + part, 0);
      const gain = accepted.reduce((sum, [value, part]) => sum + value * part, 0);
      best = Math.max(best, gain / (1 - patience * (1 - share)));
    }
    expect(valueOf(patience, shared)).toBeCloseTo(best, 6);
    expect(valueOf(patience, shared.toReversed())).toBeCloseTo(best, 6);
  });
});
