import { webhookPermissions, webhookSecretPermissions } from '@springtide/adapters/kubernetes/client';
import { STARTER_TEMPLATES } from '@springtide/adapters/kubernetes/install';
import { type ControlPlane, freePorts, isDenied, startControlPlane } from '@springtide/testkit/controlplane';
import {
  addCustomKinds,
  askWebhookAt,
  everythingIn,
  nodeObject,
  podObject,
  until,
  SCALE_IN_CONFIGURATION,
  untilBelieved,
} from '@springtide/testkit/controlplane/fixtures';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

/** Installing as its user does it, on a control plane of its own: afterwards there is what there was (P8). */

const PROGRAM = join(import.meta.dirname, '..', '..', 'springtide.js');
/** What the first version printed for `install --image registry.example.com/springtide:0.1.0`: never changed. */
const FIRST = readFileSync(join(import.meta.dirname, 'testdata', 'first.yaml'), 'utf8');
const IMAGE = ['--image', 'registry.example.com/springtide:0.1.0'];
const SPACE = 'springtide-system';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

let plane: ControlPlane;
let before: Map<string, unknown>;

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program to its end. */
function springtide(words: readonly string[], kubeconfig = plane.adminKubeconfig): Promise<Ran> {
  const env = { ...process.env, KUBECONFIG: kubeconfig, LC_ALL: 'C' };
  const child = spawn(process.execPath, [PROGRAM, ...words], { env });
  const told = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (told.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (told.stderr += String(chunk)));
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, ...told })));
}

/** Runs it, and wants it to say yes. */
async function done(words: readonly string[]): Promise<string[]> {
  const { status, stdout, stderr } = await springtide(words);
  expect([status, stderr]).toEqual([0, '']);
  return stdout.trimEnd().split('\n');
}

/** Waits for the controllers that make something of their own at the start. */
async function settled(): Promise<Map<string, unknown>> {
  let last = await everythingIn(plane);
  await until('nothing is added by itself', async () => {
    const [now, former] = [await everythingIn(plane), last];
    last = now;
    return JSON.stringify([...now.keys()]) === JSON.stringify([...former.keys()]) && former.size > 0;
  });
  return last;
}

beforeAll(async () => {
  plane = await startControlPlane();
  await until('there is the default account', async () => {
    return (
      (await plane.api.send({ method: 'GET', path: '/api/v1/namespaces/default/serviceaccounts/default' })).status ===
      200
    );
  });
  before = await settled();
});

afterAll(() => plane.stop());

function lines(text: string, outcome: string): string[] {
  return text.split('\n').filter((line) => line.endsWith(`: ${outcome}`));
}

const PARTS = ['queue-controller', 'scheduler', 'webhook'].map((part) => `springtide-${part}`);
const [QUEUES, SCHEDULER, HOOK] = PARTS;
const OBJECTS = [
  'Namespace springtide-system',
  ...['cardtemplates', 'cohorts', 'flavors', 'pools', 'queues', 'workloads'].map(
    (plural) => `CustomResourceDefinition ${plural}.springtide.io`,
  ),
  `PriorityClass ${SCHEDULER}`,
  ...PARTS.map((part) => `ServiceAccount springtide-system/${part}`),
  ...['ClusterRole', 'ClusterRoleBinding'].flatMap((kind) =>
    [QUEUES, SCHEDULER, `${SCHEDULER}-gangs`, HOOK].map((name) => `${kind} ${name}`),
  ),
  ...['Role', 'RoleBinding'].flatMap((kind) =>
    [`kube-system/${QUEUES}`, `kube-system/${SCHEDULER}`, `springtide-system/${HOOK}`].map((id) => `${kind} ${id}`),
  ),
  ...PARTS.map((part) => `PodDisruptionBudget springtide-system/${part}`),
  `Secret springtide-system/${HOOK}-tls`,
  `Service springtide-system/${HOOK}`,
  ...STARTER_TEMPLATES.map(({ metadata }) => `CardTemplate ${metadata.name}`).toSorted(),
  `Deployment springtide-system/${QUEUES}`,
  `Deployment springtide-system/${SCHEDULER}`,
  `Deployment springtide-system/${HOOK}`,
  `MutatingWebhookConfiguration ${HOOK}`,
  `ValidatingWebhookConfiguration ${HOOK}`,
];

/** Everything is as it was: what was installed is gone, and what was there is unharmed. */
async function expectAsBefore(): Promise<void> {
  expect(Object.fromEntries(await everythingIn(plane))).toEqual(Object.fromEntries(before));
}

async function untilEmpty(path: string): Promise<void> {
  await until(`${path} is empty`, async () => (await plane.api.get(path)).items.length === 0);
}

// The tests of a group go on from each other: an uninstalled namespace takes its seconds to go.

describe('install', () => {
  test('an object of somebody else under one of our names is left alone', async () => {
    const path = `${RBAC}/clusterroles`;
    await plane.api.create(path, { metadata: { name: 'springtide-scheduler' }, rules: [] });
    const { status, stderr } = await springtide(['install', ...IMAGE]);
    const why = 'ClusterRole springtide-scheduler: it was there before, and not because of Springtide\n';
    expect([status, stderr]).toEqual([1, why]);
    await plane.api.delete(`${path}/springtide-scheduler`);
  });

  test('what was refused goes on where it ended; the time after that nothing changes', async () => {
    const want = (outcome: string): string[] => OBJECTS.map((name) => `${name}: ${outcome}`);
    // What stands before the scheduler's role was made the first time.
    const count = OBJECTS.indexOf('ClusterRole springtide-scheduler');
    const [made, missing] = [want('unchanged').slice(0, count), want('created').slice(count)];
    const wantFirst = [...made, ...missing];
    expect((await done(['install', ...IMAGE])).slice(0, OBJECTS.length)).toEqual(wantFirst);
    const then = await everythingIn(plane);
    expect((await done(['install', ...IMAGE])).slice(0, OBJECTS.length)).toEqual(want('unchanged'));
    expect(changedKeys(then, await everythingIn(plane))).toEqual([]);
  });

  test('what is printed is what kubectl applies', async () => {
    const yaml = (await springtide(['install', ...IMAGE, '--print'])).stdout;
    await plane.kubectl(['apply', '-f', '-'], yaml);
    const told = (await plane.kubectl(['apply', '--dry-run=server', '-f', '-'], yaml)).trimEnd().split('\n');
    expect(told).toHaveLength(OBJECTS.length);
    // Of a budget's selector kubectl always writes the whole.
    const changed = told.filter((line) => !line.endsWith(' unchanged (server dry run)'));
    expect(changed).toEqual(PARTS.map((part) => `poddisruptionbudget.policy/${part} configured (server dry run)`));
    expect(lines((await springtide(['install', ...IMAGE])).stdout, 'unchanged')).toHaveLength(OBJECTS.length);
  });

  test('a second namespace is refused, and a user who may not', async () => {
    const moved = await springtide(['install', ...IMAGE, '--namespace', 'elsewhere']);
    expect(moved).toMatchObject({ status: 1, stdout: expect.stringContaining('is installed in springtide-system') });
    const jane = await plane.kubeconfigWithCertificate({ commonName: 'jane', organizations: [] });
    const refused = await springtide(['uninstall', '--yes'], jane);
    expect(refused).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('forbidden') });
  });

  test('both replicas run, apart from each other, under the strictest pod security standard', async () => {
    const names = ['node-a', 'node-b'];
    await Promise.all(names.map((name) => plane.api.create('/api/v1/nodes', nodeObject(name, { cards: 2 }))));
    const kubeScheduler = await plane.startKubeScheduler();
    for (const part of ['scheduler', 'webhook']) {
      const path = `/apis/apps/v1/namespaces/${SPACE}/deployments/springtide-${part}`;
      await until('two replicas are ready', async () => (await plane.api.get(path)).status.readyReplicas === 2);
      const ofPart = `labelSelector=app.kubernetes.io%2Fname%3Dspringtide-${part}`;
      const { items } = await plane.api.get(`/api/v1/namespaces/${SPACE}/pods?${ofPart}`);
      expect(new Set((items as any[]).map((pod) => pod.spec.nodeName))).toEqual(new Set(names));
    }
    await kubeScheduler.stop();
    // These replicas are not real: nobody leads.
    const { status, stdout } = await springtide(['doctor']);
    expect([status, stdout]).toEqual([1, expect.stringContaining('[problem] no scheduler leads')]);
    expect(stdout).toContain('[problem] it does not answer, so that pods that name a card template cannot be made');
    expect(stdout).toContain('[problem] it has no certificate yet');
  });

  test('what the Deployments run places a pod and answers its probes, and no request is denied', async () => {
    const scheduler = await runPart('springtide-scheduler', '0.0.0.0:10270');
    const webhook = await runPart('springtide-webhook', '0.0.0.0:10271');
    const port = Number(new URL(webhook.url).port);
    await untilBelieved(plane);
    await untilBelieved(plane, SCALE_IN_CONFIGURATION);
    const undo = await askWebhookAt(plane, port);
    const undoScaleIn = await askWebhookAt(plane, port, () => ({}), SCALE_IN_CONFIGURATION);
    const pods = '/api/v1/namespaces/default/pods';
    const pod: any = podObject('p', { labels: { 'springtide.io/template': 'whole-1' } });
    delete pod.spec.schedulerName;
    await until('a pod that names a template is made', async () => {
      return (await plane.api.send({ method: 'POST', path: pods, body: pod })).status === 201;
    });
    await until('the pod runs', async () => (await plane.api.get(`${pods}/p`)).status.phase === 'Running');
    await scaleIn();
    const admin = { authorization: `Bearer ${plane.adminToken}` };
    for (const { url, container } of [scheduler, webhook]) {
      expect(await statusOf(`${url}${container.livenessProbe.httpGet.path}`)).toBe(200);
      expect(await statusOf(`${url}${container.readinessProbe.httpGet.path}`)).toBe(200);
      expect(await statusOf(`${url}/metrics`)).toBe(401);
      expect(await statusOf(`${url}/metrics`, admin)).toBe(200);
    }
    const healthy = await done(['doctor']);
    for (const want of [
      'Springtide 0.1.0 is installed in springtide-system',
      '2 of 2 replicas of springtide-scheduler are ready',
      '2 of 2 replicas of springtide-webhook are ready',
      'a pod that names a card template which does not exist is refused by it (tried by dry run)',
      'its certificate is valid for 89 more days',
    ]) {
      expect(healthy).toContain(`  [ok] ${want}`);
    }
    expect(healthy.some((line) => /\[ok\] \S+ leads$/.test(line))).toBe(true);
    await undo();
    await undoScaleIn();
    for (const { stop } of [scheduler, webhook]) expect(await stop()).toBe(0);
    const denied: string[] = [];
    const used = new Set<string>();
    for await (const event of plane.auditEvents()) {
      const [, name = ''] = event.user.username?.split(`system:serviceaccount:${SPACE}:`) ?? [];
      if (name.startsWith('springtide-') && isDenied(event)) denied.push(event.requestURI);
      if (name === 'springtide-webhook') used.add(`${event.verb} ${event.objectRef?.resource}`);
    }
    expect(denied).toEqual([]);
    // All that the webhook may it has done.
    const permissions = [...webhookPermissions('any'), ...webhookSecretPermissions('any')];
    for (const { verbs, resources } of permissions) {
      for (const verb of verbs) expect([...used]).toContain(`${verb} ${resources.join()}`);
    }
    await plane.api.delete(`${pods}/p`, { gracePeriodSeconds: 0 });
    await untilEmpty(pods);
  });
});

interface RunPart {
  readonly url: string;
  /** As it is installed. */
  readonly container: any;
  /** The exit code. */
  readonly stop: () => Promise<unknown>;
}

/** Runs here what a Deployment would run, by its own account, and at an address of this machine. */
async function runPart(name: string, installedAt: string): Promise<RunPart> {
  const account = `/api/v1/namespaces/${SPACE}/serviceaccounts/${name}`;
  const { token } = (await plane.api.create(`${account}/token`, { spec: { expirationSeconds: 3600 } })).status;
  const deployment = await plane.api.get(`/apis/apps/v1/namespaces/${SPACE}/deployments/${name}`);
  const [container] = deployment.spec.template.spec.containers;
  const [port] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  const words = (container.args as string[]).map((word) => word.replace(installedAt, address));
  expect(words).not.toEqual(container.args);
  const child = spawn(process.execPath, [PROGRAM, ...words, '--kubeconfig', plane.kubeconfigWithToken(name, token)]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const stop = (): Promise<unknown> => {
    const ended = new Promise((resolve) => void child.once('close', resolve));
    child.kill('SIGTERM');
    return ended;
  };
  const scheme = container.livenessProbe.httpGet.scheme === 'HTTPS' ? 'https' : 'http';
  return { url: `${scheme}://${address}`, container, stop };
}

/** A Deployment of ours with cards gets one replica fewer, and goes. */
async function scaleIn(): Promise<void> {
  const path = '/apis/apps/v1/namespaces/default/deployments';
  const labels = { app: 'x' };
  const { spec }: any = podObject('', { cards: 1, schedulerName: 'springtide' });
  const template = { metadata: { labels }, spec };
  const body = { metadata: { name: 'x' }, spec: { replicas: 2, selector: { matchLabels: labels }, template } };
  await plane.api.create(path, { apiVersion: 'apps/v1', kind: 'Deployment', ...body });
  await until('two are ready', async () => (await plane.api.get(`${path}/x`)).status.readyReplicas === 2);
  await plane.api.patch(`${path}/x/scale`, { spec: { replicas: 1 } });
  await until('one is left', async () => (await plane.api.get(`${path}/x`)).status.replicas === 1);
  await plane.api.delete(`${path}/x`, { propagationPolicy: 'Foreground' });
  await untilEmpty(path);
}

/** Of a page, whoever has signed its certificate. */
function statusOf(url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const get = url.startsWith('https:') ? httpsGet : httpGet;
    get(url, { headers, rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).once('error', reject);
  });
}

describe('uninstall', () => {
  test('without --yes tells what would go, and whose, and leaves it', async () => {
    const spec = { reason: 'trial', owner: 'jane', nodeSelector: { matchLabels: { team: 'a' } } };
    const pool = { apiVersion: 'springtide.io/v1alpha1', kind: 'Pool', metadata: { name: 'trial' }, spec };
    await plane.kubectl(['apply', '-f', '-'], JSON.stringify(pool));
    const { status, stdout } = await springtide(['uninstall']);
    expect(status).toBe(1);
    expect(lines(stdout, 'would be removed')).toHaveLength(OBJECTS.length + 1);
    // The starter set is not theirs.
    expect(stdout).not.toContain('cardtemplates.springtide.io: 10');
    expect(stdout).toContain('pools.springtide.io: 1 object of yours would be removed with it');
    expect(await plane.kubectl(['get', 'stpool'])).toContain('trial');
  });

  test('P8: the API server holds what it held before', async () => {
    const [space, ...others] = OBJECTS.map((name) => `${name}: removed`);
    expect(await done(['uninstall', '--yes'])).toEqual([
      ...others.toReversed(),
      'Lease kube-system/springtide-scheduler-springtide: removed',
      space,
      'Springtide is gone from this cluster.',
    ]);
    await plane.api.delete('/api/v1/nodes');
    await untilEmpty('/api/v1/nodes');
    await expectAsBefore();
    expect(await done(['uninstall'])).toEqual(['Springtide is not installed here. Nothing was changed.']);
  });

  test('a namespace that was there before is neither made ours nor removed', async () => {
    await plane.api.create('/api/v1/namespaces', { metadata: { name: 'theirs' } });
    const told = await done(['install', ...IMAGE, '--namespace', 'theirs']);
    expect(told).toContain('Namespace theirs: was there before, and stays as it is');
    await done(['uninstall', '--yes']);
    const path = '/api/v1/namespaces/theirs';
    expect((await plane.api.get(path)).status.phase).toBe('Active');
    await plane.api.delete(path);
    await until('it is gone', async () => (await plane.api.send({ method: 'GET', path })).status === 404);
    await expectAsBefore();
  });
});

describe('upgrade', () => {
  test('of nothing is refused', async () => {
    const { status, stdout } = await springtide(['upgrade', ...IMAGE]);
    expect([status, stdout]).toEqual([1, 'Springtide is not installed here. Nothing was changed.\n']);
  });

  test('from the first version: what it had and this one has not is removed', async () => {
    const labels = { 'app.kubernetes.io/managed-by': 'springtide', 'app.kubernetes.io/part-of': 'springtide' };
    await plane.kubectl(['apply', '-f', '-'], FIRST);
    const former = { metadata: { name: 'springtide-former', labels }, rules: [] };
    await plane.api.create(`${RBAC}/clusterroles`, former);
    const image = ['--image', 'registry.example.com/springtide:0.2.0'];
    const told = await done(['upgrade', ...image]);
    expect(told).toContain('ClusterRole springtide-former: removed');
    expect(told).toContain('Deployment springtide-system/springtide-scheduler: changed');
    expect(lines((await springtide(['install', ...image])).stdout, 'unchanged')).toHaveLength(OBJECTS.length);
  });

  test('a namespace in which there is something else outlives uninstall, and it is told what', async () => {
    const path = `/api/v1/namespaces/${SPACE}/configmaps`;
    await plane.api.create(path, { metadata: { name: 'precious' } });
    expect(await done(['uninstall', '--yes'])).toContain('In that namespace there is still: ConfigMap precious');
    await plane.api.delete(`${path}/precious`);
    await done(['uninstall', '--yes']);
    await expectAsBefore();
  });
});

describe('with cert-manager', () => {
  test('its kinds are used, an upgrade stays with it, and nothing is left', async () => {
    const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const kinds = ['Issuer', 'Certificate'].map((kind) => {
      return { group: 'cert-manager.io', version: 'v1', plural: `${kind.toLowerCase()}s`, kind };
    });
    expect((await springtide(['install', ...IMAGE, '--certificates', 'theirs'])).status).toBe(2);
    const { status, stdout, stderr } = await springtide(['install', ...IMAGE, '--certificates', 'cert-manager']);
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining('cert-manager is not installed here')]);
    await addCustomKinds(plane, kinds);
    const told = await done(['install', ...IMAGE, '--certificates', 'cert-manager']);
    expect(told).toContain('Certificate springtide-system/springtide-webhook: created');
    expect(told.filter((line) => line.startsWith('Secret '))).toEqual([]);
    // What cert-manager would make of it.
    const { spec } = await plane.api.get(
      `/apis/cert-manager.io/v1/namespaces/${SPACE}/certificates/springtide-webhook`,
    );
    const secret = { metadata: { name: spec.secretName, labels: spec.secretTemplate.labels } };
    await plane.api.create(`/api/v1/namespaces/${SPACE}/secrets`, secret);
    const upgraded = await done(['upgrade', ...IMAGE]);
    expect(lines(upgraded.join('\n'), 'removed')).toEqual([]);
    expect(upgraded).toContain('Certificate springtide-system/springtide-webhook: unchanged');
    await done(['uninstall', '--yes']);
    for (const { plural } of kinds) await plane.api.delete(`${DEFINITIONS}/${plural}.cert-manager.io`);
    await until('they are no longer served', async () => {
      return (await plane.api.send({ method: 'GET', path: '/apis/cert-manager.io' })).status === 404;
    });
    await expectAsBefore();
  });
});

/** Objects that differ, but for what controllers and the scheduler tell in their status. */
function changedKeys(left: ReadonlyMap<string, unknown>, right: ReadonlyMap<string, unknown>): string[] {
  const text = (object: any): string => JSON.stringify({ ...object, status: null });
  return [...new Set([...left.keys(), ...right.keys()])].filter((key) => text(left.get(key)) !== text(right.get(key)));
}
