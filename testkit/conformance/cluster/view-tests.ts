import type { IsolatedPool } from '@springtide/ports/cluster';
import { describe, expect, test } from 'vitest';
import { Observer } from './observer.ts';
import type { WorldOf } from './suite.ts';

export function viewTests(worldOf: WorldOf): void {
  describe('what it shows', () => {
    listing(worldOf);
    changing(worldOf);
    renewing(worldOf);
    taking(worldOf);
    breaking(worldOf);
    settingApart(worldOf);
  });
}

function listing(worldOf: WorldOf): void {
  test('everything that is there comes before the word that it is all', async () => {
    const world = worldOf();
    const machine = await world.addMachine({ cards: 4, labels: { rack: 'r1' } });
    const pod = await world.addPod('a', { cards: 2, labels: { app: 'x' } });
    await world.addBudget('b', 'x', 1);
    const observer = await new Observer(world, 'a').sync();
    const before = observer.log.slice(
      0,
      observer.log.findIndex((event) => event.kind === 'synced'),
    );
    const kinds = before.flatMap((event) => {
      if (event.kind === 'machine-seen' && event.machine.id === machine) return [event.kind];
      if (event.kind === 'pod-seen' && event.pod.uid === pod.uid) return [event.kind];
      return event.kind === 'budget-seen' && event.budget.id === `${world.namespace}/b` ? [event.kind] : [];
    });
    expect(new Set(kinds)).toEqual(new Set(['machine-seen', 'pod-seen', 'budget-seen']));
    expect(observer.machines.get(machine)).toMatchObject({ id: machine, cordoned: false });
    expect(observer.machines.get(machine)?.cards).toHaveLength(4);
    expect(observer.machines.get(machine)?.labels.get('rack')).toBe('r1');
    expect(observer.pods.get(pod.uid)).toMatchObject({
      pod: { id: `${world.namespace}/a`, request: { cards: { kind: 'whole', count: 2 } } },
      machine: null,
      phase: 'Pending',
      isGated: false,
      isDeleting: false,
      verdict: null,
    });
    expect(observer.cluster.view.freshness()).toMatchObject({ isSynced: true });
    expect(observer.log.filter((event) => event.kind === 'synced')).toHaveLength(1);
  });
}

function changing(worldOf: WorldOf): void {
  test('machines and pods as they come, change and go', async () => {
    const world = worldOf();
    const observer = await new Observer(world, 'a').sync();
    const machine = await world.addMachine();
    await observer.until(() => observer.machines.has(machine), 'the machine is seen');
    await world.cordon(machine);
    await observer.until(() => observer.machines.get(machine)?.cordoned === true, 'it is cordoned');
    const gated = await world.addPod('gated', { isGated: true });
    await observer.until(() => observer.pods.get(gated.uid)?.isGated === true, 'the pod is seen');
    await world.deletePod(gated);
    await observer.until(() => observer.gone.has(gated.uid), 'the pod is gone');
    await world.removeMachine(machine);
    await observer.until(() => !observer.machines.has(machine), 'the machine is gone');
  });
}

function renewing(worldOf: WorldOf): void {
  test('a pod that is made anew under its name is another one', async () => {
    const world = worldOf();
    const observer = await new Observer(world, 'a').sync();
    const first = await world.addPod('a');
    await observer.until(() => observer.pods.has(first.uid), 'the first is seen');
    await world.deletePod(first);
    const second = await world.addPod('a');
    await observer.until(() => observer.pods.has(second.uid) && observer.gone.has(first.uid), 'both are told');
    expect(second.uid).not.toBe(first.uid);
    const uids = observer.log.flatMap((event) => ('pod' in event && 'uid' in event.pod ? [event.pod.uid] : []));
    expect(uids.lastIndexOf(first.uid)).toBeLessThan(uids.indexOf(second.uid));
  });
}

function taking(worldOf: WorldOf): void {
  test('no more at a time than wanted, and a call when there is something again', async () => {
    const world = worldOf();
    const observer = await new Observer(world, 'a').sync();
    observer.drain();
    let calls = 0;
    const unsubscribe = observer.cluster.view.onReady(() => {
      calls += 1;
    });
    for (const name of ['a', 'b', 'c']) await world.addPod(name);
    const taken: unknown[] = [];
    for (let i = 0; i < 200 && taken.length < 3; i += 1) {
      const events = observer.cluster.view.take(1);
      expect(events.length).toBeLessThanOrEqual(1);
      taken.push(...events.filter((event) => event.kind === 'pod-seen' && event.pod.namespace === world.namespace));
      if (events.length === 0) await world.pass(20);
    }
    expect(taken).toHaveLength(3);
    expect(calls).toBeGreaterThan(0);
    unsubscribe();
  });
}

function breaking(worldOf: WorldOf): void {
  test('nothing is missed when connections break', async () => {
    const world = worldOf();
    const observer = await new Observer(world, 'a').sync();
    const stays = await world.addPod('stays');
    const goes = await world.addPod('goes');
    await observer.until(() => observer.pods.has(stays.uid) && observer.pods.has(goes.uid), 'both are seen');
    await world.disturb(() => observer.until(() => isCut(observer), 'it knows that it is cut off'));
    await world.deletePod(goes);
    const comes = await world.addPod('comes');
    await observer.until(() => observer.gone.has(goes.uid) && observer.pods.has(comes.uid), 'it has caught up');
    await observer.until(() => !isCut(observer), 'it knows that it is back');
    expect(observer.pods.has(stays.uid)).toBe(true);
  });
}

function settingApart(worldOf: WorldOf): void {
  test('P9: isolated pools as they come, are told of, and go', async () => {
    const world = worldOf();
    const name = await world.addPool('red', ['team', 'a']);
    const observer = await new Observer(world, 'a').sync();
    await observer.until(() => observer.pools.has(name), 'the pool is seen');
    const pool = observer.pools.get(name) as IsolatedPool;
    expect(pool).toMatchObject({ name, namespaces: [], status: null });
    expect(pool.selector).toEqual([{ key: 'team', operator: 'In', values: ['a'] }]);
    expect(pool.reason.length * pool.owner.length * pool.createdAtMs).toBeGreaterThan(0);

    const orders = observer.cluster.orders(await observer.lead());
    const status = { machines: 1, cards: 4, conflict: 'others', conflictSinceMs: 1_700_000_000_000 };
    expect(await observer.await(orders.writePoolStatus({ pool, status }))).toEqual({ answer: 'written' });
    expect(await world.cardsOfPool(name)).toBe(4);
    await observer.until(() => observer.pools.get(name)?.status !== null, 'the status is seen');
    expect(observer.pools.get(name)?.status).toEqual(status);

    await world.removePool(name);
    await observer.until(() => !observer.pools.has(name), 'the pool is gone');
    expect(await observer.await(orders.writePoolStatus({ pool, status }))).toMatchObject({ answer: 'gone' });
  });
}

function isCut(observer: Observer): boolean {
  return observer.cluster.view.freshness().watches.some(({ disconnectedSinceMs }) => disconnectedSinceMs !== null);
}
