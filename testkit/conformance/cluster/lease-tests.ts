import { describe, expect, test } from 'vitest';
import { Observer } from './observer.ts';
import type { WorldOf } from './suite.ts';

export function leaseTests(worldOf: WorldOf): void {
  describe('who leads', () => {
    test('one at a time; the next takes over, and orders of the former are refused', async () => {
      const world = worldOf();
      const machine = await world.addMachine();
      const pod = await world.addPod('a');
      const first = await new Observer(world, 'a').sync();
      const second = await new Observer(world, 'b').sync();
      const term = await first.lead();
      second.cluster.lease.start();
      await world.pass(3000);
      expect(second.cluster.lease.state()).toMatchObject({ state: 'following', holder: term.holder });
      await first.await(first.cluster.lease.release());
      const next = await second.lead();
      expect([term.isValid(), next.isValid()]).toEqual([false, true]);
      expect(next.transitions).toBeGreaterThan(term.transitions);
      const late = await first.await(first.cluster.orders(term).bind({ pod, machine, slices: [] }));
      expect(late).toMatchObject({ answer: 'refused', failure: { code: 'fenced' } });
      expect(await world.machineOf(pod)).toBeNull();
      expect(await second.await(second.cluster.orders(next).bind({ pod, machine, slices: [] }))).toEqual({
        answer: 'bound',
      });
    });

    test('nobody through a client that was stopped', async () => {
      const world = worldOf();
      const machine = await world.addMachine();
      const pod = await world.addPod('a');
      const observer = await new Observer(world, 'a').sync();
      const orders = observer.cluster.orders(await observer.lead());
      await observer.await(observer.cluster.stop());
      expect(await observer.await(orders.bind({ pod, machine, slices: [] }))).toMatchObject({ answer: 'refused' });
      expect(observer.cluster.lease.state()).toEqual({ state: 'stopped' });
      expect(await world.machineOf(pod)).toBeNull();
    });
  });
}
