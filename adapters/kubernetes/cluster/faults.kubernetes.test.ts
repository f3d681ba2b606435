import type { ClusterOrders, PodRef } from '@springtide/ports/cluster';
import { Observer } from '@springtide/testkit/conformance/cluster';
import { RealWorld } from '@springtide/testkit/conformance/real-cluster';
import { controlPlane } from '@springtide/testkit/controlplane/fixtures';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LEASE_TIMES } from '../lease/election.ts';
import { watchLineOf } from '../watch/watch-line.ts';

const plane = controlPlane();

async function worldForTest(): Promise<RealWorld> {
  const world = await RealWorld.open(plane);
  onTestFinished(() => world.close());
  return world;
}

/** Many pods on one machine that takes them all. */
async function manyPods(world: RealWorld, count: number): Promise<{ machine: string; pods: PodRef[] }> {
  const [machine = ''] = await world.space.addNodes(1, { podsMax: 1000, cpu: '2000', memory: '2Ti' });
  const pods = await Promise.all(Array.from({ length: count }, (_, index) => world.addPod(`p${index}`)));
  return { machine, pods };
}

/** Binds as a careful scheduler does: after an answer that tells nothing it looks, and what may be tried again is. */
async function bindCarefully(
  orders: () => ClusterOrders | null,
  pod: PodRef,
  machine: string,
  log: string[],
): Promise<void> {
  for (let attempts = 0; attempts < 1000; attempts += 1) {
    const under = orders();
    const answer = under === null ? null : await under.bind({ pod, machine, slices: [] });
    log.push(answer?.answer ?? 'no office');
    if (answer?.answer === 'bound') return;
    // A conflict may be our own bind, whose answer was lost.
    const where = under === null ? null : await under.lookUp(pod);
    if (where?.answer === 'found' && where.machine !== null) return;
    await sleep(100);
  }
}

/** Binds many pods while something happens to the control plane. The answers, counted. */
async function bindDuring(world: RealWorld, trouble: () => Promise<void>): Promise<Record<string, number>> {
  const { machine, pods } = await manyPods(world, 150);
  world.defaults = {
    limits: { perSecond: 60, burst: 10 },
    lease: {
      namespace: world.namespace,
      name: 'scheduler',
      times: { ...LEASE_TIMES, durationMs: 60_000, deadlineMs: 50_000 },
    },
  };
  const observer = await new Observer(world, 'a').sync();
  await observer.lead();
  const log: string[] = [];
  const orders = (): ClusterOrders | null => {
    const state = observer.cluster.lease.state();
    return state.state === 'leading' ? observer.cluster.orders(state.term) : null;
  };
  const binding = Promise.all(pods.map((pod) => bindCarefully(orders, pod, machine, log)));
  await sleep(300);
  await Promise.all([trouble(), observer.await(binding)]);
  const found = await world.space.pods();
  expect(found.map((pod) => pod.spec.nodeName)).toEqual(pods.map(() => machine));
  await observer.until(() => pods.every(({ uid }) => observer.pods.get(uid)?.machine === machine), 'the view agrees');
  const counts: Record<string, number> = {};
  for (const answer of log) counts[answer] = (counts[answer] ?? 0) + 1;
  return counts;
}

describe('no bind is lost or done twice', () => {
  test.each(['SIGTERM', 'SIGKILL'] as const)('when the API server is restarted with %s under load', async (signal) => {
    const counts = await bindDuring(await worldForTest(), () => plane.restartApiServer({ signal, downMs: 1000 }));
    expect(counts['refused'] ?? 0).toBeGreaterThan(0);
    expect(counts['bound']).toBeGreaterThan(50);
  });

  test('when etcd is away for a while', async () => {
    const counts = await bindDuring(await worldForTest(), () => plane.stopEtcdFor(15_000));
    expect(counts['unknown'] ?? 0).toBeGreaterThan(0);
  });
});

test('a version that is too old is told as expired', async () => {
  const world = await worldForTest();
  const client = world.connect('a');
  const query = { watch: '1', resourceVersion: '1', allowWatchBookmarks: 'true', timeoutSeconds: '5' };
  const stream = await client.client.stream({ method: 'GET', path: '/api/v1/pods', query });
  if (!stream.ok) return expect(stream.error.code).toBe('expired');
  for await (const chunk of stream.value.chunks) {
    expect(watchLineOf(chunk)).toMatchObject({ type: 'failed', failure: { code: 'expired' } });
    break;
  }
  stream.value.close();
});

test('a pod that cannot be read is named, and the others are seen', async () => {
  const world = await worldForTest();
  const observer = await new Observer(world, 'a').sync();
  await world.addPod('absurd', { cards: 5e15 });
  const sound = await world.addPod('sound', { cards: 1e12 });
  await observer.until(() => observer.pods.has(sound.uid), 'the sound one is seen');
  const found = observer.log.flatMap((event) =>
    event.kind === 'unreadable' && event.object.namespace === world.namespace ? [event.object] : [],
  );
  expect(found).toMatchObject([
    { kind: 'Pod', name: 'absurd', schedulerName: 'springtide', path: expect.stringContaining('nvidia.com/gpu') },
  ]);
});
