import { controlPlane, nodeObject, type Space, spaceForTest, until } from '@springtide/testkit/controlplane/fixtures';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const PROGRAM = join(import.meta.dirname, '..', '..', 'springtide.js');
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const plane = controlPlane();

interface Told {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function doctor(words: readonly string[], kubeconfig = plane.adminKubeconfig): Promise<Told> {
  const env = { ...process.env, KUBECONFIG: kubeconfig, LC_ALL: 'C' };
  const child = spawn(process.execPath, [PROGRAM, 'doctor', ...words], { env });
  const told = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (told.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (told.stderr += String(chunk)));
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, ...told })));
}

/** Its findings as `level check id`, and what was told of each. */
async function findings(kubeconfig?: string): Promise<{ status: number | null; levels: string[]; all: any[] }> {
  const { status, stdout, stderr } = await doctor(['--json'], kubeconfig);
  expect(stderr).toBe('');
  const all = JSON.parse(stdout).findings as any[];
  return { status, all, levels: all.map(({ level, check, id }) => `${level} ${check} ${id}`) };
}

/** Makes an object for the test. */
async function make(path: string, object: { readonly metadata: { readonly name: string } }): Promise<void> {
  await plane.api.create(path, object);
  onTestFinished(
    async () => void (await plane.api.send({ method: 'DELETE', path: `${path}/${object.metadata.name}` })),
  );
}

/** A Deployment without pods. */
async function makeDeployment({ namespace }: Space, name: string): Promise<void> {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'none.invalid/none' }] } };
  const spec = { replicas: 0, selector: { matchLabels: labels }, template };
  await plane.api.create(`/apis/apps/v1/namespaces/${namespace}/deployments`, { metadata: { name }, spec });
}

/** A kubeconfig of the admin whose context is in the space. */
async function contextIn({ namespace }: Space): Promise<string> {
  const kubeconfig = plane.kubeconfigWithToken('admin', plane.adminToken);
  await plane.kubectl(['--kubeconfig', kubeconfig, 'config', 'set-context', 'testbed', '--namespace', namespace]);
  return kubeconfig;
}

test('a cluster that is fit: nothing but what is fine and what is not there yet', async () => {
  const space = await spaceForTest(plane);
  await space.addNodes(1, { cards: 4 });
  const { status, levels, all } = await findings();
  expect(status).toBe(0);
  for (const want of [
    'ok server tested',
    'ok apis all',
    'ok apis gangs',
    'ok clock same',
    'ok cards offered',
    'ok webhooks none',
    'ok webhooks kept',
    'ok permissions all',
    'ok installation none',
  ]) {
    expect(levels).toContain(want);
  }
  expect(levels.filter((level) => level.startsWith('problem'))).toEqual([]);
  expect(all.find(({ id }) => id === 'kept').todo).toBe(null);
});

test('a policy that rewrites schedulerName is found by trying, and named; nothing is made', async () => {
  const space = await spaceForTest(plane);
  await space.addNodes(1, { cards: 4 });
  const name = `rewrites-${space.id}`;
  const policy = {
    metadata: { name },
    spec: {
      matchConstraints: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': space.namespace } },
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
      matchConditions: [
        {
          name: 'cards',
          expression: "object.spec.containers.exists(c, 'nvidia.com/gpu' in c.?resources.?limits.orValue({}))",
        },
      ],
      reinvocationPolicy: 'Never',
      mutations: [
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: { expression: 'Object{spec: Object.spec{schedulerName: "hami-scheduler"}}' },
        },
      ],
    },
  };
  await make(`${ADMISSION}/mutatingadmissionpolicies`, policy);
  const binding = { metadata: { name }, spec: { policyName: name } };
  await make(`${ADMISSION}/mutatingadmissionpolicybindings`, binding);
  const kubeconfig = await contextIn(space);
  let told = await findings(kubeconfig);
  await until('the policy is in force', async () => {
    told = await findings(kubeconfig);
    return told.status === 1;
  });
  expect(told.levels).toContain('problem webhooks rewrittenCards');
  const found = told.all.find(({ id }) => id === 'rewrittenCards');
  expect(found.values).toEqual({ name: 'hami-scheduler', resource: 'nvidia.com/gpu' });
  expect(found.todo).toContain(name);
  expect(await space.pods()).toEqual([]);
  const chinese = await doctor(['--lang', 'zh'], kubeconfig);
  expect(chinese.stdout).toContain('被改写成了 schedulerName: hami-scheduler');
});

test('what stands in the way is told: webhooks by name, other schedulers, silent and sick cards', async () => {
  const space = await spaceForTest(plane);
  const [node = ''] = await space.addNodes(1, { cards: 4 });
  await space.addPod('theirs', { cards: 1, schedulerName: 'volcano' });
  const mute = nodeObject(`mute-${space.id}`, { labels: { ...space.nodeLabels, 'nvidia.com/gpu.present': 'true' } });
  await plane.api.create('/api/v1/nodes', mute);
  const status = { status: { allocatable: { 'nvidia.com/gpu': '3' } } };
  await plane.api.patch(`/api/v1/nodes/${node}/status`, status);
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }];
  const clientConfig = { url: 'https://127.0.0.1:9/none' };
  const hook = { name: 'vgpu.hami.io', rules, clientConfig, sideEffects: 'None', failurePolicy: 'Ignore' };
  const matching = {
    admissionReviewVersions: ['v1'],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': space.namespace } },
  };
  const webhooks = [{ ...hook, ...matching }];
  await make(`${ADMISSION}/mutatingwebhookconfigurations`, { metadata: { name: 'hami-webhook' }, webhooks } as any);
  await makeDeployment(space, 'kueue-controller-manager');
  const { levels, all } = await findings();
  expect(levels).toContain('warning webhooks known');
  expect(all.find(({ id }) => id === 'present').values).toEqual({
    names: `${space.namespace}/kueue-controller-manager`,
  });
  expect(all).toContainEqual(
    expect.objectContaining({ level: 'problem', id: 'silent', values: { nodes: `mute-${space.id}`, count: 1 } }),
  );
  expect(all).toContainEqual(
    expect.objectContaining({ level: 'warning', id: 'sick', values: { nodes: node, count: 1 } }),
  );
  expect(all).toContainEqual(
    expect.objectContaining({ check: 'schedulers', id: 'other', values: { name: 'volcano', count: 1 } }),
  );
});

test('who may not look is told what could not be seen, and what it takes', async () => {
  const jane = await plane.kubeconfigWithCertificate({ commonName: 'jane', organizations: [] });
  const { status, levels, all } = await findings(jane);
  expect(status).toBe(0);
  for (const check of ['cards', 'schedulers', 'webhooks', 'installation', 'leader']) {
    expect(levels).toContain(`warning ${check} unread`);
  }
  expect(all.find(({ check }) => check === 'permissions')).toMatchObject({ level: 'warning', id: 'missing' });
  expect(all.find(({ check }) => check === 'permissions').found).toContain('jane may not install');
});

test('where nobody answers, that is told in one line', async () => {
  const { status, stdout, stderr } = await doctor([], plane.kubeconfigWithToken('nobody', 'wrong'));
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^springtide: cannot read the cluster https:\S+: .*\n$/);
});
