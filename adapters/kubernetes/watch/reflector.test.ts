import { mulberry32, ok } from '@springtide/core/base';
import { systemClock as clock } from '@springtide/testkit/clock';
import { FakeApi, plainConfig, until } from '@springtide/testkit/fake-api';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ApiClient } from '../client/api-client.ts';
import { Transport } from '../client/transport.ts';
import { fieldsAt, textAt } from '../fields.ts';
import { REFLECTOR_TIMES, type ReflectedResource, type ReflectorTimes } from './reflected.ts';
import { Reflector } from './reflector.ts';

const QUICK: ReflectorTimes = {
  ...REFLECTOR_TIMES,
  pageSize: 3,
  shortWatchMs: 0,
  backoffFirstMs: 2,
  backoffCapMs: 20,
  absentMs: 20,
};

const NODES: ReflectedResource = { path: '/api/v1/nodes', query: {}, isOptional: false };

/** A reflector of a fake API server, and what it has told so far as a map from name to version. */
async function following(
  api: FakeApi,
  more: { times?: Partial<ReflectorTimes>; resource?: ReflectedResource; room?: () => Promise<void> | null } = {},
): Promise<{ reflector: Reflector; told: Map<string, string>; log: string[] }> {
  const transport = new Transport(plainConfig(await api.start()), clock, 8);
  const told = new Map<string, string>();
  const log: string[] = [];
  const reflector = new Reflector({
    client: new ApiClient(transport, clock),
    clock,
    random: mulberry32(1),
    resource: more.resource ?? NODES,
    times: { ...QUICK, ...more.times },
    sink: {
      seen: (object) => {
        const metadata = fieldsAt(object, 'metadata');
        told.set(textAt(metadata, 'name'), textAt(metadata, 'uid'));
        log.push(`+${textAt(metadata, 'name')}`);
      },
      gone: ({ uid, id }) => {
        if (told.get(id) === uid) told.delete(id);
        log.push(`-${id}`);
      },
      room: more.room ?? (() => null),
      changed: () => {},
    },
  });
  onTestFinished(async () => {
    await transport.close();
    await reflector.stop();
    await api.stop();
  });
  reflector.start();
  return { reflector, told, log };
}

function agrees(api: FakeApi, told: ReadonlyMap<string, string>): boolean {
  return [...told.keys()].toSorted().join() === api.store.names.join();
}

/** Both sides know of the watch. */
async function watching(api: FakeApi, reflector: Reflector): Promise<void> {
  await until(() => api.watchCount === 1 && reflector.state.disconnectedSinceMs === null, 'it watches');
}

function fill(api: FakeApi, count: number): void {
  for (let i = 0; i < count; i += 1) api.store.put(`node-${i}`);
}

describe('a reflector', () => {
  test('lists in pages of one version, then watches from there, with bookmarks', async () => {
    const api = new FakeApi();
    fill(api, 8);
    const { reflector, told } = await following(api);
    await watching(api, reflector);
    expect(agrees(api, told)).toBe(true);
    const [first, second, third, watch] = api.requests;
    expect([first, second, third].map((page) => page?.query.get('limit'))).toEqual(['3', '3', '3']);
    expect(watch?.query.get('resourceVersion')).toBe('108');
    expect(watch?.query.get('allowWatchBookmarks')).toBe('true');
    expect(reflector.state).toMatchObject({ isListed: true, disconnectedSinceMs: null, lists: 1, objects: 8 });
  });

  test('goes on from the last thing it heard when a watch ends, a bookmark included', async () => {
    const api = new FakeApi();
    fill(api, 2);
    const { reflector, told } = await following(api);
    await watching(api, reflector);
    api.store.put('late');
    api.store.remove('node-0');
    await until(() => agrees(api, told), 'it has both');
    api.store.version += 50;
    api.bookmark();
    await until(() => reflector.state.version === String(api.store.version), 'it has the bookmark');
    api.endWatches();
    await until(() => api.watchCount === 1 && api.requests.length === 3, 'it watches again');
    expect(api.requests[2]?.query.get('resourceVersion')).toBe(String(api.store.version));
    expect(reflector.state.lists).toBe(1);
  });

  test('loses nothing when connections are reset', async () => {
    const api = new FakeApi();
    fill(api, 3);
    const { reflector, told } = await following(api);
    for (let round = 0; round < 10; round += 1) {
      await watching(api, reflector);
      api.store.put(`round-${round}`);
      api.resetWatches();
      api.store.put(`after-${round}`);
      if (round > 0) api.store.remove(`round-${round - 1}`);
    }
    await until(() => agrees(api, told), 'it agrees');
    expect(reflector.state.lists).toBe(1);
  });

  test('lists anew when its version has expired, and tells what has gone meanwhile', async () => {
    const api = new FakeApi();
    fill(api, 5);
    const { reflector, told, log } = await following(api);
    await watching(api, reflector);
    api.isMute = true;
    api.store.remove('node-1');
    api.store.put('node-2');
    api.store.remove('node-3');
    api.store.put('node-3');
    api.store.compact();
    log.length = 0;
    api.isMute = false;
    api.resetWatches();
    await until(() => reflector.state.lists === 2 && agrees(api, told), 'it agrees');
    expect(log.toSorted()).toEqual(['+node-2', '+node-3', '-node-1', '-node-3']);
    expect(log.indexOf('-node-3')).toBeLessThan(log.indexOf('+node-3'));
  });

  test('begins a list again when a page has expired', async () => {
    const api = new FakeApi();
    fill(api, 8);
    api.answerNext((_, response) => {
      response.end(JSON.stringify(api.store.page(new URLSearchParams('limit=3'))));
    });
    api.refuseNext(410, { kind: 'Status', code: 410, reason: 'Expired' });
    const { reflector, told } = await following(api);
    await until(() => reflector.state.isListed, 'it is listed');
    expect(agrees(api, told)).toBe(true);
    expect(api.requests.filter((request) => request.query.has('continue'))).toHaveLength(3);
  });

  test('gives up a watch that says nothing, and stays with one that only brings bookmarks', async () => {
    const api = new FakeApi();
    fill(api, 1);
    const { reflector } = await following(api, { times: { idleMs: 500 } });
    await watching(api, reflector);
    for (let i = 0; i < 10; i += 1) {
      api.bookmark();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(reflector.state.watches).toBe(1);
    await until(() => reflector.state.watches >= 2, 'it watches anew');
    expect(reflector.state.lists).toBe(1);
  });

  test('does not take waiting for room for silence, and reads nothing meanwhile', async () => {
    const api = new FakeApi();
    let open: () => void = () => {};
    let gate: Promise<void> | null = null;
    const { reflector, told } = await following(api, { times: { idleMs: 300 }, room: () => gate });
    await watching(api, reflector);
    gate = new Promise((resolve) => {
      open = resolve;
    });
    api.store.put('a');
    api.store.put('b');
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect([told.size, reflector.state.watches]).toEqual([0, 1]);
    gate = null;
    open();
    await until(() => told.size === 2, 'both are told');
  });

  test('says since when and why it is cut off, and comes back', async () => {
    const api = new FakeApi();
    fill(api, 1);
    const { reflector } = await following(api);
    await watching(api, reflector);
    api.refuseNext(503, { kind: 'Status', code: 503, message: 'shutting down' }, 5);
    api.resetWatches();
    await until(() => reflector.state.failure?.message === 'shutting down', 'it says why');
    expect(reflector.state.disconnectedSinceMs).not.toBeNull();
    await until(() => reflector.state.disconnectedSinceMs === null, 'it is back');
    expect(reflector.state.failure).toBeNull();
  });

  test('a resource that the cluster does not have counts as empty, and is found when it comes', async () => {
    const api = new FakeApi();
    fill(api, 2);
    api.refuseNext(404, { kind: 'Status', code: 404, reason: 'NotFound', details: {} }, 2);
    const { reflector, told } = await following(api, { resource: { ...NODES, isOptional: true } });
    await until(() => reflector.state.isAbsent, 'it is absent');
    expect(reflector.state).toMatchObject({ isListed: true, disconnectedSinceMs: null });
    await until(() => agrees(api, told), 'it has come');
    expect(reflector.state.isAbsent).toBe(false);
  });

  test('whoever waits for a list of a resource that the cluster does not have is told that there is none', async () => {
    const resource = { ...NODES, isOptional: true, isServed: () => Promise.resolve(ok(false)) };
    const { reflector } = await following(new FakeApi(), { resource });
    await until(() => reflector.state.isAbsent, 'it is absent');
    await expect(reflector.relist()).resolves.toBeUndefined();
  });

  test('a line that cannot be read, or is too long, costs a new watch and nothing else', async () => {
    const api = new FakeApi();
    fill(api, 1);
    const { reflector, told } = await following(api, { times: { lineBytesMax: 500 } });
    await watching(api, reflector);
    api.say(Buffer.from('{"type":"ADDED","object":{"metadata":\n'));
    await until(() => reflector.state.watches === 2 && api.watchCount === 1, 'it watches anew');
    expect(reflector.state.lists).toBe(1);
    api.store.put('long', { text: 'x'.repeat(1000) });
    await until(() => reflector.state.lists === 2 && told.has('long'), 'it has listed anew');
  });

  test('a list that is older than one before is asked for again, and believed in the end', async () => {
    const api = new FakeApi();
    fill(api, 2);
    const { reflector } = await following(api);
    await watching(api, reflector);
    api.store.version = 50;
    api.store.put('restored');
    api.say(Buffer.from('{"type":"ERROR","object":{"kind":"Status","code":410}}\n'));
    await until(() => reflector.state.lists === 2, 'it has listed anew');
    const lists = api.requests.filter((request) => !request.query.has('watch'));
    expect(lists).toHaveLength(1 + QUICK.staleListsMax + 1);
  });
});
