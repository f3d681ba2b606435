import type { Card } from '@springtide/core/model';
import { PRODUCTS } from '@springtide/testkit/builders';
import { describe, expect, test } from 'vitest';
import type { Containers, ContainerUse } from '../effective.ts';
import { cardName, type ChosenCard, shareOut } from './share-out.ts';

const GPU = 'nvidia.com/gpu';

function use(name: string, requests: Readonly<Record<string, number>>, isSidecar = false): ContainerUse {
  return { name, isSidecar, requests: new Map(Object.entries(requests)) };
}

function chosen(index: number, memoryMiB: number, computeMilli: number, card: Partial<Card> = {}): ChosenCard {
  const more = { id: `GPU-${index}`, island: 0, health: 'ok', sharesMax: 10, ...card } as const;
  return { card: { ...PRODUCTS.a100, ...more }, uuid: `GPU-${index}`, index, memoryMiB, computeMilli };
}

function parts(containers: Containers, resource: string, cards: readonly ChosenCard[]): unknown {
  return shareOut(containers, resource, cards).map(({ name, cards: own }) => {
    return [name, own.map(({ uuid, memoryMiB, cores }) => `${uuid} ${memoryMiB} ${cores}`).join(', ')];
  });
}

describe('H3: chosen cards go to the containers', () => {
  test('in their order, each with its own size, and never more than the pod is charged', () => {
    const app = [
      use('a', { [GPU]: 1, 'nvidia.com/gpumem': 3000, 'nvidia.com/gpucores': 20 }),
      use('b', {}),
      use('c', { [GPU]: 1, 'nvidia.com/gpumem': 5000, 'nvidia.com/gpucores': 30 }),
    ];
    const cards = [chosen(0, 5000, 300), chosen(1, 5000, 300)];
    expect(parts({ init: [], app }, GPU, cards)).toEqual([
      ['a', 'GPU-0 3000 20'],
      ['b', ''],
      ['c', 'GPU-1 5000 30'],
    ]);
  });

  test('init containers use the first cards before the others do; a sidecar keeps one of its own', () => {
    const init = [use('first', { [GPU]: 2, 'nvidia.com/gpumem': 1000 }), use('side', { [GPU]: 1 }, true)];
    const app = [use('main', { [GPU]: 1, 'nvidia.com/gpumem-percentage': 10 })];
    const cards = [chosen(0, 81_920, 1000), chosen(1, 81_920, 1000)];
    expect(parts({ init, app }, GPU, cards)).toEqual([
      ['first', 'GPU-0 1000 100, GPU-1 1000 100'],
      ['side', 'GPU-0 81920 100'],
      ['main', 'GPU-1 8192 100'],
    ]);
  });

  test('cores are in the units of the vendor', () => {
    const app = [use('main', { 'mthreads.com/vgpu': 1, 'mthreads.com/sgpu-memory': 32, 'mthreads.com/sgpu-core': 3 })];
    const cards = [chosen(0, 16_384, 187, { resource: 'mthreads.com/vgpu' })];
    expect(parts({ init: [], app }, 'mthreads.com/vgpu', cards)).toEqual([['main', 'GPU-0 16384 3']]);
  });

  test('a template has the size that it is charged, and no cores of its own', () => {
    const resource = 'huawei.com/Ascend910B4';
    const app = [use('main', { [resource]: 1, [`${resource}-memory`]: 5000 })];
    const cards = [chosen(0, 8192, 250, { resource, slicing: 'template' })];
    expect(parts({ init: [], app }, resource, cards)).toEqual([['main', 'GPU-0 8192 0']]);
  });

  test.each([
    [GPU, 'GPU-a', 'GPU-a'],
    [GPU, 'node-a/GPU-a', 'GPU-a'],
    ['kunlunxin.com/xpu', 'node-a/3', 'node-a-kunlun-3'],
    ['cambricon.com/vmlu', 'node-a-cambricon-mlu-3', 'node-a-cambricon-mlu-3'],
  ])('the name of a card of %s', (resource, id, want) => {
    expect(cardName(resource, 'node-a', id, 3)).toBe(want);
  });
});
