import { aPod } from '@springtide/testkit/builders';
import { describe, expect, test } from 'vitest';
import { deletionGroups, kubernetesOrder } from './deletion-order.ts';
import type { Replica } from './replica.ts';

const NOW_MS = 10_000_000;

function replica(name: string, more: Partial<Replica> = {}): Replica {
  const state = { machine: 'a', phase: 'Running', isReady: true, cost: null, restarts: 0 } as const;
  return { pod: aPod(name).build(), uid: name, createdAtMs: 1, readySinceMs: 1, ...state, ...more };
}

const names = (replicas: readonly Replica[]): string[] => replicas.map(({ uid }) => uid);

function order(replicas: readonly Replica[], siblings: Readonly<Record<string, number>> = {}): string[] {
  return names(kubernetesOrder(replicas, { siblingsOn: new Map(Object.entries(siblings)), nowMs: NOW_MS }));
}

describe('the order in which Kubernetes deletes', () => {
  test('no machine, pending, unknown, not ready, then costs: a cost never beats "not ready"', () => {
    const steps = [
      replica('no-machine', { machine: null, phase: 'Pending', isReady: false, cost: 9 }),
      replica('pending', { phase: 'Pending', isReady: false, cost: 9 }),
      replica('unknown', { phase: 'Unknown', isReady: false }),
      replica('not-ready', { isReady: false }),
      replica('cheap', { cost: -1 }),
      replica('plain'),
      replica('dear', { cost: 1 }),
    ];
    expect(order(steps.toReversed())).toEqual(names(steps));
    expect(deletionGroups(steps.toReversed()).map((group) => names(group.replicas).join())).toEqual(names(steps));
    expect(deletionGroups(steps).map(({ isOurs, isUnready }) => [isOurs, isUnready])).toEqual([
      [false, true],
      [false, true],
      [true, true],
      [true, true],
      [false, false],
      [true, false],
      [false, false],
    ]);
  });

  test('then the more crowded machine, the shorter time ready by powers of two, restarts, age, the uid', () => {
    const steps = [
      replica('crowded', { machine: 'b' }),
      replica('young', { readySinceMs: NOW_MS - 100 }),
      replica('a-similar', { readySinceMs: NOW_MS - 3000 }),
      replica('b-similar', { readySinceMs: NOW_MS - 2500 }),
      replica('restarted', { restarts: 3 }),
      replica('new', { createdAtMs: NOW_MS - 100 }),
      replica('old'),
    ];
    expect(order(steps.toReversed(), { a: 1, b: 2 })).toEqual(names(steps));
  });

  test('what nobody has priced is ours, beside what somebody gave a 0', () => {
    const groups = deletionGroups([replica('zero', { cost: 0 }), replica('plain')]);
    expect(groups.map(({ isOurs, replicas }) => [isOurs, names(replicas)])).toEqual([
      [true, ['plain']],
      [false, ['zero']],
    ]);
  });
});
