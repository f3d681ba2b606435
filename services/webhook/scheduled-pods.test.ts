import type { AskedPods, PodVerdict } from '@springtide/ports/admission';
import { anAskedPod } from '@springtide/testkit/builders';
import { describe, expect, test } from 'vitest';
import { scheduledPod } from './index.ts';

const CARDS = new Map([['nvidia.com/gpu', { memoryMiBMax: 81_920, isCut: true }]]);
const gpu = { 'nvidia.com/gpu': '1' };

const verdict = (asked: AskedPods): PodVerdict => scheduledPod(asked, 'springtide', CARDS);

function schedulerGiven(asked: AskedPods): string | null {
  const given = verdict(asked);
  if (given.verdict === 'refused') throw new Error(given.message);
  return given.changes.schedulerName;
}

describe('pods of a namespace that is ours', () => {
  test.each([
    ['a card', gpu, 'springtide'],
    ['a card of another vendor', { 'huawei.com/Ascend910B3': '1' }, 'springtide'],
    ['a slice alone, which is one card', { 'nvidia.com/gpumem': '1000' }, 'springtide'],
    ['an instance', { 'nvidia.com/mig-1g.10gb': '1' }, 'springtide'],
    ['no card', { 'nvidia.com/gpu': '0' }, null],
    ['nothing', {}, null],
  ])('that ask for %s get our scheduler or keep theirs', (_, limits, want) => {
    expect(schedulerGiven(anAskedPod(limits as Record<string, string>))).toBe(want);
  });

  test('that name a scheduler on purpose keep it, and what they ask for is none of our business', () => {
    const theirs = { schedulerName: 'volcano' };
    expect(schedulerGiven(anAskedPod(gpu, theirs))).toBeNull();
    expect(schedulerGiven(anAskedPod({ 'nvidia.com/gpumem': '3Gi' }, theirs))).toBeNull();
    expect(schedulerGiven(anAskedPod(gpu, { schedulerName: 'springtide' }))).toBeNull();
    expect(schedulerGiven(anAskedPod(gpu, { schedulerName: '' }))).toBe('springtide');
  });

  test('that name a template by an annotation are told to use a label', () => {
    const asked = anAskedPod({}, { hasAnnotatedTemplate: true });
    expect(verdict(asked)).toMatchObject({ verdict: 'refused', message: expect.stringContaining('is not read') });
  });
});

describe('what no card can give is refused, by its field, in both languages', () => {
  const mem = 'spec.containers[0].resources.limits["nvidia.com/gpumem"]';
  test.each([
    [
      { ...gpu, 'nvidia.com/gpumem': '3Gi' },
      `${mem} is 3Gi: it counts 1 MiB of each card, without a suffix; for 3Gi write 3072. / ${mem} 是 3Gi：单位是每张卡 1 MiB，不带后缀；要 3Gi 请写 3072。`,
    ],
    [
      { ...gpu, 'nvidia.com/gpumem': '3000000' },
      `${mem} is 3000000: it counts 1 MiB of each card, and no card has that much. / ${mem} 是 3000000：单位是每张卡 1 MiB，没有这么大的卡。`,
    ],
    [
      { ...gpu, 'nvidia.com/gpumem-percentage': '101' },
      'spec.containers[0].resources.limits["nvidia.com/gpumem-percentage"] is 101: percent of a card’s memory, 1 to 100. / spec.containers[0].resources.limits["nvidia.com/gpumem-percentage"] 是 101：应为卡显存的百分比，1 到 100。',
    ],
    [
      { ...gpu, 'nvidia.com/gpucores': '200' },
      'spec.containers[0].resources.limits["nvidia.com/gpucores"] is 200: a whole card has 100. / spec.containers[0].resources.limits["nvidia.com/gpucores"] 是 200：整张卡是 100。',
    ],
    [
      // Counted in 256 MiB.
      { 'cambricon.com/vmlu': '1', 'cambricon.com/mlu.smlu.vmemory': '8Gi' },
      'spec.containers[0].resources.limits["cambricon.com/mlu.smlu.vmemory"] is 8Gi: it counts 256 MiB of each card, without a suffix; for 8Gi write 32. / spec.containers[0].resources.limits["cambricon.com/mlu.smlu.vmemory"] 是 8Gi：单位是每张卡 256 MiB，不带后缀；要 8Gi 请写 32。',
    ],
  ])('%j', (limits, message) => {
    expect(verdict(anAskedPod(limits as Record<string, string>))).toEqual({ verdict: 'refused', message });
  });

  test.each([
    [{ ...gpu, 'nvidia.com/gpumem': '90000' }, 'the largest card of nvidia.com/gpu in this cluster has 81920 MiB'],
    [{ ...gpu, 'huawei.com/Ascend910': '1' }, 'asks for nvidia.com/gpu, huawei.com/Ascend910: it will wait'],
    [{ ...gpu, 'nvidia.com/gpucores': '30' }, 'give nvidia.com/gpumem too to share it'],
  ])('what will hardly be as it was meant is admitted with a warning: %j', (limits, warning) => {
    const given = verdict(anAskedPod(limits));
    expect(given).toMatchObject({ verdict: 'admitted', warnings: [expect.stringContaining(warning)] });
  });

  test.each([
    [{ ...gpu, 'nvidia.com/gpumem': '81920', 'nvidia.com/gpucores': '100' }],
    [{ ...gpu, 'nvidia.com/gpumem-percentage': '100' }],
    [{ ...gpu, 'nvidia.com/gpucores': '100' }],
    [{ 'amd.com/gpu': '1', 'amd.com/gpumem': '190000' }],
  ])('what can be is not talked about: %j', (limits) => {
    expect(verdict(anAskedPod(limits as Record<string, string>))).toMatchObject({ verdict: 'admitted', warnings: [] });
  });
});
