import { createServer, type Server, type Socket } from 'node:net';
import { X509Certificate } from 'node:crypto';
import { connect, type TLSSocket } from 'node:tls';
import { once } from 'node:events';
import { systemClock } from '@springtide/adapters/clock';
import { ApiClient, type ConnectionConfig, readKubeconfig, Transport } from '@springtide/adapters/kubernetes/client';
import { install, WEBHOOK, WEBHOOK_SECRET } from '@springtide/adapters/kubernetes/install';
import { NodeAgents, pluginVendor } from '@springtide/lab/device-plugin';
import { CertificateAuthority, type ControlPlane, isDenied, startControlPlane } from '@springtide/testkit/controlplane';
import { askWebhookAt, everythingIn, podObject, Space, until } from '@springtide/testkit/controlplane/fixtures';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schedulerOn } from '../scheduler/index.ts';
import { startWebhook, type Webhook } from './webhook.ts';

/** The webhook as it is installed, on a control plane of its own, asked over loopback in the place of its Service. */

const NAMESPACE = 'springtide-system';
const CONFIGURATION = `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${WEBHOOK}`;
const SECRET = `/api/v1/namespaces/${NAMESPACE}/secrets/${WEBHOOK_SECRET}`;
const TEMPLATES = '/apis/springtide.io/v1alpha1/cardtemplates';
const CHECK_MS = 300;
const TEMPLATE = 'springtide.io/template';

let plane: ControlPlane;
let space: Space;
let ours: ConnectionConfig;
let webhook: Webhook;
let port: number;
const ending: (() => unknown)[] = [];

beforeAll(async () => {
  plane = await startControlPlane();
  const admin = configOf(plane.adminKubeconfig);
  const transport = new Transport(admin, systemClock, 4);
  const options = { namespace: NAMESPACE, image: 'none.invalid/springtide:1', version: '1' };
  const tools = { client: new ApiClient(transport, systemClock), clock: systemClock, onStep: () => {} };
  const installed = await install(tools, options);
  await transport.close();
  if (!installed.ok) throw new Error(installed.error.failure.message);
  const account = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${WEBHOOK}/token`;
  const { status } = await plane.api.create(account, { spec: { expirationSeconds: 3600 } });
  ours = configOf(plane.kubeconfigWithToken('webhook', status.token));
  await startOn(0);
  await askAt(port);
  space = await Space.open(plane);
  await plane.api.patch(space.path, { metadata: { labels: { 'springtide.io/schedule': 'true' } } });
  // Two, so that replicas of a service have somewhere to be apart.
  const taints = [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }];
  const gpu = await space.addNodes(2, { isPlayed: false, taints });
  const npu = await space.addNodes(1, { isPlayed: false });
  const agents = await NodeAgents.start(plane, [
    { vendor: pluginVendor('nvidia'), nodes: gpu, cardsPerNode: 2 },
    { vendor: pluginVendor('ascend'), nodes: npu, cardsPerNode: 2 },
  ]);
  ending.push(() => agents.kill());
  const scheduler = schedulerOn(admin, { name: 'springtide', leaseNamespace: NAMESPACE });
  scheduler.start();
  ending.push(() => scheduler.stop());
});

afterAll(async () => {
  for (const end of ending) await end();
  await webhook.stop();
  await plane.stop();
});

function configOf(path: string): ConnectionConfig {
  const read = readKubeconfig({ path });
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

async function startOn(wanted: number, certificates: 'own' | 'cert-manager' = 'own'): Promise<void> {
  webhook = startWebhook({
    config: ours,
    schedulerName: 'springtide',
    namespace: NAMESPACE,
    listen: `127.0.0.1:${wanted}`,
    certificates,
    checkMs: CHECK_MS,
  });
  port = await webhook.listening;
}

const askAt = (at: number, change?: (hook: any) => object): Promise<unknown> => askWebhookAt(plane, at, change);

/** A pod as users write it, for the nodes of this test: no scheduler is named. */
function podOf(name: string, labels: Record<string, string>, more: any = {}): any {
  const pod: any = podObject(name, { labels, cpu: '1m', memory: '1Mi' });
  pod.spec = { ...pod.spec, schedulerName: undefined, nodeSelector: space.nodeLabels, ...more.spec };
  pod.spec.containers[0].resources = more.limits === undefined ? {} : { limits: more.limits };
  return pod;
}

const makePod = (pod: any, query = ''): Promise<{ status: number; body: any }> =>
  plane.api.send({ method: 'POST', path: `${space.path}/pods${query}`, body: pod });

async function refusalOf(pod: any): Promise<string> {
  const { status, body } = await makePod(pod);
  expect(status).toBe(403);
  return body.message;
}

function deploymentOf(name: string, labels: Record<string, string>): any {
  const template = { metadata: { labels: { app: name } }, spec: podOf(name, {}).spec };
  const spec = { replicas: 1, selector: { matchLabels: { app: name } }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: space.namespace, labels }, spec };
}

const deployments = (): string => `/apis/apps/v1/namespaces/${space.namespace}/deployments`;

/** Why it waits, as it is told. */
function told({ status }: any): string {
  return (status.conditions ?? []).find(({ type }: any) => type === 'PodScheduled')?.message ?? '';
}

const untilBound = (name: string): Promise<any> => space.untilPod(name, (pod) => pod.spec.nodeName !== undefined);

describe('a namespace that is ours', () => {
  test('P3: gets our scheduler on its pods with cards, and on nothing else', async () => {
    const gpu = podOf('gpu', {}, { limits: { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '1000' } });
    const { status, body } = await makePod(gpu);
    expect([status, body.spec.schedulerName]).toEqual([201, 'springtide']);
    expect((await makePod(podOf('cpu', {}))).body.spec.schedulerName).toBe('default-scheduler');
    const theirs = podOf('theirs', {}, { limits: { 'nvidia.com/gpu': '1' }, spec: { schedulerName: 'volcano' } });
    expect((await makePod(theirs)).body.spec.schedulerName).toBe('volcano');
    const other = await Space.open(plane);
    const pod = podOf('gpu', {}, { limits: { 'nvidia.com/gpu': '1' } });
    expect((await plane.api.create(`${other.path}/pods`, pod)).spec.schedulerName).toBe('default-scheduler');
  });

  test.each([
    [{ 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '3Gi' }, 'for 3Gi write 3072. / '],
    [
      { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem-percentage': '101' },
      'is 101: percent of a card’s memory, 1 to 100. / ',
    ],
    [{ 'nvidia.com/gpu': '1', 'nvidia.com/gpucores': '101' }, 'is 101: a whole card has 100. / '],
  ])('refuses what no card can give: %j', async (limits, want) => {
    expect(await refusalOf(podOf('odd', {}, { limits }))).toContain(want);
  });

  test('more memory than the largest card has is admitted, and explained where it waits', async () => {
    const spec = { tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists' }] };
    await makePod(podOf('large', {}, { limits: { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '90000' }, spec }));
    expect(told(await space.untilPod('large', (pod) => told(pod) !== ''))).toContain('no card with enough room');
    await plane.api.delete(`${space.path}/pods/large`);
  });
});

describe('P3: the starter set', () => {
  test('works for an NVIDIA pod and an Ascend pod: they run on their cards', async () => {
    const { body } = await makePod(podOf('slice', { [TEMPLATE]: 'slice-10g' }));
    expect(body.spec.containers[0].resources).toMatchObject({
      limits: { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '10240', 'nvidia.com/gpucores': '25' },
      requests: { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '10240', 'nvidia.com/gpucores': '25' },
    });
    expect(body.spec.tolerations).toContainEqual({ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' });
    expect((await untilBound('slice')).spec.nodeName).toMatch(/000[12]$/);
    const ascend = { [TEMPLATE]: 'slice-10g', 'springtide.io/vendor': 'ascend' };
    const { body: npu } = await makePod(podOf('npu', ascend));
    expect(npu.spec.containers[0].resources.limits).toEqual({
      'huawei.com/Ascend910B4': '1',
      'huawei.com/Ascend910B4-memory': '10240',
    });
    expect((await untilBound('npu')).spec.nodeName).toMatch(/0003$/);
    await makePod(podOf('whole', { [TEMPLATE]: 'whole-1' }));
    expect((await untilBound('whole')).spec.nodeName).toMatch(/000[12]$/);
    for (const name of ['slice', 'npu', 'whole'])
      await plane.api.delete(`${space.path}/pods/${name}`, { gracePeriodSeconds: 0 });
  });

  test('every template of it makes a pod that the API server takes, of either vendor', async () => {
    const { items } = await plane.api.get(TEMPLATES);
    expect(items).toHaveLength(10);
    for (const { metadata } of items as any[]) {
      for (const vendor of ['nvidia', 'ascend']) {
        const labels = { [TEMPLATE]: metadata.name, 'springtide.io/vendor': vendor };
        const { status, body } = await makePod(podOf('tried', labels), '?dryRun=All');
        expect([metadata.name, vendor, status, body.message]).toEqual([metadata.name, vendor, 201, undefined]);
      }
    }
  });

  test('of a workload: the name goes to its pods, which run; applied again, nothing differs', async () => {
    const yaml = JSON.stringify(deploymentOf('chat', { [TEMPLATE]: 'slice-5g' }));
    await plane.kubectl(['apply', '-f', '-'], yaml);
    expect(await plane.kubectl(['apply', '-f', '-'], yaml)).toContain('unchanged');
    const isRunning = async (gpumem: string): Promise<boolean> => {
      const pods = (await space.pods()).filter((pod) => pod.metadata.labels?.app === 'chat');
      return pods.some(
        ({ spec }) => spec.nodeName && spec.containers[0].resources.limits?.['nvidia.com/gpumem'] === gpumem,
      );
    };
    await until('its pod runs', () => isRunning('5120'));
    // Another template is another pod.
    await plane.kubectl(['apply', '-f', '-'], JSON.stringify(deploymentOf('chat', { [TEMPLATE]: 'slice-10g' })));
    await until('its new pod runs', () => isRunning('10240'));
  });

  test.each([
    ['apps/v1', 'statefulsets', 'StatefulSet', ['spec', 'template']],
    ['apps/v1', 'daemonsets', 'DaemonSet', ['spec', 'template']],
    ['batch/v1', 'jobs', 'Job', ['spec', 'template']],
    ['batch/v1', 'cronjobs', 'CronJob', ['spec', 'jobTemplate', 'spec', 'template']],
  ])('of a workload of %s %s too', async (apiVersion, plural, kind, path) => {
    const { spec } = deploymentOf('w', {});
    const { selector, template } = spec;
    const job = { template: { spec: { ...template.spec, restartPolicy: 'Never' } } };
    const apps = { selector, template, serviceName: plural === 'statefulsets' ? 'w' : undefined };
    const cron = { schedule: '0 0 * * *', jobTemplate: { spec: job } };
    const own = { jobs: job, cronjobs: cron }[plural] ?? apps;
    const body = { apiVersion, kind, metadata: { name: 'w', labels: { [TEMPLATE]: 'whole-1' } }, spec: own };
    const root = `/apis/${apiVersion}/namespaces/${space.namespace}/${plural}?dryRun=All`;
    const made = path.reduce((at: any, key) => at[key], await plane.api.create(root, body));
    expect(made.metadata.labels[TEMPLATE]).toBe('whole-1');
    body.metadata.labels[TEMPLATE] = 'whole-3';
    await expect(plane.api.create(root, body)).rejects.toThrow('there is no card template whole-3');
  });

  test('one that was just made is there for the next pod', async () => {
    const spec = { granularity: 'slice', memoryMiB: 2048 };
    const made = { apiVersion: 'springtide.io/v1alpha1', kind: 'CardTemplate', metadata: { name: 'tiny' }, spec };
    await plane.api.create(TEMPLATES, made);
    expect((await makePod(podOf('tiny', { [TEMPLATE]: 'tiny' }))).status).toBe(201);
    const bad = { ...made, metadata: { name: 'bad' }, spec: { granularity: 'whole', memoryMiB: 1 } };
    await expect(plane.api.create(TEMPLATES, bad)).rejects.toThrow('whole cards have no memoryMiB');
  });
});

describe('what cannot be is refused where it is applied', () => {
  test('a template that there is not, with those that there are, in both languages', async () => {
    const refused = plane.kubectl(['apply', '-f', '-'], JSON.stringify(deploymentOf('odd', { [TEMPLATE]: 'whole-3' })));
    await expect(refused).rejects.toThrow(
      /there is no card template whole-3; there are shared-medium, .*whole-8\. \/ .*没有名为 whole-3 的卡模板/,
    );
    expect(await refusalOf(podOf('odd', { [TEMPLATE]: 'whole-3' }))).toContain('there is no card template whole-3');
  });

  test('conflicts, by their field', async () => {
    const labels = { [TEMPLATE]: 'whole-1' };
    expect(
      await refusalOf(podOf('odd', labels, { limits: { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '5' } })),
    ).toContain('spec.containers[0].resources.limits["nvidia.com/gpumem"]: the card template whole-1 sets the cards');
    expect(await refusalOf(podOf('odd', labels, { spec: { schedulerName: 'volcano' } }))).toContain(
      'spec.schedulerName is volcano: pods of a card template are placed by springtide',
    );
    const deployment = deploymentOf('odd', labels);
    deployment.spec.template.metadata.labels[TEMPLATE] = 'whole-2';
    await expect(plane.kubectl(['apply', '-f', '-'], JSON.stringify(deployment))).rejects.toThrow(
      'spec.template.metadata.labels["springtide.io/template"] is whole-2',
    );
  });

  test('a dry run answers the same, and nothing is written', async () => {
    const before = await everythingIn(plane);
    const { status, body } = await makePod(podOf('dry', { [TEMPLATE]: 'slice-10g' }), '?dryRun=All');
    expect([status, body.spec.containers[0].resources.limits['nvidia.com/gpumem']]).toEqual([201, '10240']);
    const after = await everythingIn(plane);
    expect([...after.keys()].toSorted()).toEqual([...before.keys()].toSorted());
    expect(after.get(`/api/v1/secrets ${NAMESPACE}/${WEBHOOK_SECRET}`)).toEqual(
      before.get(`/api/v1/secrets ${NAMESPACE}/${WEBHOOK_SECRET}`),
    );
  });
});

async function servedNow(): Promise<X509Certificate> {
  const socket: TLSSocket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const certificate = new X509Certificate(socket.getPeerCertificate().raw);
  socket.destroy();
  return certificate;
}
const answers = async (): Promise<boolean> =>
  (await makePod(podOf('asked', { [TEMPLATE]: 'whole-3' }))).status === 403 &&
  (await makePod(podOf('asked', { [TEMPLATE]: 'slice-5g' }), '?dryRun=All')).status === 201;

describe('the certificate', () => {
  test('that is wrong to the API server closes, and is mended by itself', async () => {
    const [before] = (await plane.api.get(CONFIGURATION)).webhooks as any[];
    const caBundle = Buffer.from(plane.ca).toString('base64');
    await webhook.stop();
    await askAt(port, ({ clientConfig: { url } }) => ({ clientConfig: { url, caBundle } }));
    await startOn(port);
    await until('it is believed again', answers);
    const [after] = (await plane.api.get(CONFIGURATION)).webhooks as any[];
    expect(after.clientConfig.caBundle).toBe(before.clientConfig.caBundle);
  });

  test('is rotated with its authority, without a restart and without a pod that is refused', async () => {
    const before = await servedNow();
    await plane.api.patch(SECRET, { data: { 'ca.key': null, 'tls.crt': null, 'tls.key': null } });
    await until('another is served', async () => {
      expect(await answers()).toBe(true);
      return (await servedNow()).fingerprint256 !== before.fingerprint256;
    });
    expect(await answers()).toBe(true);
    const annotation = (await plane.api.get(CONFIGURATION)).metadata.annotations['springtide.io/certificate-expires'];
    expect(Date.parse(annotation)).toBe(Date.parse((await servedNow()).validTo));
  });

  test('is one for all replicas', async () => {
    const first = await servedNow();
    const former = webhook;
    await startOn(0);
    expect((await servedNow()).fingerprint256).toBe(first.fingerprint256);
    await former.stop();
    await askAt(port);
    await until('the second is asked', answers);
  });
});

test('a certificate of cert-manager is served as it is, and the next one; nothing is written over it', async () => {
  await webhook.stop();
  const authority = new CertificateAuthority('cert-manager');
  const fill = async (): Promise<string> => {
    const { certificate, key } = authority.issueServer(WEBHOOK, ['127.0.0.1']);
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const data = { 'tls.crt': base64(certificate), 'tls.key': base64(key), 'ca.crt': base64(authority.certificate) };
    await plane.api.patch(SECRET, { data: { ...data, 'ca.key': null } });
    return new X509Certificate(certificate).fingerprint256;
  };
  const first = await fill();
  await startOn(0, 'cert-manager');
  expect((await servedNow()).fingerprint256).toBe(first);
  // What cert-manager's injector writes.
  const caBundle = Buffer.from(authority.certificate).toString('base64');
  await askAt(port, ({ clientConfig: { url } }) => ({ clientConfig: { url, caBundle } }));
  await until('it is believed', answers);
  const second = await fill();
  await until('the second is served', async () => (await servedNow()).fingerprint256 === second);
  expect(await answers()).toBe(true);
  const { data } = await plane.api.get(SECRET);
  expect(data['ca.key']).toBeUndefined();
  expect(new X509Certificate(Buffer.from(data['tls.crt'], 'base64')).fingerprint256).toBe(second);
  await webhook.stop();
  await startOn(0);
  await askAt(port);
  await until('its own is believed again', answers);
});

describe('without the webhook', () => {
  let mute: Server;

  /** Pods of our namespaces are made as they are; who names a template is refused; what is there scales. */
  async function expectOpenAndClosed(): Promise<void> {
    const { status, body } = await makePod(podOf('gpu-alone', {}, { limits: { 'nvidia.com/gpu': '1' } }));
    expect([status, body.spec?.schedulerName]).toEqual([201, 'default-scheduler']);
    await plane.api.delete(`${space.path}/pods/gpu-alone`, { gracePeriodSeconds: 0 });
    const refused = await makePod(podOf('alone', { [TEMPLATE]: 'whole-1' }));
    expect([refused.status, refused.body.message]).toEqual([
      500,
      expect.stringContaining('failed calling webhook "pods.templates.springtide.io"'),
    ]);
    await plane.api.patch(`${deployments()}/chat/scale`, { spec: { replicas: 3 } });
    await plane.api.patch(`${deployments()}/chat`, { spec: { replicas: 2 } });
    await plane.api.patch(`${deployments()}/chat`, { metadata: { annotations: { seen: 'yes' } } });
  }

  test('down: namespaces fail open, templates fail closed, scaling goes on', async () => {
    await webhook.stop();
    await expectOpenAndClosed();
  });

  test('slow: the same, once the API server has waited long enough', async () => {
    const sockets = new Set<Socket>();
    mute = createServer((socket) => void sockets.add(socket.on('error', () => {})));
    mute.listen(0, '127.0.0.1');
    await once(mute, 'listening');
    await askAt((mute.address() as { port: number }).port, () => ({ timeoutSeconds: 1 }));
    await until('the API server asks there', async () => {
      const { body } = await makePod(podOf('alone', { [TEMPLATE]: 'whole-1' }));
      return /deadline exceeded|Timeout/.test(body.message);
    });
    await expectOpenAndClosed();
    for (const socket of sockets) socket.destroy();
    mute.close();
  });

  test('back: everything is as before, and its account was never denied anything', async () => {
    await startOn(0);
    await askAt(port, () => ({ timeoutSeconds: 5 }));
    await until('it is asked again', async () => {
      const { body } = await makePod(podOf('back', { [TEMPLATE]: 'slice-5g' }), '?dryRun=All');
      return body.spec?.schedulerName === 'springtide';
    });
    const denied: string[] = [];
    for await (const event of plane.auditEvents()) {
      const isTheirs = event.user.username === `system:serviceaccount:${NAMESPACE}:${WEBHOOK}`;
      if (isTheirs && isDenied(event)) denied.push(`${event.verb} ${event.requestURI}`);
    }
    expect(denied).toEqual([]);
  });
});
