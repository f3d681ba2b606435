import { X509Certificate } from 'node:crypto';
import { connect, createServer, type Server } from 'node:tls';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { certificateOf, expiryOf, type Held, renewed } from './held.ts';

const HOST = 'springtide-webhook.springtide-system.svc';
const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 30);
const EMPTY: Held = { authorities: '', authorityKey: '', certificate: '', key: '' };

function first(hosts: readonly string[] = [HOST]): Held {
  const held = renewed(EMPTY, hosts, NOW_MS);
  if (held === null) throw new Error('nothing was made');
  return held;
}

function authoritiesOf({ authorities }: Held): X509Certificate[] {
  const found = authorities.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return found.map((each) => new X509Certificate(each));
}

async function serverWith({ certificate, key }: Held): Promise<number> {
  const server: Server = createServer({ cert: certificate, key }, (socket) => {
    socket.on('error', () => {});
    socket.end('hello');
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}

describe('what is held', () => {
  test('is made where there is nothing, or what there is cannot be used', async () => {
    const held = first();
    const serving = certificateOf(held);
    const [authority] = authoritiesOf(held);
    expect(authority?.ca).toBe(true);
    expect(serving?.ca).toBe(false);
    expect(authority !== undefined && serving?.verify(authority.publicKey)).toBe(true);
    expect(serving?.checkHost(HOST)).toBe(HOST);
    expect(serving?.checkHost('example.org')).toBeUndefined();
    expect(renewed(held, [HOST], NOW_MS)).toBeNull();
    for (const broken of [{ certificate: 'no PEM' }, { key: first().key }]) {
      const mended = renewed({ ...held, ...broken }, [HOST], NOW_MS);
      expect(mended?.authorities).toBe(held.authorities);
      expect(mended === null ? null : certificateOf(mended)).not.toBeNull();
    }
  });

  test('is renewed when a third of its life is left, by the same authority', async () => {
    const held = first();
    expect(renewed(held, [HOST], NOW_MS + 59 * DAY_MS)).toBeNull();
    const later = NOW_MS + 61 * DAY_MS;
    const next = renewed(held, [HOST], later);
    expect(next?.authorities).toBe(held.authorities);
    expect(next === null ? 0 : expiryOf(certificateOf(next) as X509Certificate)).toBe(later + 90 * DAY_MS);
  });

  test('has an authority that is replaced before it ends, and believed on for a while', async () => {
    const held = first();
    const next = renewed(held, [HOST], NOW_MS + 2500 * DAY_MS);
    if (next === null) throw new Error('nothing was made');
    const [now, before] = authoritiesOf(next);
    expect(before?.fingerprint256).toBe(authoritiesOf(held)[0]?.fingerprint256);
    expect(now?.fingerprint256).not.toBe(before?.fingerprint256);
    expect(now !== undefined && certificateOf(next)?.verify(now.publicKey)).toBe(true);
    const third = renewed(next, [HOST], NOW_MS + 5000 * DAY_MS);
    expect(third === null ? [] : authoritiesOf(third)).toHaveLength(2);
  });

  test('is for every name by which a replica is called, and keeps those of others', async () => {
    const held = first();
    const both = renewed(held, [HOST, '127.0.0.1'], NOW_MS);
    expect(both === null ? null : certificateOf(both)?.checkIP('127.0.0.1')).toBe('127.0.0.1');
    const mine = both === null ? null : renewed(both, ['::1'], NOW_MS);
    const names = mine === null ? null : certificateOf(mine);
    expect([names?.checkHost(HOST), names?.checkIP('127.0.0.1')]).toEqual([HOST, '127.0.0.1']);
  });

  test('is believed by who was told of its authority, and by nobody else', async () => {
    const held = renewed(EMPTY, ['127.0.0.1'], Date.now());
    if (held === null) throw new Error('nothing was made');
    const port = await serverWith(held);
    const said = async (ca: string): Promise<string> => {
      const socket = connect({ port, host: '127.0.0.1', ca });
      onTestFinished(() => void socket.destroy());
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      return String(chunk);
    };
    expect(await said(held.authorities)).toBe('hello');
    await expect(said(first().authorities)).rejects.toThrow(/certificate|self-signed|issuer/);
  });
});
