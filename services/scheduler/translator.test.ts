import { expect, test } from 'vitest';
import type { Pod } from '@springtide/core/model';
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
