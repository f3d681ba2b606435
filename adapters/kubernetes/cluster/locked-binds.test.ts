import { err, ok, type Result } from '@springtide/core/base';
import { type BindAnswer, type ClusterFailure, clusterFailure, type Term } from '@springtide/ports/cluster';
import { VirtualClock } from '@springtide/testkit/clock';
import { describeWithShared } from '@springtide/testkit/shared';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ApiRequest } from '../client/api-client.ts';
import { fieldsOf } from '../fields.ts';
import { RELEASE_DIFFERENCES } from '../hami/differences.ts';
import { CAMBRICON_NODE_LOCK, HAMI_NODE_LOCK } from '../hami/keys.ts';
import { LockHolders } from './lock-holders.ts';
import { LockedBinds } from './locked-binds.ts';
import { NodeLocks } from './node-locks.ts';
import type { Send } from './sending.ts';

const TERM: Term = { holder: 'a', transitions: 0, cameBy: 'free', isValid: () => true, validUntilMs: () => Infinity };

interface FakePod {
  readonly node?: string;
  readonly schedulerName?: string;
  readonly phase?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

const ALLOCATING = { 'hami.io/bind-phase': 'allocating', 'hami.io/bind-time': '1' };

/** Two nodes with a lock each, pods by name, and a plug-in that a test plays: just enough of an API server. */
class Desk {
  readonly clock = new VirtualClock();
  /** Machines that were given up, and not yet changed. */
  readonly shunned = new Set<string>();
  readonly locks = new NodeLocks(this.clock, (machine) => this.shunned.delete(machine));
  readonly binds = new LockedBinds({
    clock: this.clock,
    locks: this.locks,
    holders: new LockHolders(this.clock, 'springtide'),
    shun: (machine) => this.shunned.add(machine),
  });
  readonly nodes = new Map([
    ['n', { version: 1, annotations: {} as Record<string, string> }],
    ['m', { version: 1, annotations: {} as Record<string, string> }],
  ]);
  readonly pods = new Map<string, FakePod>();
  readonly requests: string[] = [];
  /** What comes of a binding, where it is not done. */
  bindFailure: ClusterFailure | null = null;
  #isWatched = true;

  constructor() {
    for (const name of this.nodes.keys()) this.#show(name);
  }

  readonly send: Send = async (sending) => {
    await new Promise<void>((resolve) => void this.clock.after(5, resolve));
    return sending.read(this.#answer(sending.request()));
  };

  /** The watch of nodes says nothing for a while. */
  set isWatched(isWatched: boolean) {
    this.#isWatched = isWatched;
    if (isWatched) for (const name of this.nodes.keys()) this.#show(name);
  }

  annotate(name: string, key: string, value: string | null): void {
    const node = this.nodes.get(name);
    if (node === undefined) return;
    if (value === null) delete node.annotations[key];
    else node.annotations[key] = value;
    node.version += 1;
    if (this.#isWatched) this.#show(name);
  }

  lockOf(name: string, key = HAMI_NODE_LOCK): string | undefined {
    return this.nodes.get(name)?.annotations[key];
  }

  bind(pod: string, machine = 'n', annotation = HAMI_NODE_LOCK): Promise<BindAnswer> {
    const order = { pod: { uid: pod, namespace: 'team', name: pod }, machine, slices: [] };
    const allocation = { annotations: new Map(), labels: new Map(), lock: annotation };
    return this.binds.bind({ order, annotation, allocate: () => ok(allocation), send: this.send });
  }

  /** The answer, if there is one within so long. */
  async within<T>(ms: number, promise: Promise<T>): Promise<T | 'nothing yet'> {
    let answer: T | 'nothing yet' = 'nothing yet';
    void promise.then((value) => (answer = value));
    await this.clock.pass(ms);
    return answer;
  }

  #show(name: string): void {
    const node = this.nodes.get(name);
    const metadata = { name, uid: name, resourceVersion: String(node?.version), annotations: { ...node?.annotations } };
    this.locks.see(fieldsOf({ metadata }, null));
  }

  #answer({ method, path, body }: ApiRequest): Result<unknown, ClusterFailure> {
    this.requests.push(`${method} ${path}`);
    if (method === 'PATCH') return this.#patch(path.split('/').at(-1) ?? '', body);
    if (method === 'POST') return this.#bound(path.split('/').at(-2) ?? '', body);
    if (path === '/api/v1/pods') return ok({ items: [...this.pods.keys()].map((name) => this.#pod(name)) });
    const name = path.split('/').at(-1) ?? '';
    return this.pods.has(name) ? ok(this.#pod(name)) : err(clusterFailure('not-found', `no pod ${name}`));
  }

  #patch(name: string, body: any): Result<unknown, ClusterFailure> {
    const node = this.nodes.get(name);
    if (node === undefined) return err(clusterFailure('not-found', 'no node'));
    if (String(node.version) !== body.metadata.resourceVersion)
      return err(clusterFailure('conflict', 'it has changed'));
    for (const [key, value] of Object.entries(body.metadata.annotations))
      this.annotate(name, key, value as string | null);
    return ok({ metadata: { resourceVersion: String(node.version) } });
  }

  #bound(name: string, { target }: any): Result<unknown, ClusterFailure> {
    if (this.bindFailure !== null) return err(this.bindFailure);
    this.pods.set(name, { node: target.name, annotations: ALLOCATING });
    return ok({});
  }

  #pod(name: string): unknown {
    const { node = '', schedulerName = 'springtide', phase = 'Pending', annotations = {} } = this.pods.get(name) ?? {};
    return { metadata: { uid: name, name, annotations }, spec: { nodeName: node, schedulerName }, status: { phase } };
  }
}

function lockOfPod(desk: Desk, pod: string): string {
  return `${new Date(desk.clock.wallMs()).toISOString().slice(0, 19)}Z,team,${pod}`;
}

test('a machine takes one pod after the other, each when the plug-in is done with the one before', async () => {
  const desk = new Desk();
  const [first, second] = [desk.bind('a'), desk.bind('b')];
  expect(await desk.within(100, first)).toEqual({ answer: 'bound' });
  expect(desk.lockOf('n')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ,team,a$/);
  expect(await desk.within(2000, second)).toBe('nothing yet');
  expect(await desk.within(100, desk.bind('c', 'm'))).toEqual({ answer: 'bound' });
  desk.annotate('n', HAMI_NODE_LOCK, null);
  expect(await desk.within(100, second)).toEqual({ answer: 'bound' });
  expect(desk.lockOf('n')).toContain(',team,b');
});

test('what could not be bound leaves no lock, whatever else happens to the node meanwhile', async () => {
  const desk = new Desk();
  desk.bindFailure = clusterFailure('conflict', 'it is bound elsewhere');
  const answer = desk.bind('a');
  await desk.clock.pass(6);
  expect(desk.lockOf('n')).toContain(',team,a');
  desk.annotate('n', 'heartbeat', '1');
  expect(await desk.within(1000, answer)).toMatchObject({ answer: 'conflict' });
  expect(desk.lockOf('n')).toBeUndefined();
});

test('an answer that leaves it open: the lock stays with a pod that is there, and goes where it is not', async () => {
  const desk = new Desk();
  desk.bindFailure = clusterFailure('interrupted', 'no answer');
  desk.pods.set('a', { node: 'n', annotations: ALLOCATING });
  expect(await desk.within(1000, desk.bind('a'))).toMatchObject({ answer: 'unknown' });
  expect(desk.lockOf('n')).toContain(',team,a');
  desk.pods.set('b', {});
  expect(await desk.within(1000, desk.bind('b', 'm'))).toMatchObject({ answer: 'unknown' });
  expect(desk.lockOf('m')).toBeUndefined();
});

test('waiting has an end: a lock that stands is respected, and the machine is tried again later', async () => {
  const desk = new Desk();
  desk.annotate('n', HAMI_NODE_LOCK, lockOfPod(desk, 'other'));
  desk.pods.set('other', { node: 'n', schedulerName: 'hami-scheduler', annotations: ALLOCATING });
  const [first, second] = [desk.bind('a'), desk.bind('b')];
  expect(await desk.within(29_000, first)).toBe('nothing yet');
  expect(await desk.within(2000, first)).toMatchObject({ answer: 'refused', failure: { retry: 'on-change' } });
  expect(await desk.within(600, second)).toMatchObject({ answer: 'refused' });
  expect(desk.lockOf('n')).toContain(',team,other');
  expect([...desk.shunned]).toEqual(['n']);
  desk.annotate('n', HAMI_NODE_LOCK, null);
  expect([...desk.shunned]).toEqual([]);
});

test('where locks stand long of late none is stuck: a machine is waited for several times as long, and no longer', async () => {
  const desk = new Desk();
  const busy = { node: 'n', schedulerName: 'hami-scheduler', annotations: ALLOCATING };
  desk.pods.set('other', busy);
  desk.annotate('m', HAMI_NODE_LOCK, lockOfPod(desk, 'other'));
  await desk.clock.pass(20_000);
  desk.annotate('m', HAMI_NODE_LOCK, null);
  desk.annotate('n', HAMI_NODE_LOCK, lockOfPod(desk, 'other'));
  const [first] = [desk.bind('a'), desk.bind('b')];
  expect(await desk.within(75_000, first)).toBe('nothing yet');
  desk.annotate('n', HAMI_NODE_LOCK, null);
  expect(await desk.within(1000, first)).toEqual({ answer: 'bound' });
  desk.annotate('m', HAMI_NODE_LOCK, lockOfPod(desk, 'other'));
  desk.pods.set('other', { ...busy, node: 'm' });
  const stuck = desk.bind('c', 'm');
  // Four times the 75 s that a lock has just stood is more than anybody waits.
  expect(await desk.within(119_000, stuck)).toBe('nothing yet');
  expect(await desk.within(2000, stuck)).toMatchObject({ answer: 'refused' });
});

test('waiting costs few requests: a lock is looked into less and less often, and taken on a version that is new', async () => {
  const desk = new Desk();
  desk.annotate('n', HAMI_NODE_LOCK, lockOfPod(desk, 'other'));
  desk.pods.set('other', { node: 'n', schedulerName: 'hami-scheduler', annotations: ALLOCATING });
  const first = desk.bind('a');
  await desk.clock.pass(29_000);
  expect(desk.requests.filter((request) => request.startsWith('GET')).length).toBeLessThanOrEqual(7);
  desk.annotate('n', HAMI_NODE_LOCK, null);
  expect(await desk.within(100, first)).toEqual({ answer: 'bound' });
  desk.requests.length = 0;
  // The watch has yet to show the lock that was just taken.
  desk.isWatched = false;
  const [second, third] = [desk.bind('b', 'm'), desk.bind('c', 'm')];
  expect(await desk.within(100, second)).toEqual({ answer: 'bound' });
  expect(await desk.within(2000, third)).toBe('nothing yet');
  expect(desk.requests.filter((request) => request.startsWith('PATCH'))).toHaveLength(1);
  desk.annotate('m', HAMI_NODE_LOCK, null);
  desk.isWatched = true;
  expect(await desk.within(1000, third)).toEqual({ answer: 'bound' });
});

describe('a lock that was left is taken over', () => {
  const cases: readonly (readonly [why: string, pod: FakePod | null])[] = [
    ['its pod is gone', null],
    ['its pod has ended', { node: 'n', phase: 'Failed', annotations: ALLOCATING }],
    ['its pod has its cards', { node: 'n', annotations: { ...ALLOCATING, 'hami.io/bind-phase': 'success' } }],
    ['its pod could not be given any', { node: 'n', annotations: { ...ALLOCATING, 'hami.io/bind-phase': 'failed' } }],
    ['its pod is on another machine', { node: 'm', annotations: ALLOCATING }],
    ['its pod is ours, and a scheduler that was killed never bound it', { schedulerName: 'springtide' }],
  ];
  test.each(cases)('%s', async (_, pod) => {
    const desk = new Desk();
    desk.annotate('n', HAMI_NODE_LOCK, lockOfPod(desk, 'other'));
    if (pod !== null) desk.pods.set('other', pod);
    expect(await desk.within(1500, desk.bind('a'))).toEqual({ answer: 'bound' });
    expect(desk.lockOf('n')).toContain(',team,a');
  });

  test('and not while its pod is another scheduler’s, which may be about to bind it', async () => {
    const desk = new Desk();
    desk.annotate('n', HAMI_NODE_LOCK, lockOfPod(desk, 'other'));
    desk.pods.set('other', { schedulerName: 'hami-scheduler' });
    expect(await desk.within(5000, desk.bind('a'))).toBe('nothing yet');
  });

  test('it is older than five minutes, or has been seen for as long whatever it says', async () => {
    const desk = new Desk();
    desk.pods.set('other', { node: 'n', annotations: ALLOCATING });
    desk.annotate('n', HAMI_NODE_LOCK, lockOfPod(desk, 'other'));
    desk.annotate('m', HAMI_NODE_LOCK, 'no lock at all');
    await desk.clock.pass(299_000);
    expect(await desk.within(500, desk.bind('a'))).toMatchObject({ answer: 'refused' });
    await desk.clock.pass(3000);
    expect(await desk.within(500, desk.bind('a'))).toEqual({ answer: 'bound' });
    expect(await desk.within(500, desk.bind('b', 'm'))).toEqual({ answer: 'bound' });
  });

  test('it names nobody, as Cambricon’s does: once no pod waits for cards there', async () => {
    const desk = new Desk();
    desk.annotate('n', CAMBRICON_NODE_LOCK, lockOfPod(desk, '').slice(0, 20));
    desk.pods.set('other', { node: 'n', annotations: { CAMBRICON_DSMLU_ASSIGNED: 'false' } });
    await desk.clock.pass(31_000);
    expect(await desk.within(1000, desk.bind('a', 'n', CAMBRICON_NODE_LOCK))).toMatchObject({ answer: 'refused' });
    desk.pods.set('other', { node: 'n', annotations: { CAMBRICON_DSMLU_ASSIGNED: 'true' } });
    expect(await desk.within(1000, desk.bind('a', 'n', CAMBRICON_NODE_LOCK))).toEqual({ answer: 'bound' });
  });
});

test('what a killed scheduler has left is cleared away although nobody wants the machine', async () => {
  const desk = new Desk();
  desk.annotate('n', HAMI_NODE_LOCK, lockOfPod(desk, 'ours'));
  desk.pods.set('ours', {});
  desk.annotate('m', HAMI_NODE_LOCK, lockOfPod(desk, 'busy'));
  desk.pods.set('busy', { node: 'm', annotations: ALLOCATING });
  desk.binds.sweepUnder(TERM, desk.send);
  await desk.clock.pass(9000);
  expect(desk.lockOf('n')).toContain('ours');
  await desk.clock.pass(10_000);
  expect(desk.lockOf('n')).toBeUndefined();
  expect(desk.lockOf('m')).toContain('busy');
});

test('a lock whose time is up is cleared away too, so that the machine is placed on again', async () => {
  const desk = new Desk();
  desk.annotate('n', HAMI_NODE_LOCK, lockOfPod(desk, 'other'));
  desk.pods.set('other', { node: 'n', annotations: ALLOCATING });
  desk.binds.sweepUnder(TERM, desk.send);
  expect(await desk.within(31_000, desk.bind('a'))).toMatchObject({ answer: 'refused' });
  expect([...desk.shunned]).toEqual(['n']);
  await desk.clock.pass(280_000);
  expect([desk.lockOf('n'), desk.shunned.size]).toEqual([undefined, 0]);
});

test('a watch that lags costs a try, and never another’s lock', async () => {
  const desk = new Desk();
  desk.isWatched = false;
  desk.annotate('n', HAMI_NODE_LOCK, lockOfPod(desk, 'other'));
  desk.pods.set('other', { node: 'n', annotations: ALLOCATING });
  const answer = desk.bind('a');
  expect(await desk.within(3000, answer)).toBe('nothing yet');
  expect(desk.lockOf('n')).toContain('other');
  desk.annotate('n', HAMI_NODE_LOCK, null);
  desk.isWatched = true;
  expect(await desk.within(1000, answer)).toEqual({ answer: 'bound' });
});

test('who stops finishes what has a lock and refuses the rest', async () => {
  const desk = new Desk();
  const [first, second] = [desk.bind('a'), desk.bind('b')];
  await desk.clock.pass(6);
  const stopped = desk.binds.stop();
  expect(await desk.within(50, first)).toEqual({ answer: 'bound' });
  expect(await desk.within(50, second)).toMatchObject({ answer: 'refused', failure: { code: 'stopped' } });
  await stopped;
});

describeWithShared('as HAMi was seen to take its lock', (shared) => {
  const file = readFileSync(join(shared, 'cases', 'hami', 'protocol.json'), 'utf8');
  const all = JSON.parse(file).node_lock as any[];
  const vectors = all.filter(({ kind }) => kind === 'acquire');

  const releases = all.filter(({ kind }) => kind === 'release');
  test.each(releases)('given back after a bind that failed: $name', async ({ name, before, released }) => {
    const desk = new Desk();
    desk.bindFailure = clusterFailure('conflict', 'it is bound elsewhere');
    const answer = desk.bind('pod-a');
    await desk.clock.pass(6);
    const own = desk.lockOf('n') ?? '';
    const isOwn = String(before).endsWith('Z,team-a,pod-a');
    desk.annotate('n', HAMI_NODE_LOCK, before === '' ? null : isOwn ? own : before);
    await desk.within(1000, answer);
    expect((desk.lockOf('n') === undefined) === released).toBe(!(name in RELEASE_DIFFERENCES));
  });

  test.each(vectors)('$name', async ({ before, alive_pods: alive, acquired, name }) => {
    const desk = new Desk();
    // The vectors have a clock of their own.
    const shiftMs = Math.floor(desk.clock.wallMs() / 1000) * 1000 - 946_684_800_000;
    const shifted = String(before).replaceAll(/^[^,]*/g, (time) => {
      const atMs = /^\d{4}-.*Z$/.test(time) ? Date.parse(time) : Number.NaN;
      return Number.isNaN(atMs) ? time : `${new Date(atMs + shiftMs).toISOString().slice(0, 19)}Z`;
    });
    if (before !== '' || name === 'acquire-empty-string-present') {
      desk.annotate('n', HAMI_NODE_LOCK, shifted.replaceAll(',team-a,', ',team,'));
    }
    for (const pod of alive ?? [])
      desk.pods.set(pod, { node: 'n', schedulerName: 'hami-scheduler', annotations: ALLOCATING });
    // Exactly five minutes still hold, and half a second later they do not.
    const answer = await desk.within(acquired === true ? 800 : 400, desk.bind('pod-a'));
    expect(answer).toEqual(acquired === true ? { answer: 'bound' } : 'nothing yet');
    if (acquired === true) expect(desk.lockOf('n')).toContain(',team,pod-a');
    else expect(desk.lockOf('n')).toBe(shifted.replaceAll(',team-a,', ',team,'));
  });
});
