import { mulberry32, type Random } from '@springtide/core/base';
import { systemClock as clock } from '@springtide/testkit/clock';
import { FakeApi, plainConfig, until } from '@springtide/testkit/fake-api';
import { expect, test } from 'vitest';
import { ApiClient } from '../client/api-client.ts';
import { Transport } from '../client/transport.ts';
import { fieldsAt, textAt } from '../fields.ts';
import type { ObjectRef } from './known-objects.ts';
import { REFLECTOR_TIMES } from './reflected.ts';
import { Reflector } from './reflector.ts';

const TIMES = { ...REFLECTOR_TIMES, pageSize: 4, shortWatchMs: 0, backoffFirstMs: 1, backoffCapMs: 4 };

/** Cuts bytes at random places. */
function cutter(random: Random): (bytes: Buffer) => Buffer[] {
  return (bytes) => {
    const parts: Buffer[] = [];
    for (let start = 0; start < bytes.length; ) {
      const end = Math.min(bytes.length, start + 1 + random.below(60));
      parts.push(bytes.subarray(start, end));
      start = end;
    }
    return parts;
  };
}

function disturb(api: FakeApi, random: Random): void {
  const name = `o${random.below(15)}`;
  const what = random.below(20);
  if (what < 10) api.store.put(name, { text: '短'.repeat(random.below(30)) });
  else if (what < 14) api.store.remove(name);
  else if (what === 14) api.resetWatches();
  else if (what === 15) api.endWatches();
  else if (what === 16) api.store.compact();
  else if (what === 17) api.bookmark();
  else if (what === 18) api.refuseNext(500 + random.below(5), {}, 1 + random.below(2));
  // The beginning of a line that never ends: the connection broke.
  else {
    api.say(Buffer.from('{"type":"ADDED","obj'));
    api.resetWatches();
  }
}

/** What the reflector has told in the end, and what there is. */
async function play(seed: number): Promise<{ told: string[]; there: string[] }> {
  const random = mulberry32(seed);
  const api = new FakeApi();
  api.cut = cutter(random);
  const transport = new Transport(plainConfig(await api.start()), clock, 4);
  const told = new Map<string, string>();
  const sink = {
    seen: (object: Parameters<typeof fieldsAt>[0]) => {
      const metadata = fieldsAt(object, 'metadata');
      told.set(textAt(metadata, 'name'), `${textAt(metadata, 'uid')} ${textAt(metadata, 'resourceVersion')}`);
    },
    gone: ({ uid, id }: ObjectRef) => {
      if (told.get(id)?.startsWith(`${uid} `) === true) told.delete(id);
    },
    room: () => null,
    changed: () => {},
  };
  const resource = { path: '/api/v1/nodes', query: {}, isOptional: false };
  const reflector = new Reflector({
    client: new ApiClient(transport, clock),
    clock,
    random: mulberry32(seed),
    resource,
    sink,
    times: TIMES,
  });
  reflector.start();
  for (let step = 0; step < 60; step += 1) {
    disturb(api, random);
    if (random.below(3) === 0) await new Promise((resolve) => setTimeout(resolve, random.below(3)));
  }
  api.store.put('last');
  const there = (): string[] => api.store.heads;
  await until(
    () =>
      [...told]
        .map(([name, head]) => `${name} ${head}`)
        .toSorted()
        .join() === there().join(),
    `seed ${seed} agrees`,
  );
  await transport.close();
  await reflector.stop();
  await api.stop();
  return { told: [...told].map(([name, head]) => `${name} ${head}`).toSorted(), there: there() };
}

test('whatever happens to its connections, what it tells in the end is what there is', async () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const { told, there } = await play(seed);
    expect(told, `seed ${seed}`).toEqual(there);
  }
});
