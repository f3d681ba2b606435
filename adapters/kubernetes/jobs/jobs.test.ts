import type { PodSetPlacement } from '@springtide/ports/queueing';
import { describe, expect, test } from 'vitest';
import { InputFault, pathText } from '../fault.ts';
import { type Fields, fieldsOf } from '../fields.ts';
import { JOB_KINDS, type JobKind } from './kinds.ts';
import { groupKeyOf, jobOfPods, openGates, removePods } from './pod-group.ts';
import { valueAt, withValueAt } from './pointer.ts';
import { readJob, workloadNameOf } from './read-job.ts';
import { type QueuedPod, readQueuedPod } from './read-pod.ts';
import { startRequest, stopRequest } from './steps.ts';

const POD = {
  spec: {
    nodeSelector: { disk: 'fast' },
    containers: [{ name: 'main', resources: { requests: { cpu: '1' }, limits: { 'nvidia.com/gpu': '8' } } }],
  },
};
const QUEUE = { 'springtide.io/queue-name': 'main' };

function objectOf(kind: string, spec: object, part: object = {}): Fields {
  const [apiVersion] = kindNamed(kind).versions;
  const metadata = { namespace: 'a', name: 'x', uid: 'u', labels: QUEUE, ...part };
  return fieldsOf({ apiVersion, kind, metadata, spec }, null);
}

function kindNamed(name: string): JobKind {
  const kind = JOB_KINDS.find((each) => each.kind === name);
  if (kind === undefined) throw new Error(name);
  return kind;
}

function faultOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof InputFault) return `${pathText(error.path)}: ${error.expected}`;
    throw error;
  }
  throw new Error('it was accepted');
}

const jobOf = (spec: object, part: object = {}): ReturnType<typeof readJob> =>
  readJob(objectOf('Job', { suspend: true, template: POD, ...spec }, part), kindNamed('Job'));

describe('an object as a job', () => {
  test('asks for what its templates ask for, set by set', () => {
    const spec = {
      runPolicy: { suspend: true },
      mpiReplicaSpecs: { Launcher: { template: POD }, Worker: { replicas: 4, template: POD } },
    };
    const read = readJob(objectOf('MPIJob', spec), kindNamed('MPIJob'));
    expect(read?.job.id).toBe('a/mpijob-x');
    expect(read?.job.isSuspended).toBe(true);
    expect(read?.job.podSets.map(({ name, count }) => [name, count])).toEqual([
      ['launcher', 1],
      ['worker', 4],
    ]);
    expect(read?.job.podSets[1]?.request.cards).toMatchObject({ kind: 'whole', count: 8 });
  });

  test('is nobody’s where it names no queue, and its owner’s where another job has made it', () => {
    expect(jobOf({}, { labels: {} })).toBeNull();
    expect(jobOf({}, { ownerReferences: [{ kind: 'JobSet', name: 's', controller: true }] })).toBeNull();
    expect(jobOf({}, { ownerReferences: [{ kind: 'CronJob', name: 'c', controller: true }] })).not.toBeNull();
  });

  test('our label comes before Kueue’s', () => {
    const labels = { 'kueue.x-k8s.io/queue-name': 'theirs', 'kueue.x-k8s.io/priority-class': 'high' };
    expect(jobOf({}, { labels })?.job.ask).toEqual({ queue: 'theirs', isByKueueLabel: true, priorityClass: 'high' });
    expect(jobOf({}, { labels: { ...labels, ...QUEUE } })?.job.ask).toMatchObject({
      queue: 'main',
      isByKueueLabel: false,
    });
  });

  test.each([
    [{ parallelism: -1 }, {}, 'spec.parallelism: a whole number from 0 to 1000000'],
    [{ template: { spec: {} } }, {}, 'spec.template.spec.containers: a list with at least one container'],
    [
      { parallelism: 4 },
      { annotations: { 'springtide.io/min-parallelism': '5' } },
      'metadata.annotations["springtide.io/min-parallelism"]: a number from 1 to the parallelism, 4',
    ],
    [
      {},
      { annotations: { 'springtide.io/before-admission': '{' } },
      'metadata.annotations["springtide.io/before-admission"]: JSON, as it was written on admission',
    ],
  ])('that cannot be read is refused with its field: %j %j', (spec, part, want) => {
    expect(faultOf(() => jobOf(spec, part))).toBe(want);
  });

  test('names its Workload so that no two of one kind have one name, however long', () => {
    const name = 'x'.repeat(253);
    const [one, other] = ['u', 'v'].map((uid) => workloadNameOf({ kind: 'Job', name, uid }));
    expect(one).toHaveLength(253);
    expect(one).not.toBe(other);
  });
});

describe('orders', () => {
  const placements: PodSetPlacement[] = [
    {
      podSet: 'main',
      count: 1,
      nodeSelector: new Map([['disk', 'slow']]),
      tolerations: [],
      annotations: new Map(),
      avoids: [],
    },
  ];

  test('starting twice is starting once, and stopping what stands as it was written asks for nothing', () => {
    const read = jobOf({});
    if (read === null) throw new Error('it is not queued');
    expect(stopRequest(read.job.source, read.shape)).toBeNull();
    expect(startRequest(read.job.source, { ...read.shape, isSuspended: false }, placements)).toBeNull();
    const body = startRequest(read.job.source, read.shape, placements)?.body as { path: string; value: unknown }[];
    expect(body.map(({ path }) => path)).toEqual([
      '/metadata/resourceVersion',
      '/spec/template/spec/nodeSelector',
      '/metadata/annotations',
      '/spec/suspend',
    ]);
    expect(body[1]?.value).toEqual({ disk: 'slow' });
  });

  test('what a suspended object keeps of its author is kept when it starts again before it was restored', () => {
    const kept = [
      {
        podSet: 'main',
        nodeSelector: { disk: 'fast' },
        tolerations: null,
        annotations: null,
        affinity: null,
        parallelism: null,
      },
    ];
    const annotations = { 'springtide.io/before-admission': JSON.stringify(kept) };
    const template = { spec: { ...POD.spec, nodeSelector: { disk: 'fast', card: 'a100' } } };
    const read = jobOf({ template }, { annotations });
    if (read === null) throw new Error('it is not queued');
    expect(read.job.podSets[0]?.request.constraints.nodeSelector).toEqual(new Map([['disk', 'fast']]));
    const body = startRequest(read.job.source, read.shape, placements)?.body as { value: unknown }[];
    expect(body[1]?.value).toEqual({ disk: 'slow' });
    expect(JSON.parse(String(body[2]?.value))).toEqual(kept);
  });
});

describe('pods that wait at the gate', () => {
  const GATES = { schedulingGates: [{ name: 'springtide.io/admission' }] };
  const podOf = (name: string, part: object = {}, spec: object = GATES, status: object = {}): QueuedPod => {
    const metadata = { namespace: 'a', name, uid: `u-${name}`, labels: QUEUE, ...part };
    const read = readQueuedPod(fieldsOf({ metadata, spec: { ...POD.spec, ...spec }, status }, null));
    if (read === null) throw new Error('it is not queued');
    return read;
  };
  const group = (total: number): object => ({
    labels: { ...QUEUE, 'kueue.x-k8s.io/pod-group-name': 'g' },
    annotations: { 'kueue.x-k8s.io/pod-group-total-count': String(total) },
  });

  test('are a job by themselves, or with their group once it is complete', () => {
    expect(jobOfPods([podOf('p')])).toMatchObject({ id: 'a/pod-p', isSuspended: true, isIdle: true, podsMissing: 0 });
    const one = podOf('p', group(2));
    expect(groupKeyOf(one)).toBe('a/group/g');
    expect(jobOfPods([one])).toMatchObject({ id: 'a/group-g', podsMissing: 1 });
    const both = jobOfPods([one, podOf('q', group(2))]);
    expect(both.podsMissing).toBe(0);
    expect(both.podSets).toMatchObject([{ name: 'main', count: 2 }]);
  });

  test('of a LeaderWorkerSet are one job a replica', () => {
    const part = (worker: string): object => ({
      labels: {
        ...QUEUE,
        'leaderworkerset.sigs.k8s.io/name': 's',
        'leaderworkerset.sigs.k8s.io/group-index': '3',
        'leaderworkerset.sigs.k8s.io/worker-index': worker,
      },
      annotations: { 'leaderworkerset.sigs.k8s.io/size': '2' },
    });
    const job = jobOfPods([podOf('s-3', part('0')), podOf('s-3-1', part('1'))]);
    expect(job.id).toBe('a/group-s-3');
    expect(job.podSets).toMatchObject([
      { name: 'leader', count: 1 },
      { name: 'worker', count: 1 },
    ]);
  });

  test('are not queued when they were never held, or when their job is', () => {
    const metadata = { namespace: 'a', name: 'p', uid: 'u', labels: QUEUE };
    expect(readQueuedPod(fieldsOf({ metadata, spec: POD.spec }, null))).toBeNull();
    const owned = { ...metadata, ownerReferences: [{ kind: 'Job', name: 'j', controller: true }] };
    expect(readQueuedPod(fieldsOf({ metadata: owned, spec: { ...POD.spec, ...GATES } }, null))).toBeNull();
  });

  test('a group without its size is refused with the field', () => {
    const labels = { ...QUEUE, 'kueue.x-k8s.io/pod-group-name': 'g' };
    expect(faultOf(() => podOf('p', { labels }))).toBe(
      'metadata.annotations["springtide.io/pod-group-total-count"]: the number of pods in the group',
    );
  });

  test('an admitted group is ready when all its pods are, and done when all have succeeded', () => {
    const admitted = {
      annotations: { 'kueue.x-k8s.io/pod-group-total-count': '2', 'springtide.io/before-admission': 'gated' },
    };
    const at = (phase: string, isReady: boolean, name: string): QueuedPod =>
      podOf(
        name,
        { ...group(2), ...admitted },
        {},
        { phase, conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
      );
    expect(jobOfPods([at('Running', true, 'p'), at('Running', false, 'q')])).toMatchObject({
      isReady: false,
      isIdle: false,
      isSuspended: false,
    });
    expect(jobOfPods([at('Running', true, 'p'), at('Succeeded', false, 'q')])).toMatchObject({
      isReady: true,
      ended: 'no',
    });
    expect(jobOfPods([at('Succeeded', false, 'p'), at('Succeeded', false, 'q')])).toMatchObject({
      ended: 'done',
      isIdle: true,
    });
    // One that failed and was made again does not count.
    expect(
      jobOfPods([at('Failed', false, 'o'), at('Succeeded', false, 'p'), at('Succeeded', false, 'q')]),
    ).toMatchObject({ ended: 'done' });
  });

  test('go on with what their flavor puts on them, and are removed when their group is to leave', () => {
    const placement = {
      podSet: 'main',
      count: 1,
      nodeSelector: new Map([['card', 'a100']]),
      tolerations: [],
      annotations: new Map(),
      avoids: [],
    };
    const [open] = openGates([podOf('p')], [placement]);
    expect(open?.body).toMatchObject({
      spec: {
        schedulingGates: [{ $patch: 'delete', name: 'springtide.io/admission' }],
        nodeSelector: { card: 'a100' },
      },
    });
    expect(removePods([podOf('p')])).toEqual([]);
    const going = podOf('p', { annotations: { 'springtide.io/before-admission': 'gated' } }, {});
    expect(removePods([going])).toMatchObject([{ method: 'DELETE', body: { preconditions: { uid: 'u-p' } } }]);
  });
});

test('what a pointer does not lead through is shared', () => {
  const values = { a: [{ b: 1 }, { b: 2 }], 'c/d': 3 };
  const changed = withValueAt(values, '/a/1/b', 9) as typeof values;
  expect([valueAt(changed, '/a/1/b'), valueAt(changed, '/c~1d'), values.a[1]?.b]).toEqual([9, 3, 2]);
  expect(changed.a[0]).toBe(values.a[0]);
});
