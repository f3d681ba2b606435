import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { CertificateAuthority } from './certificates.ts';

const authority = new CertificateAuthority('test authority');
const root = new X509Certificate(authority.certificate);

describe('a certificate authority', () => {
  test('is one, and signs itself', () => {
    expect(root.ca).toBe(true);
    expect(root.subject).toBe('CN=test authority');
    expect(root.verify(root.publicKey)).toBe(true);
    expect(root.checkPrivateKey(createPrivateKey(authority.key))).toBe(true);
  });

  test('issues certificates to servers, for their names and addresses', () => {
    const server = new X509Certificate(authority.issueServer('api', ['127.0.0.1', 'localhost']).certificate);
    expect(server.checkIssued(root) && server.verify(root.publicKey)).toBe(true);
    expect(server.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(server.checkHost('localhost')).toBe('localhost');
    expect(server.checkHost('example.org')).toBeUndefined();
    expect(server.ca).toBe(false);
  });

  test('issues certificates to clients, with user and groups', () => {
    const { certificate, key } = authority.issueClient({ commonName: 'jane', organizations: ['dev', 'ops'] });
    const client = new X509Certificate(certificate);
    expect(client.subject.split('\n')).toEqual(['O=dev', 'O=ops', 'CN=jane']);
    expect(client.checkPrivateKey(createPrivateKey(key))).toBe(true);
  });

  test('is valid since yesterday, for clocks that go wrong', () => {
    expect(Date.parse(root.validFrom)).toBeLessThan(Date.now() - 60 * 60 * 1_000);
    expect(Date.parse(root.validTo)).toBeGreaterThan(Date.now() + 24 * 60 * 60 * 1_000);
  });

  test('never gives the same serial number twice', () => {
    const serials = Array.from({ length: 20 }, () => {
      return new X509Certificate(authority.issueClient({ commonName: 'jane' }).certificate).serialNumber;
    });
    expect(new Set(serials).size).toBe(20);
  });
});

test('both sides of a connection accept each other', async () => {
  const { certificate, key } = authority.issueServer('api', ['127.0.0.1']);
  const ca = authority.certificate;
  const server = createServer({ cert: certificate, key, ca, requestCert: true }, (socket) => {
    socket.on('error', () => {});
    socket.end([socket.getPeerCertificate().subject.CN].join());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const client = authority.issueClient({ commonName: 'jane' });
  const socket: TLSSocket = connect({ port, host: '127.0.0.1', ca, cert: client.certificate, key: client.key });
  const [said] = (await once(socket, 'data')) as [Buffer];
  expect(said.toString()).toBe('jane');
  socket.destroy();
  server.close();
});
