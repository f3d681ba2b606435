import { describe, expect, test } from 'vitest';
import { type ContainerCards, hamiAllocation } from './allocation.ts';
import { CAMBRICON_NODE_LOCK, HAMI_NODE_LOCK } from './keys.ts';

const CARD: ContainerCards = { name: 'c', cards: [{ uuid: 'card-a', memoryMiB: 5120, cores: 20, index: 1 }] };
const NONE: ContainerCards = { name: 'sidecar', cards: [] };

function allocationOf(resource: string, containers: readonly ContainerCards[], initCount = 0) {
  const nowMs = 946_684_800_123;
  const pod = { annotations: new Map<string, string>(), register: null, nowMs };
  return hamiAllocation({ resource, machine: 'node-a', containers, initCount, ...pod });
}

describe('H3: what is written on a pod whose cards are chosen', () => {
  test('names the node and the time, and the node as a label too', () => {
    const allocation = allocationOf('nvidia.com/gpu', [CARD]);
    expect(Object.fromEntries(allocation?.annotations ?? [])).toEqual({
      'hami.io/vgpu-node': 'node-a',
      'hami.io/vgpu-time': '946684800',
      'hami.io/vgpu-devices-allocated': 'card-a,NVIDIA,5120,20:;',
      'hami.io/vgpu-devices-to-allocate': 'card-a,NVIDIA,5120,20:;',
    });
    expect(allocation?.labels).toEqual(new Map([['hami.io/vgpu-node', 'node-a']]));
  });

  test('keeps the entries of containers without a card, where HAMi itself loses them', () => {
    const allocation = allocationOf('nvidia.com/gpu', [NONE, CARD, NONE], 1);
    expect(allocation?.annotations.get('hami.io/vgpu-devices-allocated')).toBe(';card-a,NVIDIA,5120,20:;;');
  });

  test('takes the lock that the plug-in of the kind looks at, and none for a card of an init container alone', () => {
    const lockOf = (resource: string): string | undefined => allocationOf(resource, [CARD])?.lock;
    expect(lockOf('nvidia.com/gpu')).toBe(HAMI_NODE_LOCK);
    expect(lockOf('cambricon.com/vmlu')).toBe(CAMBRICON_NODE_LOCK);
    expect(lockOf('mthreads.com/vgpu')).toBe('');
    expect(allocationOf('nvidia.com/gpu', [CARD, NONE], 1)?.lock).toBe('');
  });

  test('is nothing for a resource that HAMi does not know', () => {
    expect(allocationOf('hygon.com/dcu', [CARD])).toBeNull();
  });
});
