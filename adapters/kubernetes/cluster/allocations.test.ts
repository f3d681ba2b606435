import type { BindOrder, ClusterEvent } from '@springtide/ports/cluster';
import { hamiRegister, type Json, kubeNode, kubePod } from '@springtide/testkit/kubectl';
import { expect, test } from 'vitest';
import { fieldsOf } from '../fields.ts';
import { Fleet } from './fleet.ts';

const OPTIONS = { rackLabels: [], cluster: '', tenantLabel: '', hasFractions: false };
const NOW_MS = Date.UTC(2026, 0, 1);

function withUid(object: Json): ReturnType<typeof fieldsOf> {
  const metadata = object['metadata'] as Json;
  return fieldsOf({ ...object, metadata: { ...metadata, uid: metadata['name'] } }, null);
}

/** A node with two cards cut by HAMi's plug-in, one with two that are only counted, and a pod that wants a slice. */
function fleet(): { fleet: Fleet; events: ClusterEvent[]; sliced: Json } {
  const events: ClusterEvent[] = [];
  const made = new Fleet(OPTIONS, (event) => events.push(event));
  const annotations = { 'hami.io/node-nvidia-register': hamiRegister('a', 2, 46_068) };
  const sliced = kubeNode('a', { capacity: { 'nvidia.com/gpu': '20' }, annotations });
  made.seeNode(withUid(sliced));
  made.seeNode(withUid(kubeNode('b', { capacity: { 'nvidia.com/gpu': '2' } })));
  const requests = { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '4096', 'nvidia.com/gpucores': '30' };
  made.seePod(withUid(kubePod('team/p', null, { requests })));
  return { fleet: made, events, sliced };
}

function order(machine: string, cardId: string): BindOrder {
  const slices = [{ cardId, memoryMiB: 4096, computeMilli: 300, migStart: null }];
  return { pod: { uid: 'p', namespace: 'team', name: 'p' }, machine, slices };
}

test('a plug-in is told which card, with the phase and the time, and locks its node', () => {
  const allocation = fleet().fleet.allocationOf(order('a', 'GPU-a-1'), NOW_MS);
  expect(allocation.ok && allocation.value).toMatchObject({
    lock: 'hami.io/mutex.lock',
    labels: new Map([['hami.io/vgpu-node', 'a']]),
    annotations: new Map([
      ['hami.io/vgpu-node', 'a'],
      ['hami.io/vgpu-time', String(NOW_MS / 1000)],
      ['hami.io/vgpu-devices-allocated', 'GPU-a-1,NVIDIA,4096,30:;'],
      ['hami.io/vgpu-devices-to-allocate', 'GPU-a-1,NVIDIA,4096,30:;'],
      ['hami.io/bind-phase', 'allocating'],
      ['hami.io/bind-time', String(NOW_MS / 1000)],
    ]),
  });
});

test('where Kubernetes alone counts the cards nothing is told', () => {
  expect(fleet().fleet.allocationOf(order('b', 'b/0'), NOW_MS)).toEqual({ ok: true, value: null });
});

test('a card that was unplugged meanwhile is given to nobody', () => {
  const { fleet: made } = fleet();
  expect(made.allocationOf(order('a', 'GPU-a-7'), NOW_MS)).toEqual({
    ok: false,
    error: 'there is no card GPU-a-7 on a',
  });
});

test('cards of a machine that is locked for long take no new work until that changes; others of it do', () => {
  const { fleet: made, events } = fleet();
  const healths = (): unknown => {
    const seen = events.findLast((event) => event.kind === 'machine-seen');
    return seen?.kind === 'machine-seen' && [seen.machine.id, ...seen.machine.cards.map(({ health }) => health)];
  };
  made.shun('a', true);
  expect(healths()).toEqual(['a', 'unknown', 'unknown']);
  made.shun('a', false);
  expect(healths()).toEqual(['a', 'ok', 'ok']);
  made.shun('b', true);
  expect(healths()).toEqual(['b', 'ok', 'ok']);
});

test('a lock or a heartbeat of a node tells nothing anew; a change does', () => {
  const { fleet: made, events, sliced } = fleet();
  const before = events.length;
  const { annotations, ...metadata } = sliced['metadata'] as { readonly annotations: Json };
  const locked = { ...annotations, 'hami.io/mutex.lock': '2026-01-01T00:00:00Z,team,p' };
  made.seeNode(withUid({ ...sliced, metadata: { ...metadata, annotations: locked } }));
  expect(events.length).toBe(before);
  made.seeNode(withUid({ ...sliced, spec: { unschedulable: true } }));
  expect(events.at(-1)).toMatchObject({ kind: 'machine-seen', machine: { id: 'a', cordoned: true } });
});
