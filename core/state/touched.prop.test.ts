import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '@springtide/testkit/property';
import { TouchedLog } from './touched.ts';

/** The ring's least length: a reader behind by more than that scans all machines. */
const RING = 4096;

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

function read(log: TouchedLog, position: number, machines: number): number[] {
  const out = new Int32Array(machines);
  return [...out.subarray(0, log.since(position, out))];
}

describe('the log of touched machines', () => {
  test('lists every machine touched since a position once, and no other', () => {
    forAll(cases, ({ machines, touches, readAt }) => {
      const log = new TouchedLog(machines);
      const named = touches.map((touch) => touch % machines);
      for (const machine of named) log.touch(machine);
      const at = Math.min(readAt, named.length);
      const found = read(log, at, machines);
      expect(found.toSorted((left, right) => left - right)).toEqual(
        [...new Set(named.slice(at))].toSorted((left, right) => left - right),
      );
      expect(log.position).toBe(named.length);
      for (let machine = 0; machine < machines; machine += 1) {
        expect(log.lastTouchOf(machine)).toBe(named.lastIndexOf(machine));
      }
    });
  });

  test('forgets nothing when a reader falls behind by the whole ring, or by one more, or by far', () => {
    for (const behind of [RING - 1, RING, RING + 1, 3 * RING + 7]) {
      const log = new TouchedLog(5);
      log.touch(4);
      const position = log.position;
      log.touch(2);
      for (let i = 1; i < behind; i += 1) log.touch(i % 2);
      expect(read(log, position, 5).toSorted((left, right) => left - right)).toEqual([0, 1, 2]);
      expect(read(log, position + 1, 5).toSorted((left, right) => left - right)).toEqual([0, 1]);
    }
  });

  test('holds a ring of at least as many places as there are machines', () => {
    const log = new TouchedLog(RING + 1);
    for (let machine = 0; machine <= RING; machine += 1) log.touch(machine);
    expect(read(log, 0, RING + 1)).toHaveLength(RING + 1);
  });
});
