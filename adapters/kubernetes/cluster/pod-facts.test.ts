import { type Json, kubePod, type PodSketch } from '@springtide/testkit/kubectl';
import { describe, expect, test } from 'vitest';
import { fieldsOf } from '../fields.ts';
import { type PodFacts, readClusterPod } from './pod-facts.ts';

function factsOf(sketch: PodSketch, machine: string | null = null): PodFacts {
  const object = kubePod('team/a', machine, {
    ...sketch,
    metadata: { uid: 'u', resourceVersion: '7', ...sketch.metadata },
  });
  // As it comes from the API server: without fields that are undefined.
  const fields = fieldsOf(JSON.parse(JSON.stringify(object)), null);
  return readClusterPod(fields, { tenantLabel: '', rackLabels: [] }).facts;
}

describe('a pod', () => {
  test('H3: that waits and asks for what it cannot mean is refused, one that is on a machine holds what it holds', () => {
    const sketch = { requests: { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '3Gi' } };
    expect(() => factsOf(sketch)).toThrow('a number of MiB without a byte suffix');
    expect(factsOf(sketch, 'n1').machine).toBe('n1');
  });

  test('as it comes from an API server', () => {
    const conditions: Json[] = [
      { type: 'Ready', status: 'True' },
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no card' },
    ];
    const volumes = [
      { name: 'data', persistentVolumeClaim: { claimName: 'data-0' } },
      { name: 'tmp', ephemeral: {} },
      { name: 'x', emptyDir: {} },
    ];
    const facts = factsOf({
      metadata: {
        creationTimestamp: '2026-01-02T03:04:05Z',
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'o', controller: true }],
      },
      spec: { schedulerName: 'springtide', preemptionPolicy: 'Never', schedulingGates: [{ name: 'g' }], volumes },
      status: { conditions, nominatedNodeName: 'n1', startTime: '2026-01-02T03:04:06Z' },
    });
    expect(facts).toEqual({
      uid: 'u',
      namespace: 'team',
      name: 'a',
      resourceVersion: '7',
      machine: null,
      phase: 'Pending',
      isReady: true,
      isDeleting: false,
      isGated: true,
      deviceClaims: [],
      volumeClaims: ['data-0', 'a-tmp'],
      schedulerName: 'springtide',
      createdAtMs: Date.UTC(2026, 0, 2, 3, 4, 5),
      startedAtMs: Date.UTC(2026, 0, 2, 3, 4, 6),
      preemptionPolicy: 'Never',
      nominatedMachine: 'n1',
      gang: null,
      owner: { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'o' },
      verdict: { reason: 'Unschedulable', message: 'no card' },
      scaleInMark: null,
      malformed: [],
    });
  });

  test('that says little is taken as Kubernetes would', () => {
    const facts = factsOf({ phase: 'Strange' }, 'n0');
    expect(facts).toMatchObject({
      phase: 'Unknown',
      schedulerName: 'default-scheduler',
      machine: 'n0',
      startedAtMs: null,
    });
  });
});

describe('a gang is told by', () => {
  test.each<[string, PodSketch, string, number | null]>([
    ['the native group', { spec: { schedulingGroup: { podGroupName: 'g' } } }, 'pod-group:team/g', null],
    ['coscheduling', { labels: { 'scheduling.x-k8s.io/pod-group': 'g' } }, 'coscheduling:team/g', null],
    [
      'two labels',
      {
        labels: { 'pod-group.scheduling.sigs.k8s.io/name': 'g', 'pod-group.scheduling.sigs.k8s.io/min-available': '4' },
      },
      'pod-group-labels:team/g',
      4,
    ],
    ['Volcano', { annotations: { 'scheduling.k8s.io/group-name': 'g' } }, 'volcano:team/g', null],
    [
      'Volcano, by its own name, with a count',
      { annotations: { 'scheduling.volcano.sh/group-name': 'g', 'scheduling.volcano.sh/group-min-member': '3' } },
      'volcano:team/g',
      3,
    ],
    [
      'LeaderWorkerSet',
      {
        labels: { 'leaderworkerset.sigs.k8s.io/name': 'l', 'leaderworkerset.sigs.k8s.io/group-index': '2' },
        annotations: { 'leaderworkerset.sigs.k8s.io/size': '8' },
      },
      'leader-worker-set:team/l-2',
      8,
    ],
    ['Kubeflow', { labels: { 'training.kubeflow.org/job-name': 't' } }, 'kubeflow:team/t', null],
    [
      'a JobSet before its Jobs',
      {
        labels: {
          'jobset.sigs.k8s.io/jobset-name': 's',
          'batch.kubernetes.io/job-name': 's-w-0',
          'batch.kubernetes.io/job-completion-index': '0',
        },
      },
      'job-set:team/s',
      null,
    ],
    [
      'an indexed Job',
      { labels: { 'batch.kubernetes.io/job-name': 'j', 'batch.kubernetes.io/job-completion-index': '0' } },
      'indexed-job:team/j',
      null,
    ],
    [
      'a group before the owner',
      {
        labels: {
          'scheduling.x-k8s.io/pod-group': 'g',
          'batch.kubernetes.io/job-name': 'j',
          'batch.kubernetes.io/job-completion-index': '0',
        },
      },
      'coscheduling:team/g',
      null,
    ],
  ])('%s', (_, sketch, id, minCount) => {
    expect(factsOf(sketch).gang).toMatchObject({ id, minCount });
  });

  test('a replica of a LeaderWorkerSet, which the set describes', () => {
    const { gang } = factsOf({ labels: { 'leaderworkerset.sigs.k8s.io/name': 'l' } });
    expect(gang).toMatchObject({ id: 'leader-worker-set:team/l-0', object: 'leader-worker-set:team/l' });
  });

  test('the workers of a LeaderWorkerSet alone, where they are made once the leader has its place', () => {
    const annotations = {
      'leaderworkerset.sigs.k8s.io/size': '4',
      'leaderworkerset.sigs.k8s.io/exclusive-topology': 'topology.kubernetes.io/zone',
    };
    const of = (index: string): PodFacts => {
      const labels = { 'leaderworkerset.sigs.k8s.io/name': 'l', 'leaderworkerset.sigs.k8s.io/worker-index': index };
      return factsOf({ labels, annotations });
    };
    expect([of('0').gang, of('1').gang?.minCount]).toEqual([null, 3]);
  });

  test('a topology, as Kueue and KAI write it', () => {
    const annotations = {
      'scheduling.k8s.io/group-name': 'g',
      'kueue.x-k8s.io/podset-required-topology': 'topology.kubernetes.io/zone',
    };
    expect(factsOf({ annotations }).gang?.topology).toMatchObject({ level: 'zone', mode: 'required' });
  });

  test('nothing where the pod says that it is none', () => {
    const labels = { 'batch.kubernetes.io/job-name': 'j', 'batch.kubernetes.io/job-completion-index': '0' };
    const of = (gang: string): PodFacts => factsOf({ labels, annotations: { 'springtide.io/gang': gang } });
    expect([of('false').gang, of('true').gang?.name, of('maybe').gang?.name]).toEqual([null, 'j', 'j']);
    expect(of('maybe').malformed).toEqual(['springtide.io/gang']);
  });

  test('nothing on an ordinary Job', () => {
    expect(factsOf({ labels: { 'batch.kubernetes.io/job-name': 'j' } }).gang).toBeNull();
  });

  test.each(['0', '-1', 'many', '1e3', '99999999'])(
    'a count of %s is named as malformed, and taken for one',
    (count) => {
      const key = 'pod-group.scheduling.sigs.k8s.io/min-available';
      const facts = factsOf({ labels: { 'pod-group.scheduling.sigs.k8s.io/name': 'g', [key]: count } });
      expect([facts.gang?.minCount, facts.malformed]).toEqual([1, [key]]);
    },
  );
});
