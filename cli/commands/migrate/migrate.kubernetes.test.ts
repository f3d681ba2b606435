import { QUEUEING_DEFINITIONS } from '@springtide/adapters/kubernetes/install';
import { type ControlPlane, startControlPlane } from '@springtide/testkit/controlplane';
import { until } from '@springtide/testkit/controlplane/fixtures';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const PROGRAM = join(import.meta.dirname, '..', '..', 'springtide.js');
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const KUEUE = '/apis/kueue.x-k8s.io/v1beta2';
let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane();
});

afterAll(() => plane.stop());

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function springtide(...words: string[]): Promise<Ran> {
  const env = { ...process.env, KUBECONFIG: plane.adminKubeconfig, LC_ALL: 'C' };
  const child = spawn(process.execPath, [PROGRAM, ...words], { env });
  const told = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (told.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (told.stderr += String(chunk)));
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, ...told })));
}

/** A kind of Kueue's, as far as its objects are read. */
function definitionOf(kind: string, plural: string, scope: 'Cluster' | 'Namespaced'): object {
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.kueue.x-k8s.io`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests' },
    },
    spec: {
      group: 'kueue.x-k8s.io',
      scope,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [{ name: 'v1beta2', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

test('what Kueue has in a live cluster becomes ours, which the API server takes; doctor says whose what is', async () => {
  expect(await springtide('migrate', 'kueue')).toMatchObject({ status: 2, stdout: '' });
  const kinds = [
    ['ResourceFlavor', 'resourceflavors', 'Cluster'],
    ['ClusterQueue', 'clusterqueues', 'Cluster'],
    ['LocalQueue', 'localqueues', 'Namespaced'],
    ['WorkloadPriorityClass', 'workloadpriorityclasses', 'Cluster'],
  ] as const;
  for (const [kind, plural, scope] of kinds) await plane.api.create(DEFINITIONS, definitionOf(kind, plural, scope));
  for (const [, plural] of kinds) {
    const path = `${KUEUE}/${plural}`;
    await until(`${plural} are served`, async () => (await plane.api.send({ method: 'GET', path })).status === 200);
  }
  const about = (kind: string, name: string): object => ({
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind,
    metadata: { name },
  });
  const resources = [
    { name: 'cpu', nominalQuota: '500m' },
    { name: 'nvidia.com/gpu', nominalQuota: 8, borrowingLimit: '4' },
  ];
  const groups = [{ coveredResources: ['cpu', 'nvidia.com/gpu'], flavors: [{ name: 'a100', resources }] }];
  await plane.api.create(`${KUEUE}/resourceflavors`, {
    ...about('ResourceFlavor', 'a100'),
    spec: { nodeLabels: { card: 'a100' } },
  });
  await plane.api.create(`${KUEUE}/clusterqueues`, {
    ...about('ClusterQueue', 'nlp'),
    spec: { cohortName: 'research', namespaceSelector: {}, resourceGroups: groups },
  });
  await plane.api.create(`${KUEUE}/namespaces/default/localqueues`, {
    ...about('LocalQueue', 'main'),
    spec: { clusterQueue: 'nlp' },
  });
  await plane.api.create(`${KUEUE}/workloadpriorityclasses`, { ...about('WorkloadPriorityClass', 'high'), value: 100 });

  const { status, stdout, stderr } = await springtide('migrate', 'kueue');
  expect([status, stderr]).toEqual([0, '4 objects written; 0 points are not as in Kueue.\n']);
  for (const definition of QUEUEING_DEFINITIONS) await plane.api.create(DEFINITIONS, definition);
  await until('they are taken', async () => {
    const path = '/apis/springtide.io/v1alpha1/queues';
    return (await plane.api.send({ method: 'GET', path })).status === 200;
  });
  await plane.kubectl(['apply', '-f', '-'], stdout);
  const { spec } = await plane.api.get('/apis/springtide.io/v1alpha1/queues/nlp');
  expect(spec).toMatchObject({ cohort: 'research', aliases: ['default/main'] });
  expect(spec.flavors[0].resources).toEqual([
    { name: 'cpu', nominal: '500m' },
    { name: 'cards', nominal: 8, borrowingLimit: 4 },
  ]);
  expect((await plane.api.get('/apis/scheduling.k8s.io/v1/priorityclasses/high')).value).toBe(100);
  const doctor = (await springtide('doctor')).stdout;
  expect(doctor).toContain('[ok] Kueue is here with 1 LocalQueue');
  expect(doctor).toContain(
    '[warning] aliases of Springtide’s queues that are LocalQueues of Kueue, which keeps their work: default/main',
  );
});
