import { FakeApi, plainConfig, sendJson } from '@springtide/testkit/fake-api';
import { systemClock } from '@springtide/testkit/clock';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ApiClient, type ApiRequest } from './api-client.ts';
import type { Authentication } from './connection-config.ts';
import { Transport } from './transport.ts';

const GET: ApiRequest = { method: 'GET', path: '/api/v1/nodes' };

async function clientOf(
  authentication: Authentication = { kind: 'none' },
): Promise<{ api: FakeApi; client: ApiClient; server: string }> {
  const api = new FakeApi();
  const server = await api.start();
  const transport = new Transport(plainConfig(server, { authentication }), systemClock, 4);
  onTestFinished(async () => {
    await transport.close();
    await api.stop();
  });
  return { api, client: new ApiClient(transport, systemClock), server };
}

function temporaryFile(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'client-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

describe('an answer is a value, whatever happens', () => {
  test('success has the JSON', async () => {
    const { api, client } = await clientOf();
    api.store.put('a');
    expect(await client.request(GET)).toMatchObject({ ok: true, value: { items: [{ metadata: { name: 'a' } }] } });
  });

  test.each([
    [409, { kind: 'Status', reason: 'Conflict', message: 'is already assigned' }, 'conflict', 'on-change'],
    [409, { kind: 'Status', reason: 'AlreadyExists' }, 'exists', 'on-change'],
    [404, { kind: 'Status', reason: 'NotFound', details: { name: 'p' } }, 'not-found', 'never'],
    [404, { kind: 'Status', reason: 'NotFound', details: {} }, 'unsupported', 'never'],
    [422, { kind: 'Status', details: { causes: [{ field: 'metadata.uid' }] } }, 'not-found', 'never'],
    [429, { kind: 'Status', details: { causes: [{ reason: 'DisruptionBudget' }] } }, 'budget', 'later'],
    [429, { kind: 'Status' }, 'throttled', 'later'],
    [403, { kind: 'Status' }, 'forbidden', 'never'],
    [500, { kind: 'Status' }, 'server', 'read-back'],
    [504, 'a proxy speaks', 'server', 'read-back'],
    [302, {}, 'malformed', 'read-back'],
  ])('%i %j', async (status, body, code, retry) => {
    const { api, client } = await clientOf();
    api.answerNext((_, response) => sendJson(response, status, body));
    expect(await client.request(GET)).toMatchObject({ ok: false, error: { code, retry } });
  });

  test('the time to wait is told, by the body or else the header', async () => {
    const { api, client } = await clientOf();
    api.refuseNext(429, { kind: 'Status', details: { retryAfterSeconds: 3 } });
    api.answerNext((_, response) => {
      response.setHeader('retry-after', '2');
      sendJson(response, 503, {});
    });
    expect(await client.request(GET)).toMatchObject({ error: { retryAfterMs: 3000 } });
    expect(await client.request(GET)).toMatchObject({ error: { retryAfterMs: 2000 } });
  });

  test('nobody listens: it was not sent', async () => {
    const { api, client } = await clientOf();
    await api.stop();
    expect(await client.request(GET)).toMatchObject({ ok: false, error: { code: 'unreachable', retry: 'later' } });
    await api.start();
  });

  test('no answer, a broken one or half of one: nobody knows', async () => {
    const { api, client } = await clientOf();
    api.answerNext(() => {});
    expect(await client.request({ ...GET, timeoutMs: 30 })).toMatchObject({ error: { code: 'interrupted' } });
    api.answerNext((_, response) => response.socket?.resetAndDestroy());
    expect(await client.request(GET)).toMatchObject({ error: { code: 'interrupted', retry: 'read-back' } });
    api.answerNext((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"items":');
      setTimeout(() => response.socket?.resetAndDestroy(), 5);
    });
    expect(await client.request(GET)).toMatchObject({ error: { code: 'interrupted' } });
    api.answerNext((_, response) => response.end('not JSON'));
    expect(await client.request(GET)).toMatchObject({ error: { code: 'malformed' } });
  });

  test('an answer larger than its bound is not read to the end', async () => {
    const { api, client } = await clientOf();
    api.answerNext((_, response) => sendJson(response, 200, 'x'.repeat(100_000)));
    expect(await client.request({ ...GET, bytesMax: 1000 })).toMatchObject({ error: { code: 'too-large' } });
    expect(await client.request(GET)).toMatchObject({ ok: true });
  });
});

describe('who we are', () => {
  test('a token file is read anew when the API server does not accept its token', async () => {
    const path = temporaryFile('token', 'old\n');
    const { api, client } = await clientOf({ kind: 'token-file', path });
    await client.request(GET);
    writeFileSync(path, 'new\n');
    await client.request(GET);
    api.refuseNext(401, { kind: 'Status' });
    expect(await client.request(GET)).toMatchObject({ ok: true });
    const tokens = api.requests.map((request) => request.headers.authorization);
    expect(tokens).toEqual(['Bearer old', 'Bearer old', 'Bearer old', 'Bearer new']);
  });

  test('what stays refused is an answer, after one more try', async () => {
    const { api, client } = await clientOf({ kind: 'token', token: 't' });
    api.refuseNext(401, { kind: 'Status', message: 'Unauthorized' }, 2);
    expect(await client.request(GET)).toMatchObject({ error: { code: 'unauthorized', retry: 'later' } });
    expect(api.requests).toHaveLength(2);
  });

  test('a plug-in is run once for many requests, and told what it is for', async () => {
    const path = temporaryFile(
      'login',
      `#!/bin/sh
echo run >> "$0.runs"
printf '%s' "$KUBERNETES_EXEC_INFO" > "$0.info"
echo '{"kind":"ExecCredential","status":{"token":"'"$TOKEN"'"}}'
`,
    );
    chmodSync(path, 0o755);
    const plugin = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: path,
      args: [],
      wantsCluster: true,
      folder: '/',
    };
    const { api, client, server } = await clientOf({
      kind: 'exec',
      plugin: { ...plugin, env: new Map([['TOKEN', 'abc']]) },
    });
    await Promise.all([client.request(GET), client.request(GET), client.request(GET)]);
    expect(new Set(api.requests.map((request) => request.headers.authorization))).toEqual(new Set(['Bearer abc']));
    const { readFileSync } = await import('node:fs');
    expect(readFileSync(`${path}.runs`, 'utf8')).toBe('run\n');
    expect(JSON.parse(readFileSync(`${path}.info`, 'utf8'))).toMatchObject({
      spec: { interactive: false, cluster: { server } },
    });
  });

  test.each([
    ['exit 3', /ended with 3/],
    ['echo nonsense', /no ExecCredential/],
    [`echo '{"status":{}}'`, /no token and no certificate/],
  ])('a plug-in that fails is an answer: %s', async (script, message) => {
    const path = temporaryFile('login', `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    const plugin = { apiVersion: 'v1', command: path, args: [], env: new Map(), wantsCluster: false, folder: '/' };
    const { client } = await clientOf({ kind: 'exec', plugin });
    const answer = await client.request(GET);
    expect(answer).toMatchObject({
      ok: false,
      error: { code: 'credentials', message: expect.stringMatching(message) },
    });
  });
});
