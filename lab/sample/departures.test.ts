import { mulberry32 } from '@springtide/core/base';
import { expect, test } from 'vitest';
import { Departures } from './departures.ts';

test('departures leave by time, and at the same time in the order in which they were entered', () => {
  const random = mulberry32(3);
  const entries = Array.from({ length: 500 }, (_, i) => ({ atMs: random.below(50), i }));
  const departures = new Departures<(typeof entries)[number]>();
  for (const entry of entries) departures.add(entry.atMs, entry);
  const left: (typeof entries)[number][] = [];
  while (departures.nextMs < Infinity) {
    const next = departures.take();
    if (next !== undefined) left.push(next);
  }
  expect(left).toEqual(entries.toSorted((one, other) => one.atMs - other.atMs || one.i - other.i));
  expect(departures.take()).toBeUndefined();
});
