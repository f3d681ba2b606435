import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConnection } from './in-cluster.ts';
import { readKubeconfig } from './kubeconfig.ts';

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

function configOf(user: string, cluster = 'server: https://api.example.com:6443'): string {
  return `
apiVersion: v1
kind: Config
current-context: main
contexts: [{ name: main, context: { cluster: c, user: u, namespace: team-a } }]
clusters: [{ name: c, cluster: { ${cluster} } }]
users: [{ name: u, user: { ${user} } }]
`;
}

function read(user: string, cluster?: string): ReturnType<typeof readKubeconfig> {
  const folder = folderWith({ config: configOf(user, cluster) });
  return readKubeconfig({ path: join(folder, 'config') });
}

describe('a kubeconfig', () => {
  test('names server, authority, certificate and namespace', () => {
    const authority = Buffer.from('pem').toString('base64');
    const cluster = `server: "https://api.example.com:6443/", certificate-authority-data: ${authority}, tls-server-name: kube`;
    expect(read('client-certificate: tls/cert.pem, client-key: /etc/key.pem', cluster)).toMatchObject({
      ok: true,
      value: {
        server: 'https://api.example.com:6443',
        serverName: 'kube',
        authority: { kind: 'data', bytes: Buffer.from('pem') },
        certificate: { kind: 'file', path: expect.stringMatching(/kubeconfig-[^/]+\/tls\/cert\.pem$/) },
        key: { kind: 'file', path: '/etc/key.pem' },
        authentication: { kind: 'none' },
        namespace: 'team-a',
        cluster: 'c',
      },
    });
  });

  test.each([
    ['token: secret', { kind: 'token', token: 'secret' }],
    ['token: old, tokenFile: /run/token', { kind: 'token-file', path: '/run/token' }],
    ['username: a, password: b', { kind: 'basic', username: 'a', password: 'b' }],
    [
      'exec: { apiVersion: client.authentication.k8s.io/v1, command: ./login, args: [a], env: [{ name: X, value: y }] }',
      { kind: 'exec', plugin: { command: './login', args: ['a'], env: new Map([['X', 'y']]), wantsCluster: false } },
    ],
  ])('says who we are: %s', (user, authentication) => {
    expect(read(user)).toMatchObject({ ok: true, value: { authentication } });
  });

  test('may ask to act as somebody else', () => {
    const found = read('token: t, as: jane, as-groups: [dev, ops], as-user-extra: { Reason: [audit] }');
    expect(found.ok && [...found.value.impersonation]).toEqual([
      ['impersonate-user', ['jane']],
      ['impersonate-group', ['dev', 'ops']],
      ['impersonate-extra-reason', ['audit']],
    ]);
  });

  test('of several files the first word counts, and missing ones are passed over', () => {
    const folder = folderWith({
      one: configOf('token: one'),
      two: configOf('token: two').replaceAll('main', 'other'),
    });
    const env = { KUBECONFIG: ['missing', 'one', 'two'].map((name) => join(folder, name)).join(delimiter) };
    expect(readKubeconfig({ env })).toMatchObject({ ok: true, value: { authentication: { token: 'one' } } });
    expect(readKubeconfig({ env, context: 'other' })).toMatchObject({
      ok: true,
      value: { authentication: { token: 'one' } },
    });
  });

  test.each([
    ['auth-provider: { name: gcp }', undefined, /exec plug-in/],
    ['token: t', 'server: ftp://x', /an http or https address/],
    ['token: [secret-list]', undefined, /user.*token: expected a string$/],
    ['token: t', 'insecure-skip-tls-verify: true', /server: expected a name/],
  ])('is refused without showing what it holds: %s', (user, cluster, message) => {
    const found = read(user, cluster);
    expect(found).toMatchObject({ ok: false, error: { code: 'config', message: expect.stringMatching(message) } });
    expect(JSON.stringify(found)).not.toContain('secret-list');
  });

  test('that is no YAML, has no such context, or is not there, is an answer', () => {
    const folder = folderWith({ bad: 'a: [', good: configOf('token: t') });
    expect(readKubeconfig({ path: join(folder, 'bad') })).toMatchObject({ ok: false, error: { code: 'config' } });
    const unknown = readKubeconfig({ path: join(folder, 'good'), context: 'nowhere' });
    expect(unknown).toMatchObject({ ok: false, error: { message: 'the kubeconfig has no context "nowhere"' } });
    expect(readKubeconfig({ path: join(folder, 'none') })).toMatchObject({ ok: false });
    expect(readKubeconfig({ env: { HOME: folder } })).toMatchObject({ ok: false });
  });
});

test('a pod without a kubeconfig speaks to its own cluster', () => {
  const folder = folderWith({ token: 'secret\n', namespace: 'springtide\n' });
  const env = { HOME: folder, KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
  expect(readConnection({ env, folder })).toMatchObject({
    ok: true,
    value: { server: 'https://[fd00::1]:443', namespace: 'springtide', authentication: { kind: 'token-file' } },
  });
  expect(readConnection({ env, folder, context: 'main' })).toMatchObject({ ok: false });
});
