import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Controls } from './controls.ts';
import { remoteControls, serveControls } from './control-socket.ts';

const calls: unknown[] = [];
const local: Controls = {
  restartApiServer: async (options) => void calls.push(options),
  stopEtcdFor: () => Promise.reject(new Error('etcd will not')),
  startKubeScheduler: async ({ name = '' }) => ({ part: name, port: 7 }),
  stopPart: async () => {},
  usage: async () => ({ etcd: { cpuMs: 1, rssBytes: 2, rssPeakBytes: 3 } }),
  issueClient: async ({ commonName }) => ({ certificate: commonName, key: '' }),
};

let folder = '';
let stop = (): void => {};
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'socket-'));
  const server = await serveControls(local, join(folder, 's'));
  stop = () => void server.close();
});
afterEach(() => {
  stop();
  rmSync(folder, { recursive: true });
});

test('controls work the same from another process', async () => {
  const remote = remoteControls(join(folder, 's'));
  await remote.restartApiServer({ downMs: 5, signal: 'SIGKILL' });
  expect(calls).toEqual([{ downMs: 5, signal: 'SIGKILL' }]);
  expect(await remote.startKubeScheduler({ name: 'mine' })).toEqual({ part: 'mine', port: 7 });
  expect(await remote.usage()).toEqual({ etcd: { cpuMs: 1, rssBytes: 2, rssPeakBytes: 3 } });
  expect(await remote.issueClient({ commonName: 'jane' })).toEqual({ certificate: 'jane', key: '' });
  expect(await remote.stopPart('etcd')).toBeNull();
});

test('what goes wrong there goes wrong here', async () => {
  await expect(remoteControls(join(folder, 's')).stopEtcdFor(1)).rejects.toThrow('etcd will not');
});
