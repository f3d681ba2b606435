import type { AskedPods, CardCatalogue, OfferedCards, PodVerdict } from '@springtide/ports/admission';
import { aCardTemplate, anAskedPod } from '@springtide/testkit/builders';
import { describe, expect, test } from 'vitest';
import { templatedPods } from './index.ts';

const TEMPLATES = [
  aCardTemplate('whole-2', { cards: 2 }),
  aCardTemplate('slice-10g', { granularity: 'slice', memoryMiB: 10_240, computePercent: 25 }),
  aCardTemplate('search', {
    pool: 'search',
    tolerations: [{ key: 'team', operator: 'Equal', value: 'search', effect: 'NoSchedule' }],
  }),
  aCardTemplate('ghost', {
    granularity: 'slice',
    memoryMiB: 1,
    resources: ['kunlunxin.com/xpu', 'unknown.example/card'],
  }),
];

const cut: OfferedCards = { memoryMiBMax: 81_920, isCut: true };
const uncut: OfferedCards = { memoryMiBMax: 81_920, isCut: false };

function judge(asked: AskedPods, offered: Record<string, OfferedCards> = {}): Promise<PodVerdict> {
  const catalogue: CardCatalogue = {
    template: (name) => Promise.resolve(TEMPLATES.find((each) => each.name === name) ?? null),
    templateNames: () => TEMPLATES.map(({ name }) => name),
    cards: () => new Map(Object.entries(offered)),
  };
  return templatedPods(asked, 'springtide', catalogue);
}

const named = (own: string, ofPods = own, former = ''): Pick<AskedPods, 'template'> => ({
  template: { own, ofPods, former },
});

/** The limits that a pod gets. */
async function limitsOf(asked: AskedPods, offered: Record<string, OfferedCards> = {}): Promise<object> {
  const verdict = await judge(asked, offered);
  if (verdict.verdict === 'refused') throw new Error(verdict.message);
  return Object.fromEntries(verdict.changes.limits);
}

async function refusalOf(asked: AskedPods, offered: Record<string, OfferedCards> = {}): Promise<string> {
  const verdict = await judge(asked, offered);
  return verdict.verdict === 'refused' ? verdict.message : '';
}

describe('P3: a pod that names a template', () => {
  test('gets resources, our scheduler and tolerations', async () => {
    expect(await judge(anAskedPod({}, named('search')))).toEqual({
      verdict: 'admitted',
      changes: {
        schedulerName: 'springtide',
        limits: new Map([['nvidia.com/gpu', 1]]),
        tolerations: [
          { key: 'nvidia.com/gpu', operator: 'Exists', value: '', effect: 'NoSchedule' },
          { key: 'team', operator: 'Equal', value: 'search', effect: 'NoSchedule' },
        ],
        labels: new Map([['springtide.io/pool', 'search']]),
      },
      warnings: [],
    });
  });

  test('of the cards that the cluster has, cut where that is asked for', async () => {
    const slice = anAskedPod({}, named('slice-10g'));
    const ascend = { 'huawei.com/Ascend910B3': 1, 'huawei.com/Ascend910B3-memory': 10_240 };
    expect(await limitsOf(slice, { 'huawei.com/Ascend910B3': cut })).toEqual(ascend);
    expect(await limitsOf(slice, { 'nvidia.com/gpu': uncut, 'huawei.com/Ascend910B3': cut })).toEqual(ascend);
    expect(await limitsOf(slice, { 'nvidia.com/gpu': cut, 'huawei.com/Ascend910B3': cut })).toMatchObject({
      'nvidia.com/gpumem': 10_240,
    });
    const whole = anAskedPod({}, named('whole-2'));
    expect(await limitsOf(whole, { 'huawei.com/Ascend910': uncut })).toEqual({ 'huawei.com/Ascend910': 2 });
    expect(await limitsOf(whole)).toEqual({ 'nvidia.com/gpu': 2 });
  });

  test('of the vendor that it names', async () => {
    const asked = anAskedPod({}, { ...named('slice-10g'), vendor: 'ascend' });
    expect(await limitsOf(asked, { 'nvidia.com/gpu': cut, 'huawei.com/Ascend910B4': cut })).toMatchObject({
      'huawei.com/Ascend910B4': 1,
    });
  });

  test('is told when no card of the cluster can be cut so', async () => {
    const verdict = await judge(anAskedPod({}, named('slice-10g')), { 'nvidia.com/gpu': uncut });
    expect(verdict).toMatchObject({
      verdict: 'admitted',
      warnings: [expect.stringContaining('No card of nvidia.com/gpu in this cluster can be cut')],
    });
  });

  test('is the same when it is asked again: what it got is no conflict', async () => {
    const got = { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '10240', 'nvidia.com/gpucores': '25' };
    const asked = anAskedPod(got, { ...named('slice-10g'), schedulerName: 'springtide' });
    const verdict = await judge(asked);
    expect(verdict).toMatchObject({ verdict: 'admitted', changes: { schedulerName: null } });
  });
});

describe('what cannot be is refused in one sentence, in both languages', () => {
  const label = 'metadata.labels["springtide.io/template"]';
  test('a name that there is not, with those that there are', async () => {
    expect(await refusalOf(anAskedPod({}, named('whole-3')))).toBe(
      `${label}: there is no card template whole-3; there are whole-2, slice-10g, search, ghost. / ${label}：没有名为 whole-3 的卡模板；现有 whole-2, slice-10g, search, ghost。`,
    );
  });

  test.each([
    [
      'cards of its own',
      anAskedPod({ 'nvidia.com/gpu': '1' }, named('whole-2')),
      'spec.containers[0].resources.limits["nvidia.com/gpu"]: the card template whole-2 sets the cards',
    ],
    [
      'another scheduler',
      anAskedPod({}, { ...named('whole-2'), schedulerName: 'volcano' }),
      'spec.schedulerName is volcano: pods of a card template are placed by springtide',
    ],
    [
      'another pool',
      anAskedPod({}, { ...named('search'), pool: 'other' }),
      'metadata.labels["springtide.io/pool"] is other, and the card template search is of the pool search',
    ],
    ['no container', anAskedPod({}, { ...named('whole-2'), containers: [], mainContainer: -1 }), 'no container'],
    [
      'a vendor that there is not',
      anAskedPod({}, { ...named('whole-2'), vendor: 'acme' }),
      'metadata.labels["springtide.io/vendor"]: there is no card vendor acme; there are nvidia, ascend',
    ],
    [
      'a vendor that cannot do it',
      anAskedPod({}, { ...named('slice-10g'), vendor: 'biren' }),
      'cards of biren cannot be given as the card template slice-10g asks; those of nvidia, ascend',
    ],
    ['a template that cannot be made', anAskedPod({}, named('ghost')), 'kunlunxin.com/xpu, unknown.example/card'],
  ])('%s', async (_, asked, want) => {
    const [english = '', chinese = ''] = (await refusalOf(asked)).split(' / ');
    expect(english).toContain(want);
    expect(chinese).toMatch(/\p{Script=Han}/u);
  });
});

describe('a workload', () => {
  const prefix = 'spec.template.';
  const workload = (own: string, ofPods: string, former = ''): AskedPods =>
    anAskedPod({}, { prefix, ...named(own, ofPods, former) });

  /** The name that its pods get; undefined: they keep theirs, null: they lose it. */
  async function passedOn(asked: AskedPods): Promise<string | null | undefined> {
    const verdict = await judge(asked);
    if (verdict.verdict === 'refused') throw new Error(verdict.message);
    expect(verdict.changes).toMatchObject({ schedulerName: null, limits: new Map(), tolerations: [] });
    return verdict.changes.labels.get('springtide.io/template');
  }

  test('passes the name on to its pods, and nothing else, however often it is applied', async () => {
    expect(await passedOn(workload('whole-2', ''))).toBe('whole-2');
    expect(await passedOn(workload('whole-2', 'whole-2', 'whole-2'))).toBe('whole-2');
  });

  test('takes its pods along when it names another, or none any more', async () => {
    expect(await passedOn(workload('slice-10g', 'whole-2', 'whole-2'))).toBe('slice-10g');
    expect(await passedOn(workload('', 'whole-2', 'whole-2'))).toBeNull();
    expect(await passedOn(workload('', '', 'whole-2'))).toBeUndefined();
  });

  test('that names one for itself and one for its pods is refused', async () => {
    expect(await refusalOf(workload('slice-10g', 'whole-2'))).toContain(
      'spec.template.metadata.labels["springtide.io/template"] is whole-2, and metadata.labels["springtide.io/template"] is slice-10g',
    );
  });

  test('is refused for what its pods would be refused for', async () => {
    expect(await refusalOf(workload('whole-3', ''))).toContain('there is no card template whole-3');
    const asked = anAskedPod({ 'nvidia.com/gpu': '2' }, { prefix, ...named('whole-2', '') });
    expect(await refusalOf(asked)).toContain('spec.template.spec.containers[0].resources.limits["nvidia.com/gpu"]');
  });
});
