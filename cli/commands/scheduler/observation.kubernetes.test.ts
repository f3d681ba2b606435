import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@springtide/adapters/clock';
import { readKubeconfig } from '@springtide/adapters/kubernetes/client';
import { controlPlane, spaceForTest, until } from '@springtide/testkit/controlplane/fixtures';
import { expect, onTestFinished, test } from 'vitest';
import { replay } from '../replay-dump/outcome.ts';
import { readDump } from '../replay-dump/read.ts';
import { observe } from './observation.ts';
import { pagesOf } from './pages.ts';
import { schedulerOn } from './index.ts';

const plane = controlPlane();
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

interface Got {
  readonly status: number;
  readonly body: Buffer;
}

function get(port: number, path: string, token = ''): Promise<Got> {
  const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
    });
    asked.once('error', reject);
    asked.end();
  });
}

/** Lets an account read what is no resource. */
async function allow(namespace: string, account: string, urls: readonly string[]): Promise<void> {
  const name = `${account}-${namespace}`;
  const rules = [{ nonResourceURLs: urls, verbs: ['get'] }];
  await plane.api.create(`${RBAC}/clusterroles`, { kind: 'ClusterRole', metadata: { name }, rules });
  await plane.api.create(`${RBAC}/clusterrolebindings`, {
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
  });
  onTestFinished(async () => {
    await plane.api.delete(`${RBAC}/clusterrolebindings/${name}`);
    await plane.api.delete(`${RBAC}/clusterroles/${name}`);
  });
}

test('O7: health is open to all; metrics take a token with the right to them', async () => {
  const space = await spaceForTest(plane);
  const config = readKubeconfig({ path: plane.adminKubeconfig });
  if (!config.ok) throw new Error(config.error.message);
  const name = `springtide-${space.id}`;
  const service = schedulerOn(config.value, { name, leaseNamespace: space.namespace });
  const observation = await observe(
    pagesOf(service, systemClock),
    { listen: '127.0.0.1:0' },
    { config: config.value, clock: systemClock },
  );
  onTestFinished(async () => {
    await service.stop();
    await observation.stop();
  });
  const { port } = observation;
  expect(await get(port, '/readyz')).toMatchObject({ status: 503 });
  service.start();
  await until('it leads', async () => Promise.resolve(service.isLeading));
  await until('it is ready', async () => (await get(port, '/readyz')).status === 200);
  expect((await get(port, '/healthz')).body.toString()).toBe('[+]loop ok\nok\n');

  await space.addNodes(1, { cards: 4 });
  await space.addPod('mine', { schedulerName: name, cards: 3 });
  await space.untilPod('mine', (pod) => pod.spec.nodeName !== undefined);
  await space.addPod('waits', { schedulerName: name, cards: 2 });
  await space.untilPod('waits', (pod) => (pod.status.conditions ?? []).length > 0);

  const [weak, strong] = [await space.addAccount('weak'), await space.addAccount('strong')];
  await allow(space.namespace, 'strong', ['/metrics', '/debug/state']);
  expect((await get(port, '/metrics')).status).toBe(401);
  expect((await get(port, '/metrics', 'no-such-token')).status).toBe(401);
  expect((await get(port, '/metrics', weak)).status).toBe(403);
  const metrics = await get(port, '/metrics', strong);
  expect(metrics.status).toBe(200);
  const text = metrics.body.toString();
  expect(text).toContain('\nspringtide_binds_total{answer="bound"} 1\n');
  expect(text).toContain('\nspringtide_pending_pods{reason="no-machine"} 1\n');
  expect(text).toContain('\nspringtide_cards_held{scheduler="ours"} 3\n');
  expect(text).toContain('\nspringtide_leading 1\n');
  // Where Prometheus' own checker is installed, it has the last word.
  const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  if (checked.error === undefined) expect([checked.status, checked.stderr]).toEqual([0, '']);

  // The state takes the same right, and its decisions are made again at a desk.
  expect((await get(port, '/debug/state')).status).toBe(401);
  expect((await get(port, '/debug/state', weak)).status).toBe(403);
  const state = await get(port, '/debug/state', strong);
  expect(state.status).toBe(200);
  const folder = await mkdtemp(join(tmpdir(), 'springtide-state-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'state.ndjson.gz');
  await writeFile(file, state.body);
  const dump = await readDump(file);
  expect(dump.head.facts).toMatchObject({ isLeading: true, cardsHeld: { ours: 3, others: 0 } });
  const decided: string[] = [];
  const outcome = replay(dump, (step) => decided.push(...step.decided.map(({ kind }) => kind)));
  expect(outcome).toMatchObject({ different: 0, first: null });
  expect(decided).toEqual(expect.arrayContaining(['bind', 'report']));
});
