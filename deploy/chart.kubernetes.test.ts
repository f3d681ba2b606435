import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { manifestsOf } from '@springtide/adapters/kubernetes/install';
import { type ControlPlane, freePorts, startControlPlane } from '@springtide/testkit/controlplane';
import { addCustomKinds, until } from '@springtide/testkit/controlplane/fixtures';
import { helmProgram } from '@springtide/testkit/helm';
import { promtool } from '@springtide/testkit/promtool';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { DEPLOY } from './generate/index.ts';

/** The chart as Helm itself takes it, on a control plane of its own (issue 5, done when 7). */

const run = promisify(execFile);
const CHART = join(DEPLOY, 'chart');
const PROGRAM = join(DEPLOY, '..', 'cli', 'springtide.js');
const SPACE = 'springtide-system';
const IMAGE = 'registry.example.com/springtide:0.1.0';
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';

const helmFound = await helmProgram((line) => void process.stderr.write(`test bed: ${line}\n`));
const helmHome = mkdtempSync(join(tmpdir(), 'springtide-helm-'));
let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane();
});
afterAll(async () => {
  rmSync(helmHome, { recursive: true });
  await plane.stop();
});
beforeEach(({ skip }) => {
  if ('why' in helmFound) skip(helmFound.why);
});

async function helm(words: readonly string[]): Promise<string> {
  if ('why' in helmFound) throw new Error(helmFound.why);
  const homes = { HELM_CACHE_HOME: helmHome, HELM_CONFIG_HOME: helmHome, HELM_DATA_HOME: helmHome };
  const env = { ...process.env, ...homes, KUBECONFIG: plane.adminKubeconfig };
  const { stdout, stderr } = await run(helmFound.path, words, { env, maxBuffer: 64 * 1024 * 1024 });
  return stdout + stderr;
}

type Values = Readonly<Record<string, string | boolean>>;

function settings(values: Values): string[] {
  return Object.entries({ image: IMAGE, ...values }).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
}

function rendered(values: Values, more: readonly string[] = []): Promise<string> {
  return helm(['template', 'springtide', CHART, '--namespace', SPACE, ...settings(values), ...more]);
}

const MODULES = ['scheduler', 'templates', 'namespaces', 'scaleIn'] as const;
type Modules = Readonly<Record<(typeof MODULES)[number], boolean>>;

/** Every choice of modules. */
const CHOICES: readonly Modules[] = Array.from({ length: 2 ** MODULES.length }, (_, bits) => {
  return Object.fromEntries(MODULES.map((name, index) => [name, (bits & (1 << index)) > 0])) as unknown as Modules;
});

function switches(modules: Modules): Record<string, boolean> {
  return Object.fromEntries(MODULES.map((name) => [`${name}.enabled`, modules[name]]));
}

function nameOf(modules: Modules): string {
  return MODULES.filter((name) => modules[name]).join(' + ') || 'nothing';
}

const needsScheduler = ({ scheduler, templates, namespaces }: Modules): boolean =>
  !scheduler && (templates || namespaces);
const works = CHOICES.filter((modules) => !needsScheduler(modules));
const EXTRAS = {
  'networkPolicy.enabled': true,
  'monitoring.serviceMonitor': true,
  'monitoring.rules': true,
  'monitoring.dashboard': true,
  'monitoring.labels.release': 'prometheus',
};

function objectsOf(text: string): any[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as unknown)
    .filter((object) => object !== null);
}

function idOf({ kind, metadata }: any): string {
  return `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
}

describe('without a cluster', () => {
  test.each([
    ['as it is', {}],
    ['with cert-manager', { 'webhook.certificates': 'cert-manager' }],
    ['with all that is off by default', EXTRAS],
  ])('helm lint has no objection: %s', async (_, values) => {
    const told = await helm(['lint', '--strict', CHART, ...settings(values)]);
    expect(told).toContain('1 chart(s) linted, 0 chart(s) failed');
    expect(told).not.toMatch(/\[(WARNING|ERROR)\]/);
  });

  test.each(['own', 'cert-manager'] as const)(
    'helm template makes what springtide install makes, object by object, with certificates: %s',
    async (certificates) => {
      const made = objectsOf(await rendered({ 'webhook.certificates': certificates }, ['--include-crds']));
      const options = { namespace: SPACE, image: IMAGE, version: '0.1.0', certificates };
      // Helm makes the namespace itself, and says that it manages the rest.
      const wanted = manifestsOf(options).filter(({ kind }) => kind !== 'Namespace');
      const ofHelm = JSON.stringify(wanted).replaceAll('managed-by":"springtide"', 'managed-by":"Helm"');
      expect(Object.fromEntries(made.map((object) => [idOf(object), object]))).toEqual(
        Object.fromEntries((JSON.parse(ofHelm) as any[]).map((object) => [idOf(object), object])),
      );
    },
  );

  test.each(CHOICES.filter(needsScheduler).map((modules) => [nameOf(modules), modules] as const))(
    '%s: refused, with what it needs, in both languages',
    async (_, modules) => {
      await expect(rendered(switches(modules))).rejects.toThrow(
        /(templates|namespaces)\.enabled needs scheduler\.enabled: .* \/ .*依赖 scheduler\.enabled/,
      );
    },
  );

  test.each([
    ['an image that is not given', { image: '' }, /image is not given: .*没有给出 image/],
    ['an image without a tag', { image: 'springtide' }, /'\/image': 'springtide' does not match pattern/],
    ['a module that there is not', { 'quota.enabled': true }, /additional properties 'quota' not allowed/],
    ['a switch that is a text', { 'scaleIn.enabled': 'perhaps' }, /'\/scaleIn\/enabled': got string, want boolean/],
    ['certificates of somebody', { 'webhook.certificates': 'theirs' }, /'\/webhook\/certificates'/],
  ])('%s is refused by its field', async (_, values, why) => {
    await expect(rendered(values)).rejects.toThrow(why);
  });
});

describe('on a cluster', () => {
  beforeAll(async () => {
    await plane.kubectl(['apply', '-f', join(CHART, 'crds')]);
    await plane.api.create('/api/v1/namespaces', {
      metadata: { name: SPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
    const monitoring = (plural: string, kind: string) => ({
      group: 'monitoring.coreos.com',
      version: 'v1',
      plural,
      kind,
    });
    const certificates = (plural: string, kind: string) => ({ group: 'cert-manager.io', version: 'v1', plural, kind });
    await addCustomKinds(plane, [
      monitoring('servicemonitors', 'ServiceMonitor'),
      monitoring('prometheusrules', 'PrometheusRule'),
      certificates('issuers', 'Issuer'),
      certificates('certificates', 'Certificate'),
    ]);
    const templates = '/apis/springtide.io/v1alpha1/cardtemplates';
    await until(
      'our kinds are served',
      async () => (await plane.api.send({ method: 'GET', path: templates })).status === 200,
    );
  });

  const withAll = works.filter((modules) =>
    ['nothing', 'scheduler', 'scaleIn', MODULES.join(' + ')].includes(nameOf(modules)),
  );
  const cases = [
    ...works.map((modules) => [nameOf(modules), switches(modules)] as const),
    ...withAll.map(
      (modules) =>
        [
          `${nameOf(modules)}, and all else`,
          { ...switches(modules), ...EXTRAS, 'webhook.certificates': 'cert-manager' },
        ] as const,
    ),
  ];
  test.each(cases)('the API server takes every object: %s', async (_, values) => {
    const yaml = await rendered(values);
    const objects = objectsOf(yaml);
    if (objects.length === 0) return;
    const told = await plane.kubectl(['apply', '--dry-run=server', '-f', '-'], yaml);
    expect(told.trimEnd().split('\n')).toHaveLength(objects.length);
  });

  test('helm install and upgrade take it by a dry run on the server', async () => {
    const told = await helm(['install', 'tried', CHART, '-n', SPACE, '--dry-run=server', ...settings(EXTRAS)]);
    expect(told).toContain('STATUS: pending-install');
    expect((await plane.api.get(`/apis/apps/v1/namespaces/${SPACE}/deployments`)).items).toEqual([]);
  });

  test('modules are taken up one by one, and each runs with the permissions that came with it', async () => {
    const only = (modules: Partial<Modules>): string[] =>
      settings(switches({ scheduler: false, templates: false, namespaces: false, scaleIn: false, ...modules }));
    await helm(['install', 'springtide', CHART, '-n', SPACE, ...only({ scaleIn: true })]);
    const webhook = await runWebhook();
    const validating = `${CONFIGURATIONS}/validatingwebhookconfigurations/springtide-webhook`;
    await until('the API server has been told whom to believe', async () => {
      const [hook] = (await plane.api.get(validating)).webhooks;
      return hook.clientConfig.caBundle !== undefined;
    });
    expect((await plane.api.send({ method: 'GET', path: mutating })).status).toBe(404);
    const before = await webhook.certificate();
    // The next steps.
    await helm(['upgrade', 'springtide', CHART, '-n', SPACE, ...only({ scaleIn: true, scheduler: true })]);
    await helm(['upgrade', 'springtide', CHART, '-n', SPACE, ...settings({})]);
    await until('the templates are announced too', async () => {
      const { webhooks } = await plane.api.get(mutating);
      return (webhooks as any[]).every(({ clientConfig }) => clientConfig.caBundle !== undefined);
    });
    // An upgrade takes neither the certificate nor whom to believe.
    expect(await webhook.certificate()).toBe(before);
    expect((await plane.api.get(validating)).webhooks[0].clientConfig.caBundle).toBeDefined();
    const scheduler = await runScheduler();
    const pages = await Promise.all([scheduler, webhook].map(({ url }) => pageOf(`${url}/metrics`)));
    expectKnownMetrics(pages.map(({ body }) => body));
    await expectKnownToProgram();
    await scheduler.stop();
    await helm(['upgrade', 'springtide', CHART, '-n', SPACE, ...only({ scaleIn: true, scheduler: true })]);
    expect((await plane.api.send({ method: 'GET', path: mutating })).status).toBe(404);
    await webhook.stop();
    await helm(['uninstall', 'springtide', '-n', SPACE, '--wait']);
    for (const path of [
      '/apis/apps/v1/deployments',
      '/apis/policy/v1/poddisruptionbudgets',
      '/apis/springtide.io/v1alpha1/cardtemplates',
    ]) {
      expect([path, (await plane.api.get(path)).items]).toEqual([path, []]);
    }
  });
});

const mutating = `${CONFIGURATIONS}/mutatingwebhookconfigurations/springtide-webhook`;

interface Running {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Runs here what a Deployment would run, by its own account, until it is ready. */
async function runPart(name: string, port: number, scheme: 'http' | 'https'): Promise<Running> {
  const account = `/api/v1/namespaces/${SPACE}/serviceaccounts/${name}`;
  const { token } = (await plane.api.create(`${account}/token`, { spec: { expirationSeconds: 3600 } })).status;
  const deployment = await plane.api.get(`/apis/apps/v1/namespaces/${SPACE}/deployments/${name}`);
  const [here = 0] = await freePorts(1);
  const words = (deployment.spec.template.spec.containers[0].args as string[]).map((word) =>
    word.replace(`0.0.0.0:${port}`, `127.0.0.1:${here}`),
  );
  const kubeconfig = ['--kubeconfig', plane.kubeconfigWithToken(name, token)];
  const child = spawn(process.execPath, [PROGRAM, ...words, ...kubeconfig], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = `${scheme}://127.0.0.1:${here}`;
  await until(`${name} is ready`, async () => (await pageOf(`${url}/readyz`)).status === 200);
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const stop = (): Promise<void> => {
    child.kill('SIGTERM');
    return ended;
  };
  return { url, stop };
}

async function runWebhook(): Promise<Running & { readonly certificate: () => Promise<string> }> {
  const secret = `/api/v1/namespaces/${SPACE}/secrets/springtide-webhook-tls`;
  const certificate = async (): Promise<string> => (await plane.api.get(secret)).data['tls.crt'];
  return { ...(await runPart('springtide-webhook', 10271, 'https')), certificate };
}

async function runScheduler(): Promise<Running> {
  const running = await runPart('springtide-scheduler', 10270, 'http');
  const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/springtide-scheduler-springtide';
  await until('it leads', async () => (await plane.api.get(lease)).spec.holderIdentity !== '');
  return running;
}

/** What Helm installed is found by the program, which neither takes it over nor removes it. */
async function expectKnownToProgram(): Promise<void> {
  const springtide = (...words: string[]): Promise<string> => {
    const env = { ...process.env, KUBECONFIG: plane.adminKubeconfig, LC_ALL: 'C' };
    const child = spawn(process.execPath, [PROGRAM, ...words], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let told = '';
    child.stdout.on('data', (chunk) => (told += String(chunk)));
    return new Promise((resolve) => void child.once('close', (status) => resolve(`${told}${status}`)));
  };
  const found = await springtide('doctor');
  expect(found).toContain('[ok] Springtide 0.1.0 is installed in springtide-system');
  expect(found).toMatch(/\[ok\] \S+ leads/);
  expect(found).not.toContain('gone from what was installed');
  const left =
    'Springtide is installed in springtide-system by Helm, which changes and removes it too. Nothing was changed.\n1';
  for (const words of [
    ['install', '--image', IMAGE],
    ['upgrade', '--image', IMAGE],
    ['uninstall', '--yes'],
  ]) {
    expect(await springtide(...words)).toBe(left);
  }
}

/** What is shown and what alerts ask for is there, and is named as Prometheus wants it. */
function expectKnownMetrics(pages: readonly string[]): void {
  for (const page of pages) {
    const checked = promtool(['check', 'metrics'], page);
    if (checked !== null) expect(checked).toEqual({ status: 0, told: '' });
  }
  const names = new Set(
    pages
      .join('\n')
      .matchAll(/^# TYPE (\S+)/gm)
      .map(([, name]) => name),
  );
  const asked = ['grafana/springtide.json', 'prometheus/rules.yaml'].map((path) =>
    readFileSync(join(DEPLOY, path), 'utf8'),
  );
  const exprs = asked.flatMap((text) => text.match(/"?expr"?: [^]*?(?="legendFormat"|for:|labels:)/g) ?? []).join('\n');
  const used = new Set((exprs.match(/\b(springtide|process)_\w+/g) ?? []).map((name) => name.replace(/_bucket$/, '')));
  expect(used.size).toBeGreaterThan(20);
  expect([...used].filter((name) => !names.has(name))).toEqual([]);
}

interface Page {
  /** 0 where nobody answers. */
  readonly status: number;
  readonly body: string;
}

/** A page as an administrator gets it, whoever has signed its certificate. */
function pageOf(url: string): Promise<Page> {
  const headers = { authorization: `Bearer ${plane.adminToken}` };
  return new Promise((resolve) => {
    const get = url.startsWith('https:') ? httpsGet : httpGet;
    get(url, { rejectUnauthorized: false, headers }, (response) => {
      let body = '';
      response.on('data', (chunk) => (body += String(chunk)));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
    }).once('error', () => resolve({ status: 0, body: '' }));
  });
}
