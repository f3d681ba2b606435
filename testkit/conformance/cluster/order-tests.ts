import type { PodRef } from '@springtide/ports/cluster';
import { describe, expect, test } from 'vitest';
import { Observer } from './observer.ts';
import type { WorldOf } from './suite.ts';
import { SLICED_CARD_MIB } from './world.ts';

export function orderTests(worldOf: WorldOf): void {
  binding(worldOf);
  bindingInTurn(worldOf);
  evicting(worldOf);
  telling(worldOf);
  ending(worldOf);
}

function binding(worldOf: WorldOf): void {
  describe('what it does: a bind', () => {
    test('puts a pod on a machine, and is seen', async () => {
      const world = worldOf();
      const machine = await world.addMachine({ cards: 1 });
      const pod = await world.addPod('a', { cards: 1 });
      const observer = await new Observer(world, 'a').sync();
      const orders = observer.cluster.orders(await observer.lead());
      expect(await observer.await(orders.bind({ pod, machine, slices: [] }))).toEqual({ answer: 'bound' });
      expect(await world.machineOf(pod)).toBe(machine);
      await observer.until(() => observer.pods.get(pod.uid)?.machine === machine, 'the binding is seen');
      await observer.until(() => observer.pods.get(pod.uid)?.isReady === true, 'the pod runs');
      expect(observer.pods.get(pod.uid)).toMatchObject({ phase: 'Running', verdict: null });
      expect(await observer.await(orders.lookUp(pod))).toEqual({ answer: 'found', machine, isDeleting: false });
    });

    test('gives the very parts of cards that were chosen, where a plug-in cuts them', async () => {
      const world = worldOf();
      const machine = await world.addMachine({ cards: 2, isSliced: true });
      const pod = await world.addPod('a', { cards: 1, sliceMiB: 4096 });
      const observer = await new Observer(world, 'a').sync();
      const orders = observer.cluster.orders(await observer.lead());
      const card = observer.machines.get(machine)?.cards[1];
      expect(card).toMatchObject({ slicing: 'memory', memoryMiB: SLICED_CARD_MIB });
      expect(observer.pods.get(pod.uid)).toMatchObject({ machine: null, held: null });
      const slices = [{ cardId: card?.id ?? '', memoryMiB: 4096, computeMilli: 0, migStart: null }];
      expect(await observer.await(orders.bind({ pod, machine, slices }))).toEqual({ answer: 'bound' });
      await observer.until(() => observer.pods.get(pod.uid)?.machine === machine, 'the binding is seen');
      expect(observer.pods.get(pod.uid)?.held).toEqual(slices);
    });

    test('of a pod that is bound is refused, wherever to', async () => {
      const world = worldOf();
      const [first, second] = [await world.addMachine(), await world.addMachine()];
      const pod = await world.addPod('a');
      const observer = await new Observer(world, 'a').sync();
      const orders = observer.cluster.orders(await observer.lead());
      await observer.await(orders.bind({ pod, machine: first, slices: [] }));
      for (const machine of [first, second]) {
        const answer = await observer.await(orders.bind({ pod, machine, slices: [] }));
        expect(answer).toMatchObject({ answer: 'conflict', failure: { code: 'conflict', retry: 'on-change' } });
      }
      expect(await world.machineOf(pod)).toBe(first);
    });

    test('of a pod that is gone, or was made anew, does nothing', async () => {
      const world = worldOf();
      const machine = await world.addMachine();
      const pod = await world.addPod('a');
      const observer = await new Observer(world, 'a').sync();
      const orders = observer.cluster.orders(await observer.lead());
      await world.deletePod(pod);
      expect(await observer.await(orders.bind({ pod, machine, slices: [] }))).toMatchObject({ answer: 'gone' });
      const second = await world.addPod('a');
      expect(await observer.await(orders.bind({ pod, machine, slices: [] }))).toMatchObject({ answer: 'gone' });
      expect(await observer.await(orders.lookUp(pod))).toEqual({ answer: 'gone' });
      expect(await world.machineOf(second)).toBeNull();
    });
  });
}

function bindingInTurn(worldOf: WorldOf): void {
  describe('binds', () => {
    test('of many at once, each once', async () => {
      const world = worldOf();
      const machine = await world.addMachine();
      const pods: PodRef[] = [];
      for (let i = 0; i < 20; i += 1) pods.push(await world.addPod(`p${i}`));
      const observer = await new Observer(world, 'a').sync();
      const orders = observer.cluster.orders(await observer.lead());
      const answers = await observer.await(Promise.all(pods.map((pod) => orders.bind({ pod, machine, slices: [] }))));
      expect(new Set(answers.map(({ answer }) => answer))).toEqual(new Set(['bound']));
      await observer.until(() => pods.every(({ uid }) => observer.pods.get(uid)?.machine === machine), 'all are seen');
    });
  });
}

function evicting(worldOf: WorldOf): void {
  describe('an eviction', () => {
    test('ends a pod, says so on it, and ends no other of its name', async () => {
      const world = worldOf();
      const machine = await world.addMachine();
      const pod = await world.addPod('a');
      const observer = await new Observer(world, 'a').sync();
      const orders = observer.cluster.orders(await observer.lead());
      await observer.await(orders.bind({ pod, machine, slices: [] }));
      const order = { pod, reason: 'Preempted', message: 'for team/b' };
      expect(await observer.await(orders.evict(order))).toEqual({ answer: 'evicted' });
      await observer.until(() => observer.gone.has(pod.uid), 'it is gone');
      await observer.until(
        async () => (await world.eventsOf(pod)).some(({ reason }) => reason === 'Preempted'),
        'it is told',
      );
      const second = await world.addPod('a');
      expect(await observer.await(orders.evict(order))).toMatchObject({ answer: 'gone' });
      expect(await world.machineOf(second)).toBeNull();
    });

    test('waits for a disruption budget', async () => {
      const world = worldOf();
      const machine = await world.addMachine();
      const pod = await world.addPod('a', { labels: { app: 'x' } });
      await world.addBudget('b', 'x', 1);
      const observer = await new Observer(world, 'a').sync();
      const orders = observer.cluster.orders(await observer.lead());
      await observer.await(orders.bind({ pod, machine, slices: [] }));
      await observer.until(() => observer.pods.get(pod.uid)?.isReady === true, 'it runs');
      const order = { pod, reason: 'Preempted', message: 'for team/b' };
      const answer = await observer.await(orders.evict(order));
      expect(answer).toMatchObject({ answer: 'blocked', failure: { code: 'budget', retry: 'later' } });
      expect(observer.budgets.get(`${world.namespace}/b`)).toMatchObject({ disruptionsAllowed: 0 });
      await world.removeBudget('b');
      await observer.until(() => !observer.budgets.has(`${world.namespace}/b`), 'the budget is gone');
      expect(await observer.await(orders.evict(order))).toEqual({ answer: 'evicted' });
      await observer.until(() => observer.gone.has(pod.uid), 'it is gone');
    });
  });
}

function telling(worldOf: WorldOf): void {
  describe('a word about a pod', () => {
    test('why it waits is on the pod, and the newest counts', async () => {
      const world = worldOf();
      const pod = await world.addPod('a');
      const observer = await new Observer(world, 'a').sync();
      const orders = observer.cluster.orders(await observer.lead());
      for (const message of ['no card is free', 'no machine is in the rack']) {
        const verdict = { reason: 'Unschedulable', message };
        expect(await observer.await(orders.report({ pod, ...verdict }))).toEqual({ answer: 'written' });
        await observer.until(() => observer.pods.get(pod.uid)?.verdict?.message === message, 'the verdict is seen');
        expect(observer.pods.get(pod.uid)?.verdict).toEqual(verdict);
      }
      await world.deletePod(pod);
      const answer = await observer.await(orders.report({ pod, reason: 'Unschedulable', message: 'x' }));
      expect(answer).toMatchObject({ answer: 'gone' });
      await world.addPod('a');
      expect(await observer.await(orders.report({ pod, reason: 'Unschedulable', message: 'x' }))).toMatchObject({
        answer: 'gone',
      });
    });

    test('where room is made for it, until that is taken back', async () => {
      const world = worldOf();
      const machine = await world.addMachine();
      const pod = await world.addPod('a');
      const observer = await new Observer(world, 'a').sync();
      const orders = observer.cluster.orders(await observer.lead());
      for (const nominated of [machine, null]) {
        expect(await observer.await(orders.nominate({ pod, machine: nominated }))).toEqual({ answer: 'written' });
        await observer.until(() => observer.pods.get(pod.uid)?.nominatedMachine === nominated, 'it is seen');
      }
    });

    test('an event is told once, however often it is repeated', async () => {
      const world = worldOf();
      const pod = await world.addPod('a');
      const observer = await new Observer(world, 'a').sync();
      const event = {
        about: { kind: 'pod', pod },
        type: 'Warning',
        reason: 'FailedScheduling',
        action: 'Scheduling',
        note: 'no card',
      } as const;
      expect([1, 2, 3].map(() => observer.cluster.record(event))).toEqual(['kept', 'folded', 'folded']);
      await observer.until(async () => (await world.eventsOf(pod)).length > 0, 'it is told');
      expect(await world.eventsOf(pod)).toMatchObject([{ reason: 'FailedScheduling', note: 'no card' }]);
    });
  });
}

function ending(worldOf: WorldOf): void {
  test('a pod that ends is gone, with how it ended', async () => {
    const world = worldOf();
    const machine = await world.addMachine();
    const observer = await new Observer(world, 'a').sync();
    const orders = observer.cluster.orders(await observer.lead());
    for (const phase of ['Succeeded', 'Failed'] as const) {
      const pod = await world.addPod(phase.toLowerCase());
      await observer.await(orders.bind({ pod, machine, slices: [] }));
      await observer.until(() => observer.pods.get(pod.uid)?.phase === 'Running', 'it runs');
      await world.finishPod(pod, phase);
      await observer.until(() => observer.gone.has(pod.uid), 'it is gone');
      expect(observer.gone.get(pod.uid)).toBe(phase);
    }
  });
}
