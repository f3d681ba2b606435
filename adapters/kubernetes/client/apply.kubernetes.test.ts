import { systemClock } from '@springtide/testkit/clock';
import { configOf, RealWorld } from '@springtide/testkit/conformance/real-cluster';
import { controlPlane } from '@springtide/testkit/controlplane/fixtures';
import { expect, onTestFinished, test } from 'vitest';
import { ApiClient } from './api-client.ts';
import { applyObject } from './apply.ts';
import { Transport } from './transport.ts';

const plane = controlPlane();

test('each controller has its own fields: what it no longer applies goes, and what is another’s stays', async () => {
  const world = await RealWorld.open(plane);
  onTestFinished(() => world.close());
  const transport = new Transport(configOf(plane.adminKubeconfig), systemClock, 2);
  onTestFinished(() => transport.close());
  const client = new ApiClient(transport, systemClock);
  const path = `${world.space.path}/configmaps`;
  const apply = (fieldManager: string, data: Record<string, string>, force = false): ReturnType<typeof applyObject> => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data };
    return applyObject(client, object, { path, fieldManager, force });
  };
  const dataNow = async (): Promise<unknown> => (await plane.api.get(`${path}/c`)).data;
  expect(await apply('one', { a: '1', b: '1' })).toMatchObject({ ok: true });
  expect(await apply('two', { c: '2' })).toMatchObject({ ok: true });
  expect(await dataNow()).toEqual({ a: '1', b: '1', c: '2' });
  expect(await apply('one', { a: '1' })).toMatchObject({ ok: true });
  expect(await dataNow()).toEqual({ a: '1', c: '2' });
  expect(await apply('two', { a: '2', c: '2' })).toMatchObject({
    ok: false,
    error: { code: 'conflict', retry: 'on-change' },
  });
  expect(await apply('two', { a: '2', c: '2' }, true)).toMatchObject({ ok: true });
  expect(await dataNow()).toEqual({ a: '2', c: '2' });
});
