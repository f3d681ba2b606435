import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '@springtide/adapters/clock';
import { readKubeconfig } from '@springtide/adapters/kubernetes/client';
import { KubernetesCluster } from '@springtide/adapters/kubernetes/cluster';
import { mulberry32 } from '@springtide/core/base';
import { SCHEDULER_DEFAULTS } from '@springtide/core/scheduler';
import { SchedulerService } from '@springtide/services/scheduler';
import { type ControlPlane, startControlPlane } from '@springtide/testkit/controlplane';
import { type PodOptions, Space, until } from '@springtide/testkit/controlplane/fixtures';

const NAME = 'springtide-gangs';
const READY_MS = 10_000;
let plane: ControlPlane;
let service: SchedulerService;

/** Kinds of other projects, with no more of them than is read. */
const CUSTOM_KINDS = [
  ['scheduling.x-k8s.io', 'v1alpha1', 'podgroups', 'PodGroup'],
  ['scheduling.volcano.sh', 'v1beta1', 'podgroups', 'PodGroup'],
  ['jobset.x-k8s.io', 'v1alpha2', 'jobsets', 'JobSet'],
  ['leaderworkerset.x-k8s.io', 'v1', 'leaderworkersets', 'LeaderWorkerSet'],
  ['kubeflow.org', 'v1', 'pytorchjobs', 'PyTorchJob'],
] as const;

async function installKind([group, version, plural, kind]: (typeof CUSTOM_KINDS)[number]): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const versions = [{ name: version, served: true, storage: true, schema }];
  const annotations = { 'api-approved.kubernetes.io': 'unapproved, a test' };
  await plane.api.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, annotations },
    spec: { group, names: { plural, kind }, scope: 'Namespaced', versions },
  });
  const path = `/apis/${group}/${version}/${plural}`;
  await until(`${path} is served`, async () => (await plane.api.send({ method: 'GET', path })).status === 200);
}

// Native gangs are off by default, so that this needs a control plane of its own.
beforeAll(async () => {
  plane = await startControlPlane({
    featureGates: { GenericWorkload: true, TopologyAwareWorkloadScheduling: true },
    runtimeConfig: { 'scheduling.k8s.io/v1beta1': true },
    auditLevel: 'None',
  });
  for (const kind of CUSTOM_KINDS) await installKind(kind);
  const config = readKubeconfig({ path: plane.adminKubeconfig });
  if (!config.ok) throw new Error(config.error.message);
  const cluster = new KubernetesCluster({
    config: config.value,
    clock: systemClock,
    random: mulberry32(1),
    controller: 'springtide.io/scheduler',
    schedulerName: NAME,
    holder: NAME,
    lease: { namespace: 'kube-system', name: NAME },
  });
  const scheduling = { ...SCHEDULER_DEFAULTS, gangReadyMs: READY_MS };
  service = new SchedulerService({ cluster, clock: systemClock, schedulerName: NAME, scheduling });
  service.start();
  await until('the scheduler leads', async () => Promise.resolve(service.isLeading));
});

afterAll(async () => {
  await service.stop();
  await plane.stop();
});

async function openSpace(): Promise<Space> {
  const space = await Space.open(plane);
  onTestFinished(() => space.close());
  return space;
}

async function create(space: Space, apiVersion: string, [plural, kind]: [string, string], spec: object): Promise<void> {
  const path = `/apis/${apiVersion}/namespaces/${space.namespace}/${plural}`;
  await plane.api.create(path, { apiVersion, kind, metadata: { name: 'g' }, spec });
}

const NATIVE = 'scheduling.k8s.io/v1beta1';
const POD_GROUP: [string, string] = ['podgroups', 'PodGroup'];
const ofNativeGroup = { spec: { schedulingGroup: { podGroupName: 'g' } } };

function verdictOf(pod: any): string {
  return (pod.status.conditions ?? []).find((each: any) => each.type === 'PodScheduled')?.message ?? '';
}

async function untilToldOf(space: Space, pod: string, text: string): Promise<void> {
  await space.untilPod(pod, (seen) => verdictOf(seen).includes(text));
}

async function boundIn(space: Space): Promise<string[]> {
  return (await space.pods()).flatMap((pod) => (pod.spec.nodeName === undefined ? [] : [pod.spec.nodeName]));
}

/** Two of three members come, and wait; with the third all run. */
async function startsWhole(space: Space, options: PodOptions): Promise<void> {
  await space.addNodes(2, { cards: 4 });
  const add = (name: string): Promise<any> => space.addPod(name, { schedulerName: NAME, cards: 2, ...options });
  for (const name of ['g-0', 'g-1']) await add(name);
  await untilToldOf(space, 'g-1', '2 of 3 members');
  expect(await boundIn(space)).toEqual([]);
  await add('g-2');
  for (const name of ['g-0', 'g-1', 'g-2']) await space.untilPod(name, (pod) => pod.status.phase === 'Running');
}

describe('P5: a gang starts whole, told by', () => {
  test('the native group', async () => {
    const space = await openSpace();
    await create(space, NATIVE, POD_GROUP, { schedulingPolicy: { gang: { minCount: 3 } } });
    await startsWhole(space, ofNativeGroup);
  });

  test('the group of coscheduling', async () => {
    const space = await openSpace();
    await create(space, 'scheduling.x-k8s.io/v1alpha1', POD_GROUP, { minMember: 3 });
    await startsWhole(space, { labels: { 'scheduling.x-k8s.io/pod-group': 'g' } });
  });

  test('the group of Volcano', async () => {
    const space = await openSpace();
    await create(space, 'scheduling.volcano.sh/v1beta1', POD_GROUP, { minMember: 3 });
    await startsWhole(space, { annotations: { 'scheduling.k8s.io/group-name': 'g' } });
  });

  test('a LeaderWorkerSet', async () => {
    const labels = { 'leaderworkerset.sigs.k8s.io/name': 'g', 'leaderworkerset.sigs.k8s.io/group-index': '0' };
    await startsWhole(await openSpace(), { labels, annotations: { 'leaderworkerset.sigs.k8s.io/size': '3' } });
  });

  test('a Kubeflow job', async () => {
    const space = await openSpace();
    const pytorchReplicaSpecs = { Master: { replicas: 1 }, Worker: { replicas: 2 } };
    await create(space, 'kubeflow.org/v1', ['pytorchjobs', 'PyTorchJob'], { pytorchReplicaSpecs });
    await startsWhole(space, { labels: { 'training.kubeflow.org/job-name': 'g' } });
  });

  test('a JobSet', async () => {
    const space = await openSpace();
    const replicatedJobs = [{ name: 'w', replicas: 3, template: { spec: { parallelism: 1 } } }];
    await create(space, 'jobset.x-k8s.io/v1alpha2', ['jobsets', 'JobSet'], { replicatedJobs });
    await startsWhole(space, { labels: { 'jobset.sigs.k8s.io/jobset-name': 'g' } });
  });
});

function podSpec(space: Space, cards: number): object {
  const limits = { 'nvidia.com/gpu': String(cards) };
  const container = { name: 'main', image: 'none.invalid/none', resources: { limits } };
  const placing = { schedulerName: NAME, nodeSelector: space.nodeLabels, terminationGracePeriodSeconds: 0 };
  return { restartPolicy: 'Never', ...placing, containers: [container] };
}

async function createJob(space: Space, members: number, cards: number): Promise<void> {
  const counts = { completionMode: 'Indexed', completions: members, parallelism: members };
  await create(space, 'batch/v1', ['jobs', 'Job'], { ...counts, template: { spec: podSpec(space, cards) } });
}

async function untilMembers(space: Space, what: string, are: (pods: any[]) => boolean): Promise<void> {
  await until(what, async () => are(await space.pods()));
}

describe('P5: an indexed Job', () => {
  test('that finds no room for all holds nothing, says so, and starts when there is room', async () => {
    const space = await openSpace();
    await space.addNodes(1, { cards: 4 });
    await createJob(space, 3, 2);
    const told = (pods: any[]): boolean => pods.length === 3 && pods.every((pod) => verdictOf(pod) !== '');
    await untilMembers(space, 'all members are told', told);
    expect(verdictOf((await space.pods())[0])).toContain('asks for 6 cards at once');
    expect(await boundIn(space)).toEqual([]);
    await space.addNodes(1, { cards: 4 });
    await untilMembers(space, 'all run', (pods) => pods.every((pod) => pod.status.phase === 'Running'));
  });

  test('of 100 on 8 cards is refused, every member with the reason', async () => {
    const space = await openSpace();
    await space.addNodes(1, { cards: 8 });
    await createJob(space, 100, 1);
    const isTold = (pod: any): boolean => verdictOf(pod).includes('asks for 100 cards at once');
    await untilMembers(space, 'all are told', (pods) => pods.length === 100 && pods.every(isTold));
    expect(await boundIn(space)).toEqual([]);
    // Else the pods would be made anew while they are being deleted.
    const path = `/apis/batch/v1/namespaces/${space.namespace}/jobs/g`;
    await plane.api.delete(path, { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' });
  });
});

test('P4: a native group with a topology stays within one zone', async () => {
  const space = await openSpace();
  const zone = (name: string): { labels: Record<string, string>; cards: number } => ({
    labels: { 'topology.kubernetes.io/zone': `${name}-${space.id}` },
    cards: 4,
  });
  const [a = ''] = await space.addNodes(1, zone('a'));
  const [b = ''] = await space.addNodes(1, zone('b'));
  await space.addPod('theirs', { cards: 1 });
  await space.bind('theirs', a);
  const topology = [{ key: 'topology.kubernetes.io/zone' }];
  const policy = { schedulingPolicy: { gang: { minCount: 2 } }, schedulingConstraints: { topology } };
  await create(space, NATIVE, POD_GROUP, policy);
  for (const name of ['g-0', 'g-1']) await space.addPod(name, { schedulerName: NAME, cards: 2, ...ofNativeGroup });
  for (const name of ['g-0', 'g-1']) await space.untilPod(name, (pod) => pod.spec.nodeName === b);
});

test('I3: a gang that somebody left started in part gives its cards back after 5 s', async () => {
  const space = await openSpace();
  const [node = ''] = await space.addNodes(1, { cards: 4 });
  await create(space, NATIVE, POD_GROUP, { schedulingPolicy: { gang: { minCount: 2 } } });
  await space.addPod('g-0', { cards: 3, ...ofNativeGroup });
  await space.addPod('g-1', { schedulerName: NAME, cards: 3, ...ofNativeGroup });
  await space.bind('g-0', node);
  await untilToldOf(space, 'g-1', 'asks for 3 cards at once, and its members would find only 0 free');
  await untilMembers(space, 'the part is given back', (pods) => pods.every((pod) => pod.metadata.name !== 'g-0'));
  expect(await boundIn(space)).toEqual([]);
  const events = await plane.api.get(`/apis/events.k8s.io/v1/namespaces/${space.namespace}/events`);
  await until('it is told', async () => Promise.resolve(events.items.length > 0));
});

test('Q1: a gang whose members do not get ready in time gives its cards back', async () => {
  const space = await openSpace();
  await space.addNodes(1, { cards: 4, isPlayed: false });
  await createJob(space, 2, 2);
  await untilMembers(space, 'both are bound', (pods) => pods.filter((pod) => pod.spec.nodeName).length === 2);
  const first = new Set((await space.pods()).map((pod) => pod.metadata.uid));
  const isGone = (pods: any[]): boolean =>
    pods.every((pod) => !first.has(pod.metadata.uid) || pod.metadata.deletionTimestamp !== undefined);
  await untilMembers(space, 'both are given back', isGone);
  expect(service.counts().cardSecondsUnready).toBeGreaterThanOrEqual((4 * READY_MS) / 1000);
});
