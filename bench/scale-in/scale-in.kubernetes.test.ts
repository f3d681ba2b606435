import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { fileURLToPath } from 'node:url';
import {
  CertificateAuthority,
  type ControlPlane,
  freePorts,
  startControlPlane,
} from '@springtide/testkit/controlplane';
import { type Space, spaceForTest, until } from '@springtide/testkit/controlplane/fixtures';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { DEPLOYMENT, furnish, replicasOf, scale } from './cluster.ts';
import { type Layout, layoutOf } from './layouts.ts';
import { runScaleIn } from './run.ts';
import { askAt, type RunningWebhook, startWebhook, STEERED } from './webhook.ts';

// The webhook is installed for the whole cluster: one of its own.
let plane: ControlPlane;
let webhook: RunningWebhook;

beforeAll(async () => {
  plane = await startControlPlane({ auditLevel: 'None' });
  webhook = await startWebhook(plane);
});

afterAll(async () => {
  await webhook.stop();
  await plane.stop();
});

const PROGRAM = fileURLToPath(new URL('../../cli/springtide.js', import.meta.url));
const COST = 'controller.kubernetes.io/pod-deletion-cost';

/** Two machines: one holds six of the replicas, the other two. Kubernetes' own order thins the crowded one. */
const CROWDED: Layout = {
  seed: 0,
  machines: 2,
  asks: { cards: 1, parts: 1 },
  replicas: [0, 0, 0, 0, 0, 0, 1, 1].map((machine, card) => ({ machine, card })),
  others: [],
  to: 6,
};

async function steeredSpace(layout = CROWDED): Promise<{ space: Space; nodes: readonly string[] }> {
  const space = await spaceForTest(plane);
  await plane.api.patch(`/api/v1/namespaces/${space.namespace}`, { metadata: { labels: STEERED } });
  return { space, nodes: await furnish(plane, space, layout) };
}

async function onNode(space: Space, node: string | undefined, count: number): Promise<string[]> {
  const pods = await replicasOf(space, count);
  return pods.filter((pod) => pod.spec.nodeName === node).map((pod) => pod.metadata.name);
}

async function costs(space: Space): Promise<string[]> {
  const pods = await space.pods();
  return pods.flatMap((pod) => pod.metadata.annotations?.[COST] ?? []);
}

describe('with the webhook', () => {
  test.each([1, 2, 3, 4])('P6: the pods that are deleted are those that were chosen (layout %i)', async (seed) => {
    const { chosen, deleted, freed } = await runScaleIn(plane, layoutOf(seed), STEERED);
    expect(chosen).toEqual(deleted);
    expect(freed.cards).toBeGreaterThan(0);
  });

  test('P6: the emptier machine is freed, by scale and by an update of the Deployment itself', async () => {
    const { space, nodes } = await steeredSpace();
    const path = `/apis/apps/v1/namespaces/${space.namespace}/deployments/${DEPLOYMENT}`;
    await plane.api.patch(path, { spec: { replicas: 6 } });
    expect(await onNode(space, nodes[1], 6)).toEqual([]);
  });

  test('springtide scale-in --dry-run shows before who will leave', async () => {
    const { space } = await steeredSpace(layoutOf(4));
    const before = (await space.pods()).map((pod) => pod.metadata.name as string);
    const where = ['-n', space.namespace, '--kubeconfig', plane.adminKubeconfig];
    const words = ['scale-in', '--dry-run', `deploy/${DEPLOYMENT}`, '--to', String(layoutOf(4).to), '--json', ...where];
    const shown = spawnSync(process.execPath, [PROGRAM, ...words], { encoding: 'utf8' });
    const leaving = JSON.parse(shown.stdout).leaving.map((each: any) => each.pod.split('/')[1]);
    await scale(plane, space, layoutOf(4).to);
    const left = await replicasOf(space, layoutOf(4).to);
    const stayed = new Set((await space.pods()).map((pod) => pod.metadata.name as string));
    expect(left).toHaveLength(layoutOf(4).to);
    expect(before.filter((name) => !stayed.has(name)).toSorted()).toEqual(leaving.toSorted());
  });

  test('a ReplicaSet by itself is chosen from as well', async () => {
    const { space, nodes } = await steeredSpace();
    const sets = `/apis/apps/v1/namespaces/${space.namespace}/replicasets`;
    const [set] = (await plane.api.get(sets)).items;
    // Without its Deployment, which would set it back.
    await plane.api.delete(
      `/apis/apps/v1/namespaces/${space.namespace}/deployments/${DEPLOYMENT}?propagationPolicy=Orphan`,
    );
    await plane.api.patch(`${sets}/${set.metadata.name}/scale`, { spec: { replicas: 6 } });
    expect(await onNode(space, nodes[1], 6)).toEqual([]);
  });

  test('nothing is written where all leave, where nobody does, and on a dry run', async () => {
    const { space } = await steeredSpace();
    const path = `/apis/apps/v1/namespaces/${space.namespace}/deployments/${DEPLOYMENT}/scale`;
    await plane.api.patch(`${path}?dryRun=All`, { spec: { replicas: 3 } });
    await scale(plane, space, 9);
    await replicasOf(space, 9);
    expect(await costs(space)).toEqual([]);
    await scale(plane, space, 0);
    await replicasOf(space, 0);
  });

  test('what others wrote stays, and decides before us: their pod is spared, a pod that is not ready goes first', async () => {
    const { space, nodes } = await steeredSpace();
    const [kept = '', left = ''] = await onNode(space, nodes[1], 8);
    await plane.api.patch(`${space.path}/pods/${kept}`, { metadata: { annotations: { [COST]: '100' } } });
    await scale(plane, space, 6);
    const pods = await replicasOf(space, 6);
    const names = pods.map((pod) => pod.metadata.name);
    expect(names).toContain(kept);
    expect(names).not.toContain(left);
    expect((await space.pod(kept)).metadata.annotations[COST]).toBe('100');
  });

  test('during a rollout only the ReplicaSet that shrinks is chosen from, by what the controller takes of it', async () => {
    const { space, nodes } = await steeredSpace();
    const path = `/apis/apps/v1/namespaces/${space.namespace}/deployments/${DEPLOYMENT}`;
    const strategy = { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } };
    const template = { metadata: { annotations: { version: '2' } } };
    // The new pods find no scheduler: the rollout stays where it is.
    await plane.api.patch(path, { spec: { strategy, template } });
    await replicasOf(space, 10);
    await scale(plane, space, 6);
    await until('the old ReplicaSet has shrunk', async () => {
      const old = (await space.pods()).filter((pod) => pod.spec.nodeName !== undefined);
      return old.length <= 6;
    });
    const old = (await space.pods()).filter((pod) => pod.spec.nodeName !== undefined);
    expect(old.map((pod) => pod.spec.nodeName)).toEqual(old.map(() => nodes[0]));
  });

  test('twice at once: it ends as it was asked last, and the emptier machine is freed either way', async () => {
    const { space, nodes } = await steeredSpace();
    await Promise.all([scale(plane, space, 6), scale(plane, space, 5)]);
    const path = `/apis/apps/v1/namespaces/${space.namespace}/deployments/${DEPLOYMENT}`;
    const { replicas } = (await plane.api.get(path)).spec;
    await until('the emptier machine is free', async () => {
      const pods = (await space.pods()).filter((pod) => pod.metadata.deletionTimestamp === undefined);
      return pods.length === replicas && pods.every((pod) => pod.spec.nodeName !== nodes[1]);
    });
    expect([5, 6]).toContain(replicas);
  });
});

describe('without an answer of the webhook the change is made by the default order', () => {
  test('nobody listens', async () => {
    const [port = 0] = await freePorts(1);
    await askAt(plane, port);
    const { space } = await steeredSpace();
    await scale(plane, space, 6);
    await replicasOf(space, 6);
    expect(await costs(space)).toEqual([]);
  });

  test('it never answers', async () => {
    const authority = new CertificateAuthority('silent');
    const { certificate: cert, key } = authority.issueServer('silent', ['127.0.0.1']);
    let asked = 0;
    const server = createServer({ cert, key }, () => {
      asked += 1;
    });
    const [port = 0] = await freePorts(1);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    await askAt(plane, port, Buffer.from(authority.certificate).toString('base64'));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { space } = await steeredSpace();
    await scale(plane, space, 6);
    await replicasOf(space, 6);
    expect(await costs(space)).toEqual([]);
    expect(asked).toBeGreaterThan(0);
  });
});
