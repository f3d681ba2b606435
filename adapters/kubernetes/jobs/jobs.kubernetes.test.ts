import type { PodSetPlacement } from '@springtide/ports/queueing';
import { addCustomKinds, controlPlane, type Space, until } from '@springtide/testkit/controlplane/fixtures';
import { RealWorld } from '@springtide/testkit/conformance/real-cluster';
import { expect, onTestFinished, test } from 'vitest';
import type { ApiClient } from '../client/api-client.ts';
import { fieldsOf } from '../fields.ts';
import { JOB_KINDS, type JobKind } from './kinds.ts';
import { jobOfPods, openGates, removePods } from './pod-group.ts';
import { type ReadJob, readJob } from './read-job.ts';
import { type QueuedPod, readQueuedPod } from './read-pod.ts';
import { startRequest, stopRequest } from './steps.ts';

const plane = controlPlane();

/** A space of its own, and a client to give orders by. */
async function stage(): Promise<{ readonly space: Space; readonly client: Client }> {
  const world = await RealWorld.open(plane);
  onTestFinished(() => world.close());
  return { space: world.space, client: world.connect('jobs').client };
}

type Client = Pick<ApiClient, 'request'>;

const POD = {
  metadata: {},
  spec: {
    schedulerName: 'nobody',
    restartPolicy: 'Never',
    nodeSelector: { disk: 'fast' },
    containers: [{ name: 'main', image: 'none.invalid/none', resources: { requests: { cpu: '1' } } }],
  },
};

const PLACEMENT = (podSet: string, count = 2): PodSetPlacement => ({
  podSet,
  count,
  nodeSelector: new Map([['card', 'a100']]),
  tolerations: [{ key: 'spot', operator: 'Exists', value: '', effect: 'NoSchedule' }],
  annotations: new Map([['springtide.io/incarnation', '1']]),
  avoids: [],
});

function kindNamed(name: string): JobKind {
  const kind = JOB_KINDS.find(({ kind: each }) => each === name);
  if (kind === undefined) throw new Error(name);
  return kind;
}

/** An object and the orders that may be given about it. */
function held(
  kind: JobKind,
  path: string,
  client: Client,
): {
  read: () => Promise<ReadJob>;
  start: (placements: readonly PodSetPlacement[]) => Promise<void>;
  stop: () => Promise<void>;
  object: () => Promise<any>;
} {
  const object = (): Promise<any> => plane.api.get(path);
  const read = async (): Promise<ReadJob> => {
    const job = readJob(fieldsOf(await object(), null), kind);
    if (job === null) throw new Error('it is not queued');
    return job;
  };
  return {
    object,
    read,
    start: async (placements) => {
      const { job, shape } = await read();
      const request = startRequest(job.source, shape, placements);
      if (request === null) throw new Error('it runs');
      expect(await client.request(request)).toMatchObject({ ok: true });
    },
    stop: () =>
      until('it is as it was written', async () => {
        const { job, shape } = await read();
        const request = stopRequest(job.source, shape);
        if (request !== null) {
          const answer = await client.request(request);
          if (!answer.ok && answer.error.code !== 'conflict') throw new Error(JSON.stringify(answer.error));
        }
        return job.isSuspended && job.isRestored;
      }),
  };
}

test('a Job starts where its flavor is, goes back to what was written when it is suspended, and starts again', async () => {
  const { space, client } = await stage();
  const jobs = `/apis/batch/v1/namespaces/${space.namespace}/jobs`;
  const metadata = { name: 'train', labels: { 'kueue.x-k8s.io/queue-name': 'main' } };
  const spec = { suspend: true, completionMode: 'Indexed', parallelism: 2, completions: 2, template: POD };
  const written = await plane.api.create(jobs, { apiVersion: 'batch/v1', kind: 'Job', metadata, spec });
  const { read, start, stop, object } = held(kindNamed('Job'), `${jobs}/train`, client);
  expect(await read()).toMatchObject({
    job: { isSuspended: true, isIdle: true, isRestored: true, ask: { queue: 'main', isByKueueLabel: true } },
  });
  for (const card of ['a100', 'h100']) {
    await start([{ ...PLACEMENT('main'), nodeSelector: new Map([['card', card]]) }]);
    await until('it has pods', async () => (await object()).status.active === 2);
    const [pod] = await space.pods();
    expect(pod.spec.nodeSelector).toEqual({ disk: 'fast', card });
    expect(pod.spec.tolerations).toContainEqual({ key: 'spot', operator: 'Exists', effect: 'NoSchedule' });
    expect(pod.metadata.annotations).toMatchObject({ 'springtide.io/incarnation': '1' });
    const seen = await read();
    expect(seen.job).toMatchObject({ isSuspended: false, isIdle: false, isRestored: false, isReady: false });
    expect(seen.job.podSets[0]?.request.constraints.nodeSelector).toEqual(new Map([['disk', 'fast']]));
    await stop();
    const stopped = await object();
    expect(stopped.spec.template.spec).toEqual(written.spec.template.spec);
    expect(stopped.metadata.annotations?.['springtide.io/before-admission']).toBeUndefined();
    await until('its pods are gone', async () => (await read()).job.isIdle);
  }
});

test('an elastic Job starts with fewer pods, and asks for all again when it is suspended', async () => {
  const { space, client } = await stage();
  const jobs = `/apis/batch/v1/namespaces/${space.namespace}/jobs`;
  const annotations = { 'kueue.x-k8s.io/job-min-parallelism': '2' };
  const metadata = { name: 'wide', labels: { 'springtide.io/queue-name': 'main' }, annotations };
  const spec = { suspend: true, parallelism: 5, completions: 10, template: POD };
  await plane.api.create(jobs, { apiVersion: 'batch/v1', kind: 'Job', metadata, spec });
  const { read, start, stop, object } = held(kindNamed('Job'), `${jobs}/wide`, client);
  expect((await read()).job.minCounts).toEqual(new Map([['main', 2]]));
  await start([PLACEMENT('main', 3)]);
  await until('it has three pods', async () => (await object()).status.active === 3);
  expect((await read()).job.podSets[0]?.count).toBe(5);
  await stop();
  expect((await object()).spec.parallelism).toBe(5);
});

test('what has changed since it was seen is not started, and of another object with its name nothing is stopped', async () => {
  const { space, client } = await stage();
  const jobs = `/apis/batch/v1/namespaces/${space.namespace}/jobs`;
  const metadata = { name: 'train', labels: { 'springtide.io/queue-name': 'main' } };
  await plane.api.create(jobs, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata,
    spec: { suspend: true, template: POD },
  });
  const { read } = held(kindNamed('Job'), `${jobs}/train`, client);
  const { job, shape } = await read();
  await plane.api.patch(`${jobs}/train`, { metadata: { annotations: { new: 'word' } } });
  const late = startRequest(job.source, shape, [PLACEMENT('main')]);
  expect(await client.request(late as NonNullable<typeof late>)).toMatchObject({
    ok: false,
    error: { code: 'conflict' },
  });
  const other = stopRequest(
    { ...job.source, uid: '00000000-0000-0000-0000-000000000000' },
    { ...shape, isSuspended: false },
  );
  expect(await client.request(other as NonNullable<typeof other>)).toMatchObject({
    ok: false,
    error: { code: 'not-found' },
  });
});

test('objects of other projects are started and stopped by their own field', async () => {
  const { space, client } = await stage();
  await addCustomKinds(plane, [
    { group: 'jobset.x-k8s.io', version: 'v1alpha2', plural: 'jobsets', kind: 'JobSet' },
    { group: 'kubeflow.org', version: 'v1', plural: 'pytorchjobs', kind: 'PyTorchJob' },
  ]);
  const metadata = { name: 'x', labels: { 'springtide.io/queue-name': 'main' } };
  const job = { replicas: 1, template: { spec: { parallelism: 2, completions: 2, template: POD } } };
  const written = [
    [
      'jobset.x-k8s.io/v1alpha2',
      'JobSet',
      'jobsets',
      {
        suspend: true,
        replicatedJobs: [
          { name: 'driver', ...job },
          { name: 'worker', ...job },
        ],
      },
    ],
    [
      'kubeflow.org/v1',
      'PyTorchJob',
      'pytorchjobs',
      {
        runPolicy: { suspend: true },
        pytorchReplicaSpecs: { Master: { replicas: 1, template: POD }, Worker: { replicas: 2, template: POD } },
      },
    ],
  ] as const;
  for (const [apiVersion, kind, plural, spec] of written) {
    const path = `/apis/${apiVersion}/namespaces/${space.namespace}/${plural}`;
    await plane.api.create(path, { apiVersion, kind, metadata, spec });
    const { read, start, stop, object } = held(kindNamed(kind), `${path}/x`, client);
    const podSets = (await read()).job.podSets.map(({ name }) => name);
    expect(podSets).toEqual(kind === 'JobSet' ? ['driver', 'worker'] : ['master', 'worker']);
    await start(podSets.map((name) => PLACEMENT(name)));
    expect((await read()).job).toMatchObject({ isSuspended: false, isRestored: false });
    expect(JSON.stringify(await object()).split('"card":"a100"')).toHaveLength(3);
    await stop();
    expect((await object()).spec).toEqual(spec);
  }
});

test('gated pods go on together with what their flavor asks for, and go when they are to leave', async () => {
  const { space, client } = await stage();
  const labels = { 'springtide.io/queue-name': 'main', 'springtide.io/pod-group': 'g' };
  const annotations = { 'springtide.io/pod-group-total-count': '2' };
  const spec = { schedulingGates: [{ name: 'springtide.io/admission' }, { name: 'other.example.com/gate' }] };
  for (const name of ['p', 'q']) await space.addPod(name, { labels, annotations, spec });
  const pods = async (): Promise<QueuedPod[]> =>
    (await space.pods()).flatMap((pod: unknown) => readQueuedPod(fieldsOf(pod, null)) ?? []);
  const seen = await pods();
  expect(jobOfPods(seen)).toMatchObject({ isSuspended: true, podsMissing: 0, podSets: [{ name: 'main', count: 2 }] });
  for (const request of openGates(seen, [PLACEMENT('main')]))
    expect(await client.request(request)).toMatchObject({ ok: true });
  for (const pod of await space.pods()) {
    expect(pod.spec.schedulingGates).toEqual([{ name: 'other.example.com/gate' }]);
    expect(pod.spec.nodeSelector).toEqual({ card: 'a100', ...space.nodeLabels });
    expect(pod.spec.tolerations).toContainEqual({ key: 'spot', operator: 'Exists', effect: 'NoSchedule' });
  }
  const open = await pods();
  expect(jobOfPods(open)).toMatchObject({ isSuspended: false, isIdle: false });
  for (const request of removePods(open)) expect(await client.request(request)).toMatchObject({ ok: true });
  await until('they are gone', async () => (await pods()).length === 0);
});
