import { expect, test } from 'vitest';
import type { CardLimit, Isolation, Pod } from '@springtide/core/model';
import type { SchedulerEvent, SeenPod } from '@springtide/core/scheduler';
import type { ClusterEvent, ClusterPod } from '@springtide/ports/cluster';
import { aClusterPod, aPod, aRequest, isIn, podsWith } from '@springtide/testkit/builders';
import { Translator } from './translator.ts';

function seen(pod: Pod, more: Partial<ClusterPod> = {}): ClusterEvent {
  return { kind: 'pod-seen', pod: aClusterPod(pod, more) };
}

function namespace(name: string, team: string): ClusterEvent {
  return { kind: 'namespace-seen', namespace: { name, labels: new Map([['team', team]]) } };
}

function podsOf(events: readonly SchedulerEvent[]): SeenPod[] {
  return events.flatMap((event) => (event.kind === 'pod' ? [event.seen] : []));
}

const chosen = { named: ['named'], selector: [isIn('team', 'a')] };
const term = { ...podsWith('zone', isIn('app', 'x')), namespaces: ['*'], chosen };
const apart = aPod('default/apart').asking(aRequest().awayFrom(term)).build();

const looksIn = ([pod]: readonly SeenPod[]): readonly string[] | undefined =>
  pod?.pod.request.constraints.podAntiAffinity[0]?.namespaces;

test('an affinity looks in the namespaces that its selector chooses, and in those named', () => {
  const translator = new Translator('springtide');
  const events = [namespace('one', 'a'), namespace('two', 'b'), seen(apart)];
  expect(looksIn(podsOf(translator.translate(events)))).toEqual(['named', 'one']);
});

test('a pod is told anew when a namespace gets other labels or goes, though it has its machine', () => {
  const translator = new Translator('springtide');
  translator.translate([namespace('one', 'a'), seen(apart, { machine: 'm' }), seen(aPod('default/other').build())]);
  expect(looksIn(podsOf(translator.translate([namespace('two', 'a')])))).toEqual(['named', 'one', 'two']);
  expect(looksIn(podsOf(translator.translate([{ kind: 'namespace-gone', namespace: 'one' }])))).toEqual([
    'named',
    'two',
  ]);
});

test('P2: a namespace tells whose its pods are and what they never share; a pod may ask for more of it, not less', () => {
  const labelled = (isolation: string): ClusterEvent => {
    const labels = new Map([
      ['springtide.io/tenant', 'bank'],
      ['springtide.io/isolation', isolation],
    ]);
    return { kind: 'namespace-seen', namespace: { name: 'team', labels } };
  };
  const asking = (isolation: Isolation): Pod => {
    const pod = aPod(`team/${isolation}`).build();
    return { ...pod, namespace: 'team', tenant: 'team', request: { ...pod.request, isolation } };
  };
  const told = (events: readonly SchedulerEvent[]) =>
    podsOf(events).map(({ pod }) => [pod.id, pod.tenant, pod.request.isolation]);
  const translator = new Translator('springtide');
  const pods = [seen(asking('none'), { machine: 'm' }), seen(asking('machine')), seen(aPod('other/p').build())];
  expect(told(translator.translate([labelled('card'), ...pods]))).toEqual([
    ['team/none', 'bank', 'card'],
    ['team/machine', 'bank', 'machine'],
    ['other/p', '', 'none'],
  ]);
  // Told anew when it changes, though they have their machines; and not when nothing of it changed.
  expect(told(translator.translate([labelled('machine')]))).toEqual([
    ['team/none', 'bank', 'machine'],
    ['team/machine', 'bank', 'machine'],
  ]);
  expect(told(translator.translate([labelled('machine')]))).toEqual([]);
  // A word that is none of them is taken for the most.
  translator.translate([labelled('none')]);
  expect(told(translator.translate([labelled('cards')]))[0]).toEqual(['team/none', 'bank', 'machine']);
  expect(told(translator.translate([{ kind: 'namespace-gone', namespace: 'team' }]))).toEqual([
    ['team/none', 'team', 'none'],
    ['team/machine', 'team', 'machine'],
  ]);
});

test('a pod is told anew when its claim comes; one with a machine only keeps its claim to itself', () => {
  const translator = new Translator('springtide');
  const pod = aPod('team/p').build();
  const [before] = podsOf(translator.translate([seen(pod, { volumeClaims: ['c'] })]));
  expect(before?.pod.request.constraints.volumes[0]?.trouble).toEqual({ claim: 'c', kind: 'missing' });
  translator.translate([seen(pod, { volumeClaims: ['c'], machine: 'm' })]);
  const claim = {
    uid: 'u',
    id: 'team/c',
    volume: 'v',
    isBound: true,
    isLost: false,
    storageClass: '',
    selector: null,
    mode: 'Filesystem',
    attributesClass: '',
    bytes: 1,
    accessModes: ['ReadWriteOncePod'],
    selectedMachine: '',
    isDeleting: false,
  };
  const [after] = podsOf(translator.translate([{ kind: 'claim-seen', claim }]));
  expect(after?.pod.request.constraints).toMatchObject({ volumes: [], exclusiveClaims: ['team/c'] });
});

test("where volumes are is not the pod's own affinity, which spread looks at", () => {
  const translator = new Translator('springtide');
  const [told] = podsOf(translator.translate([seen(aPod('team/p').build(), { volumeClaims: ['c'] })]));
  expect(told?.pod.request.constraints.nodeTerms).toBeNull();
});

test('H3: what a namespace may hold of cards is told to its pods that wait, and anew when that changes', () => {
  const translator = new Translator('springtide');
  const limit = (max: number): CardLimit => ({ resource: 'nvidia.com/gpu', of: 'memoryMiB', max });
  const quota = (name: string, ...limits: CardLimit[]): ClusterEvent => {
    return { kind: 'quota-seen', quota: { id: `team/${name}`, namespace: 'team', limits } };
  };
  const asking = (name: string): Pod => aPod(`team/${name}`).inNamespace('team').asking(aRequest().whole(1)).build();
  const told = (...events: ClusterEvent[]): unknown =>
    podsOf(translator.translate(events)).map(({ pod }) => [pod.id, pod.request.constraints.cardLimits]);
  const pods = [seen(asking('on'), { machine: 'm' }), seen(asking('waits')), seen(aPod('other/p').build())];
  expect(told(quota('a', limit(5)), ...pods)).toEqual([
    ['team/on', undefined],
    ['team/waits', [limit(5)]],
    ['other/p', undefined],
  ]);
  expect(told(quota('a', limit(5)))).toEqual([]);
  expect(told(quota('b', limit(3)))).toEqual([['team/waits', [limit(5), limit(3)]]]);
  expect(told({ kind: 'quota-gone', quota: 'team/a' }, quota('b'))).toEqual([['team/waits', undefined]]);
});
