import { systemClock } from '@springtide/testkit/clock';
import { configOf, RealWorld } from '@springtide/testkit/conformance/real-cluster';
import { controlPlane } from '@springtide/testkit/controlplane/fixtures';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ApiClient } from './api-client.ts';
import type { ConnectionConfig } from './connection-config.ts';
import { readInCluster } from './in-cluster.ts';
import { Transport } from './transport.ts';

const plane = controlPlane();

function folderForTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'identity-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Who the API server takes us for, or why it does not. */
async function whoAmI(config: ConnectionConfig): Promise<string> {
  const transport = new Transport(config, systemClock, 2);
  onTestFinished(() => transport.close());
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const answer = await new ApiClient(transport, systemClock).request({ method: 'POST', path, body });
  return answer.ok ? (answer.value as any).status.userInfo.username : answer.error.code;
}

async function accountToken(): Promise<{ token: string; account: string }> {
  const world = await RealWorld.open(plane);
  onTestFinished(() => world.close());
  const token = await world.space.addAccount('reader');
  return { token, account: `system:serviceaccount:${world.namespace}:reader` };
}

test('a client certificate', async () => {
  const path = await plane.kubeconfigWithCertificate({ commonName: 'jane', organizations: ['team'] });
  expect(await whoAmI(configOf(path))).toBe('jane');
});

test('a token, and one that is wrong', async () => {
  const { token, account } = await accountToken();
  expect(await whoAmI(configOf(plane.kubeconfigWithToken('reader', token)))).toBe(account);
  expect(await whoAmI(configOf(plane.kubeconfigWithToken('nobody', 'wrong')))).toBe('unauthorized');
});

test('the service account of a pod, whose token the kubelet renews', async () => {
  const { token, account } = await accountToken();
  const folder = folderForTest();
  writeFileSync(join(folder, 'token'), 'expired');
  writeFileSync(join(folder, 'ca.crt'), plane.ca);
  const { hostname, port } = new URL(plane.url);
  const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  const config = readInCluster({ folder, env });
  if (!config.ok) throw new Error(config.error.message);
  expect(await whoAmI(config.value)).toBe('unauthorized');
  writeFileSync(join(folder, 'token'), `${token}\n`);
  expect(await whoAmI(config.value)).toBe(account);
});

test('a credential plug-in', async () => {
  const { token, account } = await accountToken();
  const login = join(folderForTest(), 'login');
  writeFileSync(login, `#!/bin/sh\necho '{"status":{"token":"${token}"}}'\n`);
  chmodSync(login, 0o755);
  const plugin = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: login,
    args: [],
    env: new Map(),
    wantsCluster: false,
    folder: '/',
  };
  const config = configOf(plane.adminKubeconfig);
  expect(await whoAmI({ ...config, authentication: { kind: 'exec', plugin } })).toBe(account);
});

test('somebody else, where that is allowed', async () => {
  const config = configOf(plane.adminKubeconfig);
  const impersonation = new Map([['impersonate-user', ['jane']]]);
  expect(await whoAmI({ ...config, impersonation })).toBe('jane');
});

/** A proxy that opens tunnels, and the addresses that it was asked for. */
async function proxyForTest(): Promise<{ address: string; asked: string[] }> {
  const asked: string[] = [];
  const proxy = createServer().on('connect', ({ url = '' }: IncomingMessage, socket: Socket) => {
    asked.push(url);
    const [host, port] = url.split(':');
    const server = connect(Number(port), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    server.on('error', () => socket.destroy());
    socket.on('error', () => server.destroy());
    server.pipe(socket).pipe(server);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void proxy.close());
  return { address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
}

test('through a proxy', async () => {
  const { address, asked } = await proxyForTest();
  const config = configOf(plane.adminKubeconfig);
  expect(await whoAmI({ ...config, proxy: address })).toBe(await whoAmI(config));
  expect(asked).toEqual([new URL(plane.url).host]);
});

test('an API server that is not who it should be', async () => {
  const config = configOf(plane.adminKubeconfig);
  expect(await whoAmI({ ...config, authority: null })).toBe('unreachable');
  expect(await whoAmI({ ...config, serverName: 'elsewhere.example.com' })).toBe('unreachable');
  expect(await whoAmI({ ...config, authority: null, isInsecure: true })).not.toBe('unreachable');
});
