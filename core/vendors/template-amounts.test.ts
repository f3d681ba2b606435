import { describe, expect, test } from 'vitest';
import type { CardTemplate } from '../model/index.ts';
import { cardResource, templateAmounts, VENDORS } from './index.ts';

function template(part: Partial<CardTemplate>): CardTemplate {
  const usual = { name: 't', cards: 1, memoryMiB: 0, computePercent: 0, priority: null, pool: '' };
  return { granularity: 'whole', resources: [], tolerations: [], ...usual, ...part };
}

const slice = template({ granularity: 'slice', memoryMiB: 10_240, computePercent: 25 });

function amounts(asked: CardTemplate, resource: string): object | null {
  const card = cardResource(resource);
  if (card === null) throw new Error(resource);
  const found = templateAmounts(asked, card);
  return found === null ? null : Object.fromEntries(found);
}

describe('P3, H1: a template becomes the resources of a vendor', () => {
  test.each([
    ['nvidia.com/gpu', { 'nvidia.com/gpu': 1, 'nvidia.com/gpumem': 10_240, 'nvidia.com/gpucores': 25 }],
    // Compute follows from the size that the card is cut to.
    ['huawei.com/Ascend910B3', { 'huawei.com/Ascend910B3': 1, 'huawei.com/Ascend910B3-memory': 10_240 }],
    // In units of 256 MiB.
    [
      'cambricon.com/vmlu',
      { 'cambricon.com/vmlu': 1, 'cambricon.com/mlu.smlu.vmemory': 40, 'cambricon.com/mlu.smlu.vcore': 25 },
    ],
    // 16 GiB is the next size, in halves of a GiB; a card has 16 cores.
    ['mthreads.com/vgpu', { 'mthreads.com/vgpu': 1, 'mthreads.com/sgpu-memory': 32, 'mthreads.com/sgpu-core': 4 }],
    ['kunlunxin.com/vxpu', { 'kunlunxin.com/vxpu': 1, 'kunlunxin.com/vxpu-memory': 24_576 }],
    ['kunlunxin.com/xpu', null],
    ['birentech.com/gpu', null],
  ])('10 GiB and a quarter of the compute of %s', (resource, want) => {
    expect(amounts(slice, resource)).toEqual(want);
  });

  test('whole cards are their number', () => {
    expect(amounts(template({ cards: 4 }), 'huawei.com/Ascend910')).toEqual({ 'huawei.com/Ascend910': 4 });
    expect(amounts(template({ cards: 4 }), 'hygon.com/dcunum')).toEqual({ 'hygon.com/dcunum': 4 });
    expect(amounts(template({}), 'nvidia.com/gpu.shared')).toBeNull();
  });

  test('slices of several cards only where the plug-in makes them', () => {
    const two = { ...slice, cards: 2 };
    expect(amounts(two, 'nvidia.com/gpu')).toMatchObject({ 'nvidia.com/gpu': 2 });
    expect(amounts(two, 'mthreads.com/vgpu')).toBeNull();
  });

  test('a priority goes where the plug-in has one', () => {
    const shared = template({ granularity: 'shared', memoryMiB: 4096, priority: 1 });
    expect(amounts(shared, 'nvidia.com/gpu')).toEqual({
      'nvidia.com/gpu': 1,
      'nvidia.com/gpumem': 4096,
      'nvidia.com/priority': 1,
    });
    expect(amounts({ ...shared, priority: null }, 'nvidia.com/gpu')).toMatchObject({ 'nvidia.com/priority': 1 });
    expect(amounts(shared, 'amd.com/gpu')).toEqual({ 'amd.com/gpu': 1, 'amd.com/gpumem': 4096 });
  });

  test('more memory than the largest size has is nothing that can be asked for', () => {
    expect(amounts({ ...slice, memoryMiB: 200_000 }, 'mthreads.com/vgpu')).toBeNull();
  });

  test('every vendor that has whole cards can give one', () => {
    for (const vendor of VENDORS) {
      expect(vendor.cards.some((resource) => templateAmounts(template({}), { vendor, resource }) !== null)).toBe(true);
    }
  });
});
