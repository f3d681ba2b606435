import { mulberry32 } from '@springtide/core/base';
import type { ClusterOrders, PodRef, Term } from '@springtide/ports/cluster';
import { systemClock } from '@springtide/testkit/clock';
import { FakeApi, plainConfig, sendJson, until } from '@springtide/testkit/fake-api';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { GateLimits } from '../client/gate.ts';
import { KubernetesCluster } from './cluster.ts';

const POD: PodRef = { uid: 'u', namespace: 'team', name: 'a b' };

interface Desk {
  readonly api: FakeApi;
  readonly cluster: KubernetesCluster;
  readonly orders: ClusterOrders;
  endTerm: () => void;
}

/** Orders to a fake API server, under a term that lasts until it is ended. */
async function desk(limits: Partial<GateLimits> = {}): Promise<Desk> {
  const api = new FakeApi();
  const cluster = new KubernetesCluster({
    config: plainConfig(await api.start()),
    clock: systemClock,
    random: mulberry32(1),
    controller: 'springtide.io/scheduler',
    schedulerName: 'springtide',
    holder: 'a',
    lease: { namespace: 'springtide', name: 'scheduler' },
    limits,
  });
  let isValid = true;
  const term: Term = { holder: 'a', transitions: 0, cameBy: 'free', isValid: () => isValid, validUntilMs: () => 0 };
  onTestFinished(async () => {
    await cluster.stop();
    await api.stop();
  });
  const endTerm = (): void => {
    isValid = false;
  };
  return { api, cluster, orders: cluster.orders(term), endTerm };
}

describe('a bind', () => {
  test('is for this incarnation of the pod, and brings nothing else where no plug-in reads it', async () => {
    const { api, orders } = await desk();
    const slices = [{ cardId: 'n/0', memoryMiB: 0, computeMilli: 1000, migStart: null }];
    expect(await orders.bind({ pod: POD, machine: 'n', slices })).toEqual({ answer: 'bound' });
    expect(api.requests[0]).toMatchObject({ method: 'POST', path: '/api/v1/namespaces/team/pods/a%20b/binding' });
    expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { namespace: 'team', name: 'a b', uid: 'u' },
      target: { apiVersion: 'v1', kind: 'Node', name: 'n' },
    });
  });

  test.each([
    [409, { message: 'pod a is already assigned to node "m"', reason: 'Conflict' }, 'conflict'],
    [
      409,
      { message: 'Precondition failed: UID in precondition: u, UID in object meta: v', reason: 'Conflict' },
      'gone',
    ],
    [404, { reason: 'NotFound', details: { name: 'a b' } }, 'gone'],
    [403, {}, 'forbidden'],
    [422, {}, 'refused'],
    [500, { message: 'etcdserver: request timed out' }, 'unknown'],
    [504, {}, 'unknown'],
    [429, {}, 'refused'],
    [401, {}, 'refused'],
  ])('%i %j', async (status, body, answer) => {
    const { api, orders } = await desk();
    api.refuseNext(status, { kind: 'Status', ...body }, 2);
    expect(await orders.bind({ pod: POD, machine: 'n', slices: [] })).toMatchObject({ answer });
  });

  test('whose connection breaks may have been done; without a connection it was not', async () => {
    const { api, orders } = await desk();
    api.answerNext((_, response) => response.socket?.resetAndDestroy());
    expect(await orders.bind({ pod: POD, machine: 'n', slices: [] })).toMatchObject({
      answer: 'unknown',
      failure: { retry: 'read-back' },
    });
    await api.stop();
    expect(await orders.bind({ pod: POD, machine: 'n', slices: [] })).toMatchObject({
      answer: 'refused',
      failure: { retry: 'later' },
    });
    await api.start();
  });
});

describe('the term', () => {
  test('counts when an order is sent, not when it is given', async () => {
    const { api, orders, endTerm } = await desk({ perSecond: 50, burst: 1 });
    const first = orders.bind({ pod: POD, machine: 'n', slices: [] });
    const second = orders.bind({ pod: POD, machine: 'n', slices: [] });
    endTerm();
    expect(await first).toEqual({ answer: 'bound' });
    expect(await second).toMatchObject({ answer: 'refused', failure: { code: 'fenced', retry: 'never' } });
    expect(api.requests).toHaveLength(1);
    expect(await orders.lookUp(POD)).toMatchObject({ answer: 'gone' });
  });
});

describe('what is written about a pod', () => {
  test('of two reports that wait only the newer is sent', async () => {
    const { api, orders } = await desk({ perSecond: 50, burst: 1 });
    const reports = ['first', 'second', 'third'].map((message) =>
      orders.report({ pod: POD, reason: 'Unschedulable', message }),
    );
    expect((await Promise.all(reports)).map(({ answer }) => answer)).toEqual(['written', 'replaced', 'written']);
    const conditions = api.requests.map(
      ({ body }) => (JSON.parse(body) as { status: { conditions: { message: string }[] } }).status.conditions,
    );
    expect(conditions.map(([condition]) => condition?.message)).toEqual(['first', 'third']);
    expect(api.requests[0]?.headers['content-type']).toBe('application/strategic-merge-patch+json');
  });

  test('why a pod waited is not written once it is bound', async () => {
    const { api, orders } = await desk({ perSecond: 50, burst: 1 });
    const first = orders.report({ pod: POD, reason: 'Unschedulable', message: 'first' });
    const second = orders.report({ pod: POD, reason: 'Unschedulable', message: 'second' });
    expect(await orders.bind({ pod: POD, machine: 'n', slices: [] })).toEqual({ answer: 'bound' });
    expect([await first, await second]).toEqual([{ answer: 'written' }, { answer: 'replaced' }]);
    expect(api.requests.map(({ method }) => method)).toEqual(['PATCH', 'POST']);
  });

  test('a server that asks for patience gets it', async () => {
    const { api, orders } = await desk();
    api.answerNext((_, response) => sendJson(response, 429, { kind: 'Status', details: { retryAfterSeconds: 1 } }));
    expect(await orders.nominate({ pod: POD, machine: 'n' })).toMatchObject({
      answer: 'refused',
      failure: { retryAfterMs: 1000 },
    });
    const startMs = performance.now();
    await orders.nominate({ pod: POD, machine: null });
    expect(performance.now() - startMs).toBeGreaterThan(900);
    expect(JSON.parse(api.requests[1]?.body ?? '')).toMatchObject({
      metadata: { uid: 'u' },
      status: { nominatedNodeName: null },
    });
  });
});

test('a volume is kept for a claim only as it was seen', async () => {
  const { api, orders } = await desk();
  const order = { volume: 'v', resourceVersion: '7', claim: 'team/c', claimUid: 'u' };
  expect(await orders.keepVolume(order)).toEqual({ answer: 'written' });
  expect(api.requests[0]?.path).toBe('/api/v1/persistentvolumes/v');
  expect(JSON.parse(api.requests[0]?.body ?? '')).toMatchObject({
    metadata: { resourceVersion: '7' },
    spec: { claimRef: { namespace: 'team', name: 'c', uid: 'u' } },
  });
});

test('what waits when the client is stopped is refused', async () => {
  const { api, cluster, orders } = await desk({ perSecond: 1, burst: 1 });
  const answers = [1, 2, 3].map(() => orders.bind({ pod: POD, machine: 'n', slices: [] }));
  await until(() => api.requests.length === 1, 'one is sent');
  await cluster.stop();
  const codes = (await Promise.all(answers)).map((answer) =>
    'failure' in answer ? answer.failure.code : answer.answer,
  );
  expect(codes.slice(1)).toEqual(['stopped', 'stopped']);
  expect(
    cluster.record({ about: { kind: 'pod', pod: POD }, type: 'Normal', reason: 'R', action: 'A', note: 'n' }),
  ).toBe('dropped');
});
