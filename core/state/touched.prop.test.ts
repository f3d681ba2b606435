import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '@springtide/testkit/property';
import { TouchedLog } from './touched.ts';

interface Case {
  readonly machines: number;
  readonly touches: readonly number[];
  readonly readAt: number;
}

const cases: fc.Arbitrary<Case> = fc.record({
  machines: fc.integer({ min: 1, max: 12 }),
  touches: fc.array(fc.nat(11), { maxLength: 60 }),
  readAt: fc.nat(60),
});

function read(log: TouchedLog, position: number): number[] {
  const found: number[] = [];
  for (let at = log.newestSince(position); at !== -1; at = log.olderSince(at, position)) found.push(at);
  return found;
}

describe('the log of touched machines', () => {
  test('lists every machine touched since a position once, the last touched first, and no other', () => {
    forAll(cases, ({ machines, touches, readAt }) => {
      const log = new TouchedLog(machines);
      const named = touches.map((touch) => touch % machines);
      for (const machine of named) log.touch(machine);
      const at = Math.min(readAt, named.length);
      expect(read(log, at)).toEqual([...new Set(named.slice(at).toReversed())]);
      expect(log.position).toBe(named.length);
      for (let machine = 0; machine < machines; machine += 1) {
        expect(log.lastTouchOf(machine)).toBe(named.lastIndexOf(machine));
      }
    });
  });
});
