import { NO_CONSTRAINTS, POOL_LABEL } from '@springtide/core/model';
import type { ClusterPod, IsolatedPool } from '@springtide/ports/cluster';
import { aMachine, aPod, isIn, PRODUCTS } from '@springtide/testkit/builders';
import { describe, expect, test } from 'vitest';
import { Pools } from './pools.ts';

function pool(name: string, createdAtMs: number, part: Partial<IsolatedPool> = {}): IsolatedPool {
  const rule = { reason: 'bursty', owner: 'team-a', selector: [isIn('team', 'a')], namespaces: [], status: null };
  return { uid: name, name, createdAtMs, ...rule, ...part };
}

function podIn(namespace: string, asked = ''): ClusterPod {
  const bare = aPod(`${namespace}/p`);
  return { namespace, pod: (asked === '' ? bare : bare.labelled(POOL_LABEL, asked)).build() } as ClusterPod;
}

const machine = aMachine('m').labelled('team', 'a').cards(PRODUCTS.a100, 4).build();

describe('P9: isolated pools', () => {
  test('a machine is in the oldest pool that selects it, and in the common one when that goes', () => {
    const pools = new Pools();
    expect(pools.seeMachine(machine)).toBe(machine);
    expect(pools.see(pool('b', 2))).toBe(true);
    expect(pools.see(pool('a', 3))).toBe(true);
    expect(pools.machines()[0]?.pool).toEqual({ name: 'b', owner: 'team-a', reason: 'bursty' });
    expect(pools.lose('b')).toBe(true);
    expect(pools.machines()[0]?.pool?.name).toBe('a');
    pools.see(pool('a', 3, { selector: [isIn('team', 'other')] }));
    expect(pools.machines()[0]).toBe(machine);
    expect(pools.lose('none')).toBe(false);
  });

  test('a pool with namespaces is open to their pods, one without to every pod that names it', () => {
    const pools = new Pools();
    const allowed = (pod: ClusterPod) => {
      const { pools: open, pool: only } = pools.constrain(pod, NO_CONSTRAINTS);
      return [open, only];
    };
    expect(pools.constrain(podIn('x'), NO_CONSTRAINTS)).toBe(NO_CONSTRAINTS);
    pools.see(pool('a', 1, { namespaces: ['x', 'y'] }));
    pools.see(pool('b', 2));
    expect(pools.constrain(podIn('z'), NO_CONSTRAINTS)).toBe(NO_CONSTRAINTS);
    expect(allowed(podIn('x'))).toEqual([['a'], undefined]);
    expect(allowed(podIn('x', 'a'))).toEqual([['a'], 'a']);
    expect(allowed(podIn('x', 'b'))).toEqual([['a', 'b'], 'b']);
    expect(allowed(podIn('z', 'a'))).toEqual([[], 'a']);
    expect(allowed(podIn('z', 'none'))).toEqual([[], 'none']);
  });

  test('statuses tell machines, cards and conflicts, and are written only when they change', () => {
    const pools = new Pools();
    pools.seeMachine(machine);
    pools.see(pool('old', 1));
    pools.see(pool('new', 2, { selector: [] }));
    const orders = pools.statusOrders(9000);
    expect(orders.map(({ pool: { name }, status }) => [name, status])).toEqual([
      ['old', { machines: 1, cards: 4, conflict: '', conflictSinceMs: 9000 }],
      [
        'new',
        {
          machines: 0,
          cards: 0,
          conflict: '1 of the machines that it selects are in older pools: old',
          conflictSinceMs: 9000,
        },
      ],
    ]);
    for (const { pool: ref, status } of orders) {
      const written = ref.name === 'old' ? pool('old', 1, { status }) : pool('new', 2, { selector: [], status });
      expect(pools.see(written)).toBe(false);
    }
    expect(pools.statusOrders(99_000)).toEqual([]);
    // The count changes, and with it not the time of the conflict.
    pools.seeMachine({ ...machine, id: 'n' });
    expect(pools.statusOrders(99_000).map(({ status }) => status.conflictSinceMs)).toEqual([9000, 9000]);
    // The conflict ends.
    pools.lose('old');
    expect(pools.statusOrders(99_000).map(({ status }) => [status.conflict, status.conflictSinceMs])).toEqual([
      ['', 99_000],
    ]);
  });
});
