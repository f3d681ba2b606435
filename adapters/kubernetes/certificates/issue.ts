import { createPrivateKey, KeyObject, randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
// What the library finds its parts by; it has to come first.
import 'reflect-metadata';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A certificate and its key, PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const;
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3650;
const SERVING_DAYS = 90;
/** Clocks that are behind ours find it valid too. */
const BEFORE_MS = 3_600_000;

/** An authority that signs itself. `nowMs` by the wall clock, here and below. */
export async function issueAuthority(nowMs: number): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...common(nowMs, AUTHORITY_DAYS),
    name: `CN=springtide-webhook-authority-${randomBytes(4).toString('hex')}`,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), key: pemOf(keys.privateKey) };
}

/** For a server that is called by these names or addresses. */
export async function issueServing(authority: KeyPair, hosts: readonly string[], nowMs: number): Promise<KeyPair> {
  const keys = await newKeys();
  const signer = new X509Certificate(authority.certificate);
  const certificate = await X509CertificateGenerator.create({
    ...common(nowMs, SERVING_DAYS),
    subject: 'CN=springtide-webhook',
    issuer: signer.subject,
    publicKey: keys.publicKey,
    signingKey: createPrivateKey(authority.key).toCryptoKey(ALGORITHM, false, ['sign']),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([SERVER_AUTH]),
      new SubjectAlternativeNameExtension(
        hosts.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(await signer.publicKey.export()),
    ],
  });
  return { certificate: certificate.toString('pem'), key: pemOf(keys.privateKey) };
}

function common(nowMs: number, days: number): object {
  return {
    // Positive, whatever its first bit.
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    notBefore: new Date(nowMs - BEFORE_MS),
    notAfter: new Date(nowMs + days * DAY_MS),
    signingAlgorithm: SIGNING,
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function pemOf(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();
}
