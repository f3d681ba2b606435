import { manifestsOf, yamlOf } from '@springtide/adapters/kubernetes/install';
import { type ControlPlane, startControlPlane } from '@springtide/testkit/controlplane';
import { Space, until } from '@springtide/testkit/controlplane/fixtures';
import { type Ran, ranHere } from '@springtide/testkit/program';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { run } from '../../program/index.ts';

/** What waiting people ask, of a live cluster in which the queue controller runs: its own answers are the same. */

const PROGRAM = join(import.meta.dirname, '..', '..', 'springtide.js');
const KINDS = '/apis/springtide.io/v1alpha1';
let plane: ControlPlane;
let space: Space;
let withoutQueues: Ran;

beforeAll(async () => {
  plane = await startControlPlane();
  withoutQueues = await springtide('queue');
  const objects = manifestsOf({ namespace: 'kube-system', image: 'registry.example.com/springtide:1', version: '1' });
  await plane.kubectl(['apply', '-f', '-'], yamlOf(objects.filter(({ kind }) => kind === 'CustomResourceDefinition')));
  for (const plural of ['flavors', 'cohorts', 'queues', 'workloads']) {
    const path = `${KINDS}/${plural}`;
    await until(`${plural} are served`, async () => (await plane.api.send({ method: 'GET', path })).status === 200);
  }
  space = await Space.open(plane);
});

afterAll(async () => {
  await space.close();
  await plane.stop();
});

const springtide = (...words: string[]): Promise<Ran> =>
  ranHere(run, [...words, '--kubeconfig', plane.adminKubeconfig, '--gate-only']);

async function make(kind: string, plural: string, name: string, spec: object): Promise<void> {
  const object = { apiVersion: 'springtide.io/v1alpha1', kind, metadata: { name }, spec };
  await plane.api.create(`${KINDS}/${plural}`, object);
}

/** A Job of one pod with eight cards. */
function job(name: string, queue: string): object {
  const resources = { requests: { cpu: '1', 'nvidia.com/gpu': '8' }, limits: { 'nvidia.com/gpu': '8' } };
  const containers = [{ name: 'main', image: 'none.invalid/none', resources }];
  const template = { spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 0, containers } };
  const metadata = { name, namespace: space.namespace, labels: { 'springtide.io/queue-name': queue } };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { suspend: true, template } };
}

const submit = (name: string, queue: string): Promise<unknown> =>
  plane.api.create(`/apis/batch/v1/namespaces/${space.namespace}/jobs`, job(name, queue));

const status = async (name: string): Promise<any> =>
  (await plane.api.send({ method: 'GET', path: `${KINDS}/namespaces/${space.namespace}/workloads/job-${name}` })).body
    .status ?? {};

async function begin(): Promise<void> {
  const scheduler = await plane.startKubeScheduler({ name: 'default-scheduler' });
  onTestFinished(() => scheduler.stop());
  await space.addNodes(2, { cards: 8 });
  await make('Flavor', 'flavors', 'a100', { nodeSelector: space.nodeLabels, priceMicrosPerCardHour: 2_000_000 });
  await make('Cohort', 'cohorts', 'research', {});
  for (const name of ['left', 'right']) {
    const flavors = [{ name: 'a100', resources: [{ name: 'cards', nominal: 8 }] }];
    await make('Queue', 'queues', name, { cohort: 'research', namespaceSelector: {}, flavors });
  }
  const args = ['queue-controller', '--kubeconfig', plane.adminKubeconfig, '--listen', '127.0.0.1:0', '--gate-only'];
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
  onTestFinished(async () => {
    const ended = new Promise((resolve) => void child.once('close', resolve));
    child.kill('SIGTERM');
    await ended;
  });
}

test('a cluster that has no queues is told so, and what to do', () => {
  expect(withoutQueues).toMatchObject({ status: 2, stdout: '' });
  expect(withoutQueues.stderr).toMatch(/which does not have them.*Install them with springtide install\.\n$/);
});

test('Q5: queue, explain job/x and submit --dry-run say of a live cluster what the queue controller decides', async () => {
  await begin();
  const folder = mkdtempSync(join(tmpdir(), 'springtide-live-queues-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'job.json');
  writeFileSync(file, JSON.stringify(job('d', 'right')));

  const early = await springtide('submit', '--dry-run', file, '--json');
  expect(early.stderr).toBe('');
  expect(JSON.parse(early.stdout)).toMatchObject({
    jobs: [{ flavors: [{ flavor: 'a100', start: { kind: 'now' }, priceMicrosPerHour: 16_000_000 }] }],
  });

  for (const name of ['a', 'b']) await submit(name, 'left');
  for (const name of ['a', 'b'])
    await until(`${name} runs`, async () => (await status(name)).state === 'running', 60_000);
  // What was lent runs for its ten minutes before it is asked back.
  await submit('c', 'right');
  await until('c is told why it waits', async () => (await status('c')).position === 1, 30_000);
  expect(await status('c')).toMatchObject({ reason: 'quota', waiting: 1 });

  const { stdout } = await springtide('queue', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    queues: [
      { queue: 'left', jobs: { running: 2 }, quotas: [{ used: 16, borrowed: 8 }] },
      {
        queue: 'right',
        quotas: [{ used: 0, lent: 8, available: 0 }],
        waiting: [{ job: `${space.namespace}/job-c`, position: 1, wait: { kind: 'quota' } }],
      },
    ],
    unreadable: [],
  });

  const explained = await springtide('explain', `job/${space.namespace}/c`);
  expect([explained.status, explained.stderr]).toEqual([1, '']);
  expect(explained.stdout).toContain(`job/${space.namespace}/c waits in queue right: 1 of 1.`);
  expect(explained.stdout).toContain('cards of a100: 8 asked, 0 available in research.');
  expect(explained.stdout).toContain('It starts when borrowed quota comes back from left (8)');
  expect(explained.stdout).toMatch(/Until when: about \d+ min \(9 of 10: within \d+ (?:min|h)\)/);

  const later = await springtide('submit', '--dry-run', file, '--lang', 'zh');
  expect([later.status, later.stderr]).toEqual([0, '']);
  expect(later.stdout).toMatch(/a100：等待，约 .*：队列的配额不够/);
  expect(later.stdout).toContain('在队列中的位置：第 2 位，共 2 个。');
});
