import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithShared } from '@springtide/testkit/shared';
import { describe, expect, test } from 'vitest';
import { arrivalOrder, findTrace, loadTrace, orderOf, ownRand, traceNames } from './index.ts';

interface WantedOrder {
  readonly trace: string;
  readonly seed: number;
  readonly original: number;
  readonly length: number;
  readonly head: readonly number[];
  readonly tail: readonly number[];
  readonly sha256: string;
}

describeWithShared('the arrival order of the published runs', (shared) => {
  const file = join(shared, 'cases', 'packing', 'orders.json');
  const wanted = JSON.parse(readFileSync(file, 'utf8')) as WantedOrder[];
  const byTrace = Map.groupBy(wanted, (order) => order.trace);

  test('is known for 17 traces and 10 seeds', () => {
    expect([byTrace.size, wanted.length]).toEqual([17, 170]);
    expect(traceNames(shared)).toEqual(expect.arrayContaining([...byTrace.keys()].map((name) => `openb:${name}`)));
  });

  test.each([...byTrace])('is ours on %s', (name, orders) => {
    const files = findTrace(shared, `openb:${name}`);
    if (files === null) throw new Error(`there is no trace openb:${name}`);
    const trace = loadTrace(files);
    for (const want of orders) {
      const { kind, order } = orderOf(trace, want.seed);
      const sha256 = createHash('sha256').update(order.join(',')).digest('hex');
      const got = { length: order.length, head: order.slice(0, 8), tail: order.slice(-4), sha256 };
      expect({ trace: name, seed: want.seed, original: trace.pods.length, ...got }).toEqual(want);
      expect(kind).toBe('go');
    }
  });
});

describe('an arrival order of our own', () => {
  const pods = Array.from({ length: 20 }, (_, i) => ({ cardMilli: i % 2 === 0 ? 1000 : 500, cardCount: 1 }));

  test('holds every pod once before the copies, and fills 1.3 times the capacity', () => {
    const order = arrivalOrder(pods, 40_000, ownRand(7));
    expect(order.slice(0, 20).toSorted((a, b) => a - b)).toEqual(pods.map((_, i) => i));
    const demand = order.reduce((sum, i) => sum + (pods[i]?.cardMilli ?? 0), 0);
    expect(demand).toBeGreaterThan(51_000);
    expect(demand).toBeLessThanOrEqual(52_000);
  });

  test('is cut down when the pods ask for more', () => {
    const order = arrivalOrder(pods, 5000, ownRand(7));
    expect(new Set(order).size).toBe(order.length);
    expect(order.reduce((sum, i) => sum + (pods[i]?.cardMilli ?? 0), 0)).toBeLessThanOrEqual(6500);
  });

  test('is the same for the same seed, and another for another', () => {
    expect(arrivalOrder(pods, 40_000, ownRand(7))).toEqual(arrivalOrder(pods, 40_000, ownRand(7)));
    expect(arrivalOrder(pods, 40_000, ownRand(7))).not.toEqual(arrivalOrder(pods, 40_000, ownRand(8)));
  });
});
