import { QUEUEING_DEFINITIONS } from '@springtide/adapters/kubernetes/install';
import { type ControlPlane, startControlPlane } from '@springtide/testkit/controlplane';
import { Space, until } from '@springtide/testkit/controlplane/fixtures';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

const PROGRAM = join(import.meta.dirname, '..', '..', 'springtide.js');
const KINDS = '/apis/springtide.io/v1alpha1';
const KILLS = 20;
/** Jobs that come between two kills. */
const JOBS = 4;
const CARDS = 16;

let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane();
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const definition of QUEUEING_DEFINITIONS) await plane.api.create(definitions, definition);
  const path = `${KINDS}/workloads`;
  await until('they are served', async () => (await plane.api.send({ method: 'GET', path })).status === 200);
});

afterAll(() => plane.stop());

test('the leader killed in the midst, 20 times: nothing lost, nothing admitted twice (I2, I4, I6)', async () => {
  const space = await Space.open(plane);
  const scheduler = await plane.startKubeScheduler({ name: 'default-scheduler' });
  onTestFinished(() => scheduler.stop());
  await space.addNodes(2, { cards: CARDS / 2 });
  const create = (kind: string, plural: string, name: string, spec: object): Promise<unknown> =>
    plane.api.create(`${KINDS}/${plural}`, { apiVersion: 'springtide.io/v1alpha1', kind, metadata: { name }, spec });
  await create('Flavor', 'flavors', 'a100', { nodeSelector: space.nodeLabels });
  const flavors = [{ name: 'a100', resources: [{ name: 'cards', nominal: CARDS }] }];
  await create('Queue', 'queues', 'main', { namespaceSelector: {}, flavors });
  const jobs = `/apis/batch/v1/namespaces/${space.namespace}/jobs`;
  const leased = async (): Promise<string> =>
    (
      await plane.api.send({
        method: 'GET',
        path: `/apis/coordination.k8s.io/v1/namespaces/${space.namespace}/leases/springtide-queue-controller`,
      })
    ).body.spec?.holderIdentity ?? '';

  const running: ChildProcess[] = [];
  const begin = (): void => {
    const args = [
      'queue-controller',
      '--gate-only',
      '--kubeconfig',
      plane.adminKubeconfig,
      '--listen',
      '127.0.0.1:0',
      '--lease-namespace',
      space.namespace,
    ];
    const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    running.push(child);
  };
  begin();
  let [made, last] = [0, ''];
  for (let kill = 0; kill < KILLS; kill += 1) {
    let leader = '';
    await until('another leads', async () => (leader = await leased()) !== '' && leader !== last);
    last = leader;
    for (let job = 0; job < JOBS; job += 1) await submit(jobs, `job-${(made += 1)}`);
    // In the midst of its work, at another moment each time.
    await sleep(50 + ((kill * 137) % 900));
    running.shift()?.kill('SIGKILL');
    expect(await cardsAtWork(jobs)).toBeLessThanOrEqual(CARDS);
    begin();
  }
  await until(
    'all jobs are done',
    async () => {
      expect(await cardsAtWork(jobs)).toBeLessThanOrEqual(CARDS);
      const { items } = await plane.api.get(jobs);
      return (items as any[]).every(({ status }) => status.succeeded === 1);
    },
    300_000,
  );
  const { items } = await plane.api.get(`${KINDS}/namespaces/${space.namespace}/workloads`);
  await until('they are kept so', async () => {
    const now = await plane.api.get(`${KINDS}/namespaces/${space.namespace}/workloads`);
    return (now.items as any[]).every(({ status }) => status?.state === 'done');
  });
  expect(items).toHaveLength(KILLS * JOBS);
  for (const { status } of items as any[]) expect(status).toMatchObject({ incarnation: 1 });
});

/** A Job of one pod with four cards, which runs for a second. */
async function submit(jobs: string, name: string): Promise<void> {
  const resources = { requests: { cpu: '1', 'nvidia.com/gpu': '4' }, limits: { 'nvidia.com/gpu': '4' } };
  const containers = [{ name: 'main', image: 'none.invalid/none', resources }];
  const metadata = { annotations: { 'pod-complete.stage.kwok.x-k8s.io/delay': '1s' } };
  const template = { metadata, spec: { restartPolicy: 'Never', containers } };
  const about = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, labels: { 'springtide.io/queue-name': 'main' } },
  };
  await plane.api.create(jobs, { ...about, spec: { suspend: true, template } });
}

/** Cards of Jobs that may have pods and are not done. */
async function cardsAtWork(jobs: string): Promise<number> {
  const { items } = await plane.api.get(jobs);
  return (items as any[]).filter(({ spec, status }) => !spec.suspend && status.succeeded !== 1).length * 4;
}
