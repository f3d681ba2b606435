import type { Json } from '@springtide/testkit/kubectl';
import { describe, expect, test } from 'vitest';
import { fieldsOf } from '../fields.ts';
import { RACK_LABELS } from '../node.ts';
import {
  coschedulingPodGroup,
  type GangReader,
  indexedJob,
  jobSet,
  kubeflowJob,
  leaderWorkerSet,
  nativePodGroup,
  volcanoPodGroup,
} from './gang-objects.ts';
import { budgetOf, priorityClassOf } from './policies.ts';
import { claimOf, storageClassOf, volumeOf } from './volumes.ts';

const METADATA = { namespace: 'team', name: 'g', uid: 'u' };

function fields(object: Json): ReturnType<typeof fieldsOf> {
  return fieldsOf({ metadata: METADATA, ...object }, null);
}

describe('a gang object', () => {
  const topology = [{ key: 'topology.kubernetes.io/zone' }];
  test.each<[string, GangReader, Json, Json]>([
    [
      'PodGroup',
      nativePodGroup,
      { schedulingPolicy: { gang: { minCount: 4 } } },
      { id: 'pod-group:team/g', minCount: 4 },
    ],
    ['basic PodGroup', nativePodGroup, { schedulingPolicy: { basic: {} } }, { minCount: 1 }],
    [
      'PodGroup with constraints',
      nativePodGroup,
      {
        schedulingPolicy: { gang: { minCount: 2 } },
        schedulingConstraints: { topology },
        disruptionMode: { all: {} },
        priorityClassName: 'high',
      },
      {
        topologyLevel: 'zone',
        topologyKey: 'topology.kubernetes.io/zone',
        isEvictedWhole: true,
        priorityClassName: 'high',
      },
    ],
    [
      'PodGroup of pods alone',
      nativePodGroup,
      { disruptionMode: { single: {} } },
      { isEvictedWhole: false, topologyLevel: null },
    ],
    ['coscheduling', coschedulingPodGroup, { minMember: 3 }, { id: 'coscheduling:team/g', minCount: 3 }],
    [
      'Volcano',
      volcanoPodGroup,
      { minMember: 3, priorityClassName: 'p' },
      { id: 'volcano:team/g', minCount: 3, priorityClassName: 'p' },
    ],
    ['indexed Job', indexedJob, { completionMode: 'Indexed', parallelism: 8, completions: 8 }, { minCount: 8 }],
    [
      'indexed Job, a few at a time',
      indexedJob,
      { completionMode: 'Indexed', parallelism: 2, completions: 8 },
      { minCount: 1 },
    ],
    [
      'JobSet',
      jobSet,
      { replicatedJobs: [{ replicas: 2, template: { spec: { parallelism: 4 } } }, { template: { spec: {} } }] },
      { id: 'job-set:team/g', minCount: 9 },
    ],
    [
      'JobSet in order: its first job',
      jobSet,
      {
        startupPolicy: { startupPolicyOrder: 'InOrder' },
        replicatedJobs: [{ template: { spec: { parallelism: 2 } } }, { template: { spec: { parallelism: 4 } } }],
      },
      { minCount: 2 },
    ],
    [
      'JobSet with jobs that wait for others: those that wait for none',
      jobSet,
      {
        replicatedJobs: [
          { replicas: 3, template: { spec: {} } },
          { dependsOn: [{ name: 'a', status: 'Ready' }], template: { spec: { parallelism: 4 } } },
        ],
      },
      { minCount: 3 },
    ],
    [
      'LeaderWorkerSet',
      leaderWorkerSet,
      { leaderWorkerTemplate: { size: 4 } },
      { id: 'leader-worker-set:team/g', minCount: 4, isStaged: false },
    ],
    [
      'LeaderWorkerSet whose workers wait for their leader',
      leaderWorkerSet,
      { leaderWorkerTemplate: { size: 4 }, startupPolicy: 'LeaderReady' },
      { isStaged: true },
    ],
    [
      'MPIJob',
      kubeflowJob,
      { mpiReplicaSpecs: { Launcher: {}, Worker: { replicas: 2 } } },
      { id: 'kubeflow:team/g', minCount: 3 },
    ],
    [
      'MPIJob whose launcher waits for the workers',
      kubeflowJob,
      {
        mpiReplicaSpecs: { Launcher: {}, Worker: { replicas: 2 } },
        launcherCreationPolicy: 'WaitForWorkersReady',
      },
      { minCount: 2 },
    ],
    [
      'PodGroup by a label that is no level',
      nativePodGroup,
      { schedulingConstraints: { topology: [{ key: 'example.com/block' }] } },
      { topologyKey: 'example.com/block', topologyLevel: null },
    ],
    [
      'PyTorchJob',
      kubeflowJob,
      { pytorchReplicaSpecs: { Master: {}, Worker: { replicas: 7 } } },
      { id: 'kubeflow:team/g', minCount: 8 },
    ],
    [
      'TFJob with a policy',
      kubeflowJob,
      { tfReplicaSpecs: { Worker: { replicas: 7 } }, runPolicy: { schedulingPolicy: { minAvailable: 5 } } },
      { minCount: 5 },
    ],
  ])('%s', (_, read, spec, want) => {
    expect(read(fields({ spec }), RACK_LABELS)).toMatchObject(want);
  });

  test('an ordinary Job is none', () => {
    expect(indexedJob(fields({ spec: { parallelism: 4 } }), [])).toBeNull();
  });
});

const PLACES = [
  'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/region',
];
const lacks = (key: string): object => ({ key, operator: 'DoesNotExist', values: [] });

describe('what volumes need', () => {
  test('a claim', () => {
    const annotations = { 'volume.kubernetes.io/selected-node': 'n1' };
    const spec = {
      storageClassName: 'fast',
      resources: { requests: { storage: '1Gi' } },
      accessModes: ['ReadWriteOnce'],
    };
    expect(claimOf(fields({ metadata: { ...METADATA, annotations }, spec }))).toMatchObject({
      id: 'team/g',
      volume: '',
      storageClass: 'fast',
      bytes: 2 ** 30,
      selectedMachine: 'n1',
    });
  });

  test('an annotation of old names the class of a claim and of a volume before the field does', () => {
    const annotations = { 'volume.beta.kubernetes.io/storage-class': 'old' };
    const object = fields({ metadata: { ...METADATA, annotations }, spec: { storageClassName: 'new' } });
    expect([claimOf(object).storageClass, volumeOf(object).storageClass]).toEqual(['old', 'old']);
  });

  test('a claim is bound once its volume has accepted it', () => {
    const spec = { volumeName: 'v' };
    const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
    expect(claimOf(fields({ metadata: METADATA, spec }))).toMatchObject({ volume: 'v', isBound: false });
    expect(claimOf(fields({ metadata: { ...METADATA, annotations }, spec })).isBound).toBe(true);
    expect(claimOf(fields({ metadata: METADATA, spec, status: { phase: 'Lost' } })).isLost).toBe(true);
  });

  test('a volume is where its affinity says, and once it is bound where its labels say as well', () => {
    const terms = [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['n1'] }] }];
    const labels = { 'topology.kubernetes.io/zone': 'a__b', other: 'x' };
    const zone = { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['a', 'b'] };
    const host = { key: 'kubernetes.io/hostname', operator: 'In', values: ['n1'] };
    const spec = {
      nodeAffinity: { required: { nodeSelectorTerms: terms } },
      claimRef: { namespace: 'team', name: 'c' },
    };
    expect(volumeOf(fields({ metadata: { ...METADATA, labels }, spec }))).toMatchObject({
      machines: [{ expressions: [host], fields: [] }],
      zones: [
        { expressions: [zone], fields: [] },
        { expressions: PLACES.map(lacks), fields: [] },
      ],
      claim: 'team/c',
    });
    expect(volumeOf(fields({ spec: {} }))).toMatchObject({ machines: null, zones: null });
  });

  test('an old zone label matches the new one of a machine that has no old one', () => {
    const [zone = '', old = ''] = PLACES;
    const labels = { [old]: 'a' };
    expect(volumeOf(fields({ metadata: { ...METADATA, labels }, spec: {} })).zones).toEqual([
      { expressions: [{ key: old, operator: 'In', values: ['a'] }], fields: [] },
      { expressions: [lacks(old), { key: zone, operator: 'In', values: ['a'] }], fields: [] },
      { expressions: PLACES.map(lacks), fields: [] },
    ]);
  });

  test('a storage class', () => {
    const allowedTopologies = [{ matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: ['a'] }] }];
    const late = { provisioner: 'csi.example.com', volumeBindingMode: 'WaitForFirstConsumer', allowedTopologies };
    expect(storageClassOf(fields(late))).toMatchObject({
      isLate: true,
      isProvisioned: true,
      machines: [{ fields: [] }],
    });
    expect(storageClassOf(fields({ provisioner: 'kubernetes.io/no-provisioner' }))).toMatchObject({
      isLate: false,
      isProvisioned: false,
    });
  });
});

test('budgets and priority classes', () => {
  const budget = budgetOf(
    fields({ spec: { selector: { matchLabels: { app: 'a' } } }, status: { disruptionsAllowed: 2 } }),
  );
  expect(budget).toMatchObject({
    id: 'team/g',
    disruptionsAllowed: 2,
    selector: [{ key: 'app', operator: 'In', values: ['a'] }],
  });
  expect(budgetOf(fields({ spec: { selector: {} } })).selector).toEqual([]);
  expect(priorityClassOf(fields({ value: 1000, preemptionPolicy: 'Never' }))).toMatchObject({
    value: 1000,
    preemptionPolicy: 'Never',
  });
});
