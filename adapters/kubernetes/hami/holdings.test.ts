import { kubeNode, kubePod } from '@springtide/testkit/kubectl';
import { describe, expect, test } from 'vitest';
import { fieldsOf } from '../fields.ts';
import { makeMachine } from '../make-machine.ts';
import { RACK_LABELS, readNode } from '../node.ts';
import { readPod } from '../observed-pod.ts';
import { hamiHoldings, type Holdings } from './holdings.ts';
import { encodeRegister } from './register.ts';

type Texts = Readonly<Record<string, string>>;

const REGISTER = encodeRegister(
  ['hami-core', 'mig'].map((mode, index) => ({
    id: `GPU-${index}`,
    index,
    count: 10,
    memoryMiB: 40_960,
    cores: 100,
    type: 'NVIDIA A100-SXM4-40GB',
    numa: 0,
    mode,
    isHealthy: true,
  })),
);

/** What a pod of so many init containers and containers holds on a node of one shared card and one in MIG mode. */
function held(annotations: Texts, counts: { init: number; app: number }): Holdings {
  const annotated = { annotations: { 'hami.io/node-nvidia-register': REGISTER } };
  const node = kubeNode('node-a', { ...annotated, capacity: { 'nvidia.com/gpu': '20' } });
  const { cards } = makeMachine(
    readNode(fieldsOf(node, null), { rackLabels: RACK_LABELS, cluster: '' }),
    false,
    (id) => id,
  );
  const containers = (count: number): object[] => Array.from({ length: count }, (_, i) => ({ name: `c${i}` }));
  const spec = { containers: containers(counts.app), initContainers: containers(counts.init) };
  const pod = kubePod('a/b', 'node-a', { annotations, spec });
  return hamiHoldings(readPod(fieldsOf(pod, null), { tenantLabel: '' }), cards);
}

function allocated(value: string): Texts {
  return { 'hami.io/vgpu-devices-allocated': value };
}

const A = (memoryMiB: number, cores = 0): string => `GPU-0,NVIDIA,${memoryMiB},${cores}:;`;

describe('H3: what a pod holds, by its annotations', () => {
  test('an init container and a container after it take the larger of both', () => {
    const { held: slices } = held(allocated(A(9000) + A(3000)), { init: 1, app: 1 });
    expect(slices).toEqual([{ cardId: 'GPU-0', memoryMiB: 9000, computeMilli: 0, migStart: null }]);
  });

  test('where entries of containers without a card are lost, all that is named counts as running together', () => {
    const { held: slices } = held(allocated(A(9000) + A(3000)), { init: 1, app: 2 });
    expect(slices?.[0]).toEqual({ cardId: 'GPU-0', memoryMiB: 12_000, computeMilli: 0, migStart: null });
  });

  test('each container on a card takes one of the parts that the plug-in hands out', () => {
    const { held: slices } = held(allocated(A(3000, 10) + A(5000, 20)), { init: 0, app: 2 });
    expect(slices).toEqual([
      { cardId: 'GPU-0', memoryMiB: 8000, computeMilli: 300, migStart: null },
      { cardId: 'GPU-0', memoryMiB: 0, computeMilli: 0, migStart: null },
    ]);
  });

  test('an instance as older releases name it has the place that its number says', () => {
    const { held: slices } = held(allocated('GPU-1[0-1],NVIDIA,4864,14:;'), { init: 0, app: 1 });
    expect(slices).toEqual([{ cardId: 'GPU-1', memoryMiB: 5120, computeMilli: 140, migStart: 1 }]);
  });

  test('a card that is not there any more hides none of those that are', () => {
    const { held: slices, problems } = held(allocated(`GPU-9,NVIDIA,1000,0:${A(3000)}`), { init: 0, app: 1 });
    expect(slices?.map(({ cardId }) => cardId)).toEqual(['GPU-9', 'GPU-0']);
    expect(problems).toEqual([{ problem: 'unknown-card', pod: 'a/b', node: 'node-a', card: 'GPU-9' }]);
  });

  test('a value that cannot be read names nothing', () => {
    const { held: slices, problems } = held(allocated('GPU-0,NVIDIA,bad,0:;'), { init: 0, app: 1 });
    expect(slices).toBeNull();
    expect(problems).toHaveLength(1);
  });
});
