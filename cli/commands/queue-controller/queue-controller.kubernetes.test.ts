import { QUEUE_PERMISSIONS, readConnection } from '@springtide/adapters/kubernetes/client';
import { manifestsOf, QUEUE_CONTROLLER, yamlOf } from '@springtide/adapters/kubernetes/install';
import { type ControlPlane, isDenied, startControlPlane } from '@springtide/testkit/controlplane';
import { Space, until } from '@springtide/testkit/controlplane/fixtures';
import { promtool } from '@springtide/testkit/promtool';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { PROGRESS_PATH, type Progress, startProgress } from '../progress/progress.ts';

/** The gate as its user runs it, on a control plane of its own: queues are of the whole cluster. */

const PROGRAM = join(import.meta.dirname, '..', '..', 'springtide.js');
const KINDS = '/apis/springtide.io/v1alpha1';
let plane: ControlPlane;
let space: Space;

/** The account that it is installed with, and a kubeconfig of it. */
const ACCOUNT = `system:serviceaccount:kube-system:${QUEUE_CONTROLLER}`;
let kubeconfig: string;

beforeAll(async () => {
  plane = await startControlPlane();
  const objects = manifestsOf({ namespace: 'kube-system', image: 'registry.example.com/springtide:1', version: '1' });
  const isOfQueues = ({ kind, metadata: { name } }: (typeof objects)[number]): boolean =>
    kind === 'CustomResourceDefinition' || (name === QUEUE_CONTROLLER && kind !== 'Deployment');
  await plane.kubectl(['apply', '-f', '-'], yamlOf(objects.filter(isOfQueues)));
  for (const plural of ['flavors', 'cohorts', 'queues', 'workloads']) {
    const path = `${KINDS}/${plural}`;
    await until(`${plural} are served`, async () => (await plane.api.send({ method: 'GET', path })).status === 200);
  }
  const wish = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
  const account = `/api/v1/namespaces/kube-system/serviceaccounts/${QUEUE_CONTROLLER}`;
  kubeconfig = plane.kubeconfigWithToken(
    'queue-controller',
    (await plane.api.create(`${account}/token`, wish)).status.token,
  );
});

afterAll(() => plane.stop());

beforeEach(async () => {
  space = await Space.open(plane);
  onTestFinished(async () => {
    await plane.api.delete(`/apis/batch/v1/namespaces/${space.namespace}/jobs`, { propagationPolicy: 'Background' });
    await plane.api.delete(`${KINDS}/namespaces/${space.namespace}/workloads`);
    for (const plural of ['queues', 'cohorts', 'flavors']) await plane.api.delete(`${KINDS}/${plural}`);
    await space.close();
  });
});

/** Runs the program, by the account that it is installed with, until the test is over. */
function controller(...words: string[]): void {
  const args = ['queue-controller', '--kubeconfig', kubeconfig, '--listen', '127.0.0.1:0', ...words];
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
  onTestFinished(async () => {
    const ended = new Promise((resolve) => void child.once('close', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => void server.close(resolve));
  return port;
}

async function make(kind: string, plural: string, name: string, spec: object): Promise<void> {
  await plane.api.create(`${KINDS}/${plural}`, {
    apiVersion: 'springtide.io/v1alpha1',
    kind,
    metadata: { name },
    spec,
  });
}

/** One flavor of all nodes of the space, and two queues of a cohort that own so many cards each. */
async function makeQueues(cards: number, part: object = {}): Promise<void> {
  await make('Flavor', 'flavors', 'a100', { nodeSelector: space.nodeLabels });
  await make('Cohort', 'cohorts', 'research', {});
  for (const name of ['left', 'right']) {
    const flavors = [{ name: 'a100', resources: [{ name: 'cards', nominal: cards }] }];
    await make('Queue', 'queues', name, { cohort: 'research', namespaceSelector: {}, flavors, ...part });
  }
}

const jobs = (): string => `/apis/batch/v1/namespaces/${space.namespace}/jobs`;

/** A Job of pods with eight cards each. */
async function submit(name: string, queue: string, pods = 1, part: object = {}): Promise<void> {
  const resources = { requests: { cpu: '1', 'nvidia.com/gpu': '8' }, limits: { 'nvidia.com/gpu': '8' } };
  const template = {
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'main', image: 'none.invalid/none', resources }],
    },
  };
  const spec = { suspend: true, completionMode: 'Indexed', parallelism: pods, completions: pods, template };
  const metadata = { name, labels: { 'springtide.io/queue-name': queue }, ...part };
  await plane.api.create(jobs(), { apiVersion: 'batch/v1', kind: 'Job', metadata, spec });
}

const workload = async (job: string): Promise<any> =>
  (await plane.api.send({ method: 'GET', path: `${KINDS}/namespaces/${space.namespace}/workloads/job-${job}` })).body;
const state = async (job: string): Promise<string> => (await workload(job)).status?.state ?? '';
const untilState = (job: string, want: string): Promise<void> =>
  until(`${job} is ${want}`, async () => (await state(job)) === want, 60_000).catch(async (error: unknown) => {
    throw new Error(await told(), { cause: error });
  });
/** Everything of the test's namespace, for whoever has to find out why it failed. */
async function told(): Promise<string> {
  const { items } = await plane.api.get(`${KINDS}/namespaces/${space.namespace}/workloads`);
  return JSON.stringify((items as any[]).map(({ metadata, status }) => ({ name: metadata.name, status })));
}

const isSuspended = async (job: string): Promise<boolean> => (await plane.api.get(`${jobs()}/${job}`)).spec.suspend;

test('gate-only: quota is lent and reclaimed, whoever lent it suspended and resumed; kube-scheduler places the pods', async () => {
  const scheduler = await plane.startKubeScheduler({ name: 'default-scheduler' });
  onTestFinished(() => scheduler.stop());
  await space.addNodes(2, { cards: 8 });
  await makeQueues(8);
  controller('--gate-only', '--quantum-seconds', '0');
  await submit('a', 'left');
  await submit('b', 'left');
  // The second borrows what the other queue owns.
  for (const name of ['a', 'b']) await untilState(name, 'running');
  await submit('c', 'right');
  await untilState('c', 'running');
  const states = [await state('a'), await state('b')];
  expect(states.filter((each) => each === 'running')).toHaveLength(1);
  const [evicted, stayed] = states[0] === 'running' ? ['b', 'a'] : ['a', 'b'];
  expect((await workload(evicted)).status).toMatchObject({ evictions: 1 });
  expect(await isSuspended(evicted)).toBe(true);
  await until('it says where it stands', async () => (await workload(evicted)).status.position === 1, 20_000);
  expect((await workload(evicted)).status).toMatchObject({ reason: 'quota', waiting: 1 });
  await until('it says when it starts', async () => (await workload(evicted)).status.startP50 !== undefined, 30_000);
  const { startP50, startP90, foretoldAt } = (await workload(evicted)).status;
  expect(Date.parse(startP90)).toBeGreaterThanOrEqual(Date.parse(startP50));
  expect(Date.parse(startP50)).toBeGreaterThan(Date.parse(foretoldAt));
  await plane.api.delete(`${jobs()}/${stayed}`, { propagationPolicy: 'Background' });
  await untilState(evicted, 'running');
  expect((await workload(evicted)).status).toMatchObject({ incarnation: 2, evictions: 1 });
});

/** Heartbeats taken beside the controller, by another process as it were: both know of each other by the objects. */
async function progress(): Promise<Progress> {
  const admin = { commonName: 'admin', organizations: ['system:masters'] };
  const config = readConnection({ path: await plane.kubeconfigWithCertificate(admin) });
  if (!config.ok) throw new Error(config.error.message);
  const started = await startProgress({ config: config.value, listen: '127.0.0.1:0', tls: null, tell: () => {} });
  onTestFinished(() => started.stop());
  return started;
}

async function podOf(job: string): Promise<any> {
  const path = `${space.path}/pods?labelSelector=batch.kubernetes.io/job-name%3D${job}`;
  return (await plane.api.get(path)).items.find(({ metadata }: any) => metadata.deletionTimestamp === undefined);
}

/** A heartbeat of a job's pod, with its own token. */
async function beat(port: number, job: string, pod: any, part: object): Promise<any> {
  const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name, uid: pod.metadata.uid };
  const spec = { audiences: ['springtide.io'], expirationSeconds: 3600, boundObjectRef };
  const wish = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  const { token } = (await plane.api.create(`${space.path}/serviceaccounts/default/token`, wish)).status;
  const body = JSON.stringify({ job, step: 1, ...part });
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`http://127.0.0.1:${port}${PROGRESS_PATH}`, { method: 'POST', body, headers });
  return { status: answer.status, ...((await answer.json()) as object) };
}

test('who leaves for others is asked for a checkpoint, waited for, and goes on from it (R1)', async () => {
  const scheduler = await plane.startKubeScheduler({ name: 'default-scheduler' });
  onTestFinished(() => scheduler.stop());
  await space.addNodes(2, { cards: 8 });
  await makeQueues(8);
  const { port } = await progress();
  controller('--gate-only', '--quantum-seconds', '0');
  await submit('a', 'left', 2);
  await untilState('a', 'running');
  const pod = await podOf('a');
  await beat(port, 'a', pod, { incarnation: 1 });
  await submit('c', 'right');
  await untilState('a', 'suspending');
  await until('it is asked', async () => {
    // Too many at once are not taken.
    const { status, checkpointWithinMs } = await beat(port, 'a', pod, { incarnation: 1, step: 2 });
    return status === 200 && checkpointWithinMs !== null;
  });
  // It is waited for.
  expect(await isSuspended('a')).toBe(false);
  const checkpoint = { uri: 'file:///saved', bytes: 1 };
  await until('it has saved', async () => {
    return (await beat(port, 'a', pod, { incarnation: 1, step: 3, checkpoint })).status === 200;
  });
  await until('it is suspended', () => isSuspended('a'), 20_000);
  await untilState('c', 'running');
  await plane.api.delete(`${jobs()}/c`, { propagationPolicy: 'Background' });
  await untilState('a', 'running');
  expect((await workload('a')).status).toMatchObject({ incarnation: 2, checkpoint: { uri: 'file:///saved', step: 3 } });
  const again = await podOf('a');
  expect(again.metadata.annotations).toMatchObject({
    'springtide.io/incarnation': '2',
    'springtide.io/checkpoint': 'file:///saved',
  });
});

test('a job in trouble is restarted off the machine that is blamed for it, as its next incarnation (R1)', async () => {
  const scheduler = await plane.startKubeScheduler({ name: 'default-scheduler' });
  onTestFinished(() => scheduler.stop());
  await space.addNodes(2, { cards: 8 });
  await makeQueues(8);
  const { port, service } = await progress();
  controller('--gate-only');
  await submit('a', 'left');
  await untilState('a', 'running');
  const pod = await podOf('a');
  const said = { incarnation: 1, step: 3, checkpoint: { uri: 'file:///saved', bytes: 1 } };
  expect(await beat(port, 'a', pod, said)).toMatchObject({ status: 200 });
  const failure = { reason: 'Error', exitCode: 1, message: '' };
  await service.fail(`${space.namespace}/job-a`, 1, failure, pod.spec.nodeName);
  await until('it starts anew', async () => ((await workload('a')).status?.incarnation ?? 0) === 2, 60_000);
  await untilState('a', 'running');
  const next = await podOf('a');
  expect(next.spec.nodeName).not.toBe(pod.spec.nodeName);
  expect(next.metadata.annotations).toMatchObject({ 'springtide.io/checkpoint': 'file:///saved' });
});

test('O5: metrics tell of queues and quotas, to who may have them', async () => {
  await space.addNodes(2, { cards: 8 });
  await makeQueues(8);
  const port = await freePort();
  controller('--gate-only', '--listen', `127.0.0.1:${port}`);
  await submit('a', 'left', 2);
  // Whichever is seen first would have the cards.
  await until('a is admitted', async () => !(await isSuspended('a')));
  await submit('b', 'left');
  await until(
    'b waits',
    async () => (await state('b')) === 'queued' || (await workload('b')).status?.reason === 'quota',
  );
  const url = `http://127.0.0.1:${port}/metrics`;
  expect((await fetch(url)).status).toBe(401);
  const name = `metrics-${space.id}`;
  const rbac = 'rbac.authorization.k8s.io';
  const token = await space.addAccount('reader');
  const rules = [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }];
  await plane.api.create(`/apis/${rbac}/v1/clusterroles`, {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: { name },
    rules,
  });
  await plane.api.create(`/apis/${rbac}/v1/clusterrolebindings`, {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', namespace: space.namespace, name: 'reader' }],
  });
  let text = '';
  await until('they may be read', async () => {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    text = await answer.text();
    return answer.status === 200;
  });
  expect(text).toContain('springtide_queue_quota_borrowed{queue="left",flavor="a100",resource="cards"} 8\n');
  expect(text).toContain('springtide_queue_quota_used{queue="left",flavor="a100",resource="cards"} 16\n');
  expect(text).toContain('springtide_queue_pending_workloads{queue="left"} 1\n');
  expect(text).toContain('springtide_queue_admission_wait_seconds_count{queue="left"} 1\n');
  expect(text).toContain('springtide_queue_leading 1\n');
  // Where Prometheus' own checker is installed, it has the last word.
  const checked = promtool(['check', 'metrics'], text);
  if (checked !== null) expect(checked).toEqual({ status: 0, told: '' });
});

test('a gang whose pods do not become ready in time gives its cards back, rests, and lets others go on (Q1)', async () => {
  // Nodes that nobody plays the kubelet of: pods are bound to them and never start.
  const [dead = ''] = await space.addNodes(1, { cards: 8, isPlayed: false });
  await makeQueues(8);
  controller('--ready-seconds', '2');
  await submit('a', 'left');
  await until('it has gone back', async () => (await workload('a')).status?.reason === 'not-ready');
  const { status } = await workload('a');
  expect(status).toMatchObject({ state: 'queued', setBacks: 1, incarnation: 1 });
  expect(Date.parse(status.retryAt)).toBeGreaterThan(Date.parse(status.since));
  expect(await isSuspended('a')).toBe(true);
  const { spec } = await plane.api.get(`${jobs()}/a`);
  expect(spec.template.spec.nodeSelector ?? {}).toEqual({});
  await plane.api.delete(`/api/v1/nodes/${dead}`);
});

test('a Job that was submitted running is held until all of it can run; by Kueue’s label and an alias too', async () => {
  await space.addNodes(2, { cards: 8 });
  await makeQueues(16, { aliases: [`${space.namespace}/main`], namespaceSelector: undefined });
  controller();
  await submit('huge', 'main', 3, { labels: { 'kueue.x-k8s.io/queue-name': 'main' } });
  await plane.api.patch(`${jobs()}/huge`, { spec: { suspend: false } });
  await until('it is held', () => isSuspended('huge'));
  await until('it says why', async () => ((await workload('huge')).status?.reason ?? '') !== '');
  expect((await workload('huge')).status).toMatchObject({ reason: 'place' });
  expect((await space.pods()).filter((pod) => pod.spec.nodeName !== undefined)).toEqual([]);
  await space.addNodes(1, { cards: 8 });
  await until('it goes on', async () => !(await isSuspended('huge')));
});

test('pods at the gate are let through by groups, and Workloads by themselves are admitted by their requests', async () => {
  await space.addNodes(2, { cards: 8 });
  await makeQueues(16);
  controller('--gate-only');
  const annotations = { 'springtide.io/pod-group-total-count': '2' };
  const labels = { 'springtide.io/queue-name': 'left', 'springtide.io/pod-group': 'g' };
  const spec = { schedulingGates: [{ name: 'springtide.io/admission' }] };
  await space.addPod('p', { cards: 8, labels, annotations, spec });
  const body = { apiVersion: 'springtide.io/v1alpha1', kind: 'Workload', metadata: { name: 'lone' } };
  const podSets = [{ name: 'main', count: 2, requests: { 'nvidia.com/gpu': 8 } }];
  await plane.api.create(`${KINDS}/namespaces/${space.namespace}/workloads`, {
    ...body,
    spec: { queue: 'right', podSets },
  });
  const lone = `${KINDS}/namespaces/${space.namespace}/workloads/lone`;
  await until('it runs', async () => (await plane.api.get(lone)).status?.state === 'running');
  expect((await space.pod('p')).spec.schedulingGates).toHaveLength(1);
  await space.addPod('q', { cards: 8, labels, annotations, spec });
  for (const name of ['p', 'q']) {
    const pod = await space.untilPod(name, ({ spec: { schedulingGates = [] } }) => schedulingGates.length === 0);
    expect(pod.spec.nodeSelector).toMatchObject(space.nodeLabels);
    expect(pod.metadata.annotations).toMatchObject({ 'springtide.io/incarnation': '1' });
  }
  await plane.kubectl([
    '-n',
    space.namespace,
    'patch',
    'stworkload',
    'lone',
    '--subresource=status',
    '--type=merge',
    '-p',
    '{"status":{"state":"done"}}',
  ]);
  for (const name of ['p', 'q']) await plane.api.delete(`${space.path}/pods/${name}`, { gracePeriodSeconds: 0 });
  const group = `${KINDS}/namespaces/${space.namespace}/workloads/group-g`;
  await until(
    'the group is forgotten',
    async () => (await plane.api.send({ method: 'GET', path: group })).status === 404,
  );
});

test('a job larger than its cohort is refused at once, and a tree with a cycle holds the former one', async () => {
  await space.addNodes(1, { cards: 8 });
  await makeQueues(8);
  controller('--lang', 'en');
  await submit('huge', 'left', 5);
  await untilState('huge', 'failed');
  expect((await workload('huge')).status).toMatchObject({
    reason: 'larger-than-cohort',
    message: 'cards of a100: 40 asked, and its queue and cohort never have more than 16. A job of at most 16 fits.',
  });
  await plane.kubectl(['patch', 'stcohort', 'research', '--type=merge', '-p', '{"spec":{"parent":"research"}}']);
  await until('it is told', async () => ((await plane.api.get(`${KINDS}/queues/left`)).status?.fault ?? '') !== '');
  expect((await plane.api.get(`${KINDS}/queues/left`)).status.fault).toContain('above itself');
  await submit('small', 'left');
  await until('the former quotas hold', async () => !(await isSuspended('small')));
  await plane.kubectl([
    'patch',
    'stcohort',
    'research',
    '--type=json',
    '-p',
    '[{"op":"remove","path":"/spec/parent"}]',
  ]);
  await until('it is mended', async () => ((await plane.api.get(`${KINDS}/queues/left`)).status?.fault ?? '') === '');
});

test('of all that it asked nothing was denied, and its permissions are used', async () => {
  const used = new Set<string>();
  for await (const event of plane.auditEvents()) {
    if (event.user.username !== ACCOUNT) continue;
    expect(isDenied(event), event.requestURI).toBe(false);
    const { resource, subresource } = event.objectRef ?? {};
    used.add(`${event.verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`);
  }
  for (const { verbs, resources, isOptional } of QUEUE_PERMISSIONS) {
    // Older clusters keep the start time of a suspended Job; this one does not. Groups of pods stay to their end here.
    if (isOptional || resources[0] === 'jobs/status' || resources[0] === 'pods') continue;
    for (const verb of verbs) expect([...used]).toContain(`${verb} ${resources.join()}`);
  }
});
