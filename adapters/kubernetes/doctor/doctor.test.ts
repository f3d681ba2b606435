import { kubeNode, kubePod, type PodSketch } from '@springtide/testkit/kubectl';
import { describe, expect, test } from 'vitest';
import { fieldsOf } from '../fields.ts';
import { RACK_LABELS, readNode } from '../node.ts';
import { cardFindings, offerOf } from './cards.ts';
import { aheadOf, clockFinding } from './clock.ts';
import type { Finding } from './finding.ts';
import { certificateFinding } from './own-webhook.ts';
import { countPod, type SchedulerCount, schedulerFindings } from './schedulers.ts';
import { checkApis, versionFinding } from './server.ts';
import { seesPods, webhookFinding } from './webhooks.ts';

function told({ level, found }: Finding): string {
  return `${level} ${found.key.replace('doctor.', '')}`;
}

describe('the version', () => {
  test.each([
    ['v1.37.2', 'ok server.tested'],
    ['v1.31.4-eks-2d5f260', 'ok server.known'],
    ['v1.28.0+k3s1', 'ok server.known'],
    ['v1.27.9', 'problem server.old'],
    ['v1.40.0', 'warning server.new'],
    ['', 'problem server.old'],
  ])('%s: %s', (version, want) => {
    expect(told(versionFinding(version))).toBe(want);
  });
});

test('what is not served is told, and where gangs are read', () => {
  const all = 'apps batch policy storage.k8s.io scheduling.k8s.io events.k8s.io coordination.k8s.io';
  const served = `${all} rbac.authorization.k8s.io apiextensions.k8s.io`.split(' ').map((group) => `${group}/v1`);
  const apis = (...names: string[]): Finding[] => checkApis(new Set([...served, ...names]));
  expect(apis().map(told)).toEqual(['ok apis.all', 'ok apis.gangs']);
  expect(apis()[1]?.found.values).toEqual({ groups: 'batch' });
  expect(apis('scheduling.k8s.io/v1beta1', 'kubeflow.org/v1')[1]?.found.values).toEqual({
    groups: 'batch, scheduling.k8s.io, kubeflow.org',
  });
  const without = checkApis(new Set(served.filter((name) => name !== 'policy/v1')));
  expect(without[0]).toMatchObject({ level: 'problem', found: { values: { apis: 'policy/v1' } } });
});

describe('the clock', () => {
  test.each([
    [{ sentMs: 10_200, heardMs: 10_300, serverMs: 10_000 }, 0],
    [{ sentMs: 10_900, heardMs: 11_100, serverMs: 11_000 }, 0],
    [{ sentMs: 10_000, heardMs: 10_100, serverMs: 310_000 }, 299_900],
    [{ sentMs: 310_000, heardMs: 310_100, serverMs: 10_000 }, -299_000],
  ])('%j: %i ms', (times, want) => {
    expect(aheadOf(times)).toBe(want);
  });

  test('five minutes off is told, with the direction', () => {
    expect(told(clockFinding({ user: '', aheadMs: 4000 }))).toBe('ok clock.same');
    expect(clockFinding({ user: '', aheadMs: 300_000 })).toMatchObject({
      level: 'warning',
      found: { key: 'doctor.clock.behind', values: { seconds: 300 } },
    });
    expect(told(clockFinding({ user: '', aheadMs: -300_000 }))).toBe('warning clock.ahead');
  });
});

describe('cards', () => {
  type NodeWish = Parameters<typeof kubeNode>[1];
  const offer = (nodes: readonly (readonly [string, NodeWish])[]): readonly Finding[] => {
    const drafts = nodes.map(([name, wish]) =>
      readNode(fieldsOf(kubeNode(name, wish), null), { rackLabels: RACK_LABELS, cluster: '' }),
    );
    return cardFindings(offerOf(drafts, []));
  };
  const gpus = (count: string): Record<string, string> => ({ 'nvidia.com/gpu': count });

  test('are counted by resource, MIG instances too', () => {
    const found = offer([
      ['a', { capacity: gpus('8') }],
      ['b', { capacity: gpus('8') }],
      ['c', { capacity: { 'huawei.com/Ascend910': '8', 'nvidia.com/mig-1g.10gb': '7' } }],
      ['d', {}],
    ]);
    expect(found.map(told)).toEqual(['ok cards.offered']);
    expect(found[0]?.found.values).toEqual({
      cards: '16 nvidia.com/gpu, 8 huawei.com/Ascend910, 7 nvidia.com/mig-1g.10gb',
      nodes: 4,
    });
  });

  test.each([
    [{ 'nvidia.com/gpu.product': 'Tesla-T4' }],
    [{ 'nvidia.com/gpu.present': 'true' }],
    [{ 'feature.node.kubernetes.io/pci-0302_10de.present': 'true' }],
    [{ 'feature.node.kubernetes.io/pci-1200_19e5.present': 'true' }],
  ])('that labels tell of and no plug-in offers are a problem: %j', (labels) => {
    const found = offer([
      ['a', { capacity: gpus('8') }],
      ['mute', { labels }],
    ]);
    expect(found.map(told)).toEqual(['ok cards.offered', 'problem cards.silent']);
    expect(found[1]?.found.values).toEqual({ nodes: 'mute', count: 1 });
  });

  test('a display of a server is no card', () => {
    expect(
      offer([['a', { labels: { 'feature.node.kubernetes.io/pci-0300_1a03.present': 'true' } }]]).map(told),
    ).toEqual(['warning cards.none']);
  });

  test('that are sick are told, even all of a machine', () => {
    const found = offer([
      ['a', { capacity: gpus('8'), allocatable: gpus('7') }],
      ['b', { capacity: gpus('8'), allocatable: gpus('0') }],
    ]);
    expect(found.map(told)).toEqual(['ok cards.offered', 'warning cards.sick']);
    expect(found[1]?.found.values).toEqual({ nodes: 'a, b', count: 2 });
  });
});

test('schedulers that give out the same cards are told, and those that do not are not', () => {
  const counts = new Map<string, SchedulerCount>();
  const cards = { requests: { 'nvidia.com/gpu': '1' } };
  const add = (name: string, sketch: PodSketch, schedulerName?: string): void => {
    const spec = schedulerName === undefined ? {} : { schedulerName };
    countPod(fieldsOf(kubePod(name, null, { ...sketch, spec }), null), counts);
  };
  add('t/a', cards, 'springtide');
  add('t/b', cards, 'volcano');
  add('t/c', { requests: { cpu: '1' } }, 'yunikorn');
  add('t/d', { ...cards, phase: 'Succeeded' });
  countPod(fieldsOf({ spec: { containers: 'none' } }, null), counts);
  expect(schedulerFindings(counts).map(told)).toEqual(['ok schedulers.own', 'warning schedulers.other']);
  expect(schedulerFindings(counts)[1]?.found.values).toEqual({ name: 'volcano', count: 1 });
  expect(schedulerFindings(new Map()).map(told)).toEqual(['ok schedulers.own', 'ok schedulers.alone']);
});

test.each([
  ['', 'problem webhook.noCertificate'],
  ['2026-11-30T00:00:00.000Z', 'problem webhook.expired'],
  ['2026-12-05T00:00:00.000Z', 'warning webhook.certificate'],
  ['2027-02-28T00:00:00.000Z', 'ok webhook.certificate'],
])('a certificate of the webhook that ends %j: %s', (expires, want) => {
  expect(told(certificateFinding(expires, Date.UTC(2026, 10, 30), 'springtide-system'))).toBe(want);
});

describe('webhooks', () => {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
  test.each([
    [{ webhooks: [{ rules: [rule] }] }, true],
    [{ webhooks: [{ rules: [{ ...rule, apiGroups: ['*'], resources: ['*/*'], operations: ['*'] }] }] }, true],
    [{ spec: { matchConstraints: { resourceRules: [rule] } } }, true],
    [{ webhooks: [{ rules: [{ ...rule, resources: ['pods/status'] }] }] }, false],
    [{ webhooks: [{ rules: [{ ...rule, operations: ['UPDATE'] }] }] }, false],
    [{ webhooks: [{ rules: [{ ...rule, apiGroups: ['apps'] }] }] }, false],
    [{ webhooks: [{}] }, false],
  ])('%j sees new pods: %s', (configuration, want) => {
    expect(seesPods(fieldsOf(configuration, null))).toBe(want);
  });

  test('those that are known to set schedulerName are warned of', () => {
    expect(told(webhookFinding([]))).toBe('ok webhooks.none');
    expect(told(webhookFinding(['istio-sidecar-injector']))).toBe('ok webhooks.others');
    expect(webhookFinding(['istio-sidecar-injector', 'hami-webhook'])).toMatchObject({
      level: 'warning',
      found: { values: { names: 'hami-webhook' } },
    });
  });
});
