import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';

/** A certificate and its key, PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

const ECDSA_WITH_SHA256 = new AlgorithmIdentifier({ algorithm: '1.2.840.10045.4.3.2' });
const COMMON_NAME = '2.5.4.3';

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3650;
const SERVING_DAYS = 90;
/** Clocks that are behind ours find it valid too. */
const BEFORE_MS = 3_600_000;

/** Who signs. */
interface Signer {
  readonly name: Name;
  readonly keyId: ArrayBuffer;
  readonly key: KeyObject;
}

/** An authority that signs itself. `nowMs` by the wall clock, here and below. */
export function issueAuthority(nowMs: number): KeyPair {
  const { publicKey, privateKey } = newKeys();
  const name = nameOf(`springtide-webhook-authority-${randomBytes(4).toString('hex')}`);
  const extensions = [
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 }), true),
    extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign), true),
  ];
  const signer = { name, keyId: keyIdOf(publicKey), key: privateKey };
  const certificate = issue({ name, publicKey, extensions, days: AUTHORITY_DAYS }, signer, nowMs);
  return { certificate, key: pemOf(privateKey) };
}

/** For a server that is called by these names or addresses. */
export function issueServing(authority: KeyPair, hosts: readonly string[], nowMs: number): KeyPair {
  const { publicKey, privateKey } = newKeys();
  const names = hosts.map((host) => new GeneralName(isIP(host) === 0 ? { dNSName: host } : { iPAddress: host }));
  const extensions = [
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: false }), true),
    extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), true),
    extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth])),
    extension(id_ce_subjectAltName, new SubjectAlternativeName(names)),
  ];
  const subject = { name: nameOf('springtide-webhook'), publicKey, extensions, days: SERVING_DAYS };
  return { certificate: issue(subject, signerOf(authority), nowMs), key: pemOf(privateKey) };
}

interface Subject {
  readonly name: Name;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Extension[];
  readonly days: number;
}

function issue({ name, publicKey, extensions, days }: Subject, signer: Signer, nowMs: number): string {
  const ids = [
    extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyIdOf(publicKey))),
    extension(
      id_ce_authorityKeyIdentifier,
      new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(signer.keyId) }),
    ),
  ];
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    // Positive, whatever its first bit.
    serialNumber: bytesOf(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    signature: ECDSA_WITH_SHA256,
    issuer: signer.name,
    validity: new Validity({ notBefore: new Date(nowMs - BEFORE_MS), notAfter: new Date(nowMs + days * DAY_MS) }),
    subject: name,
    subjectPublicKeyInfo: AsnConvert.parse(publicKey.export({ type: 'spki', format: 'der' }), SubjectPublicKeyInfo),
    extensions: new Extensions([...extensions, ...ids]),
  });
  const signatureValue = bytesOf(sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), signer.key));
  const signed = new Certificate({ tbsCertificate, signatureAlgorithm: ECDSA_WITH_SHA256, signatureValue });
  const lines =
    Buffer.from(AsnConvert.serialize(signed))
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function signerOf({ certificate, key }: KeyPair): Signer {
  const der = Buffer.from(certificate.replace(/-----[A-Z ]+-----/g, ''), 'base64');
  const { subject, subjectPublicKeyInfo } = AsnConvert.parse(der, Certificate).tbsCertificate;
  return { name: subject, keyId: hashOf(AsnConvert.serialize(subjectPublicKeyInfo)), key: createPrivateKey(key) };
}

function newKeys(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function keyIdOf(publicKey: KeyObject): ArrayBuffer {
  return hashOf(publicKey.export({ type: 'spki', format: 'der' }));
}

function hashOf(der: ArrayBuffer | Buffer): ArrayBuffer {
  return bytesOf(createHash('sha256').update(new Uint8Array(der)).digest().subarray(0, 20));
}

function nameOf(commonName: string): Name {
  const value = new AttributeValue({ utf8String: commonName });
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: COMMON_NAME, value })])]);
}

function extension(extnID: string, value: object, critical = false): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

/** A copy that stands alone: a Buffer may be a window on a larger one. */
function bytesOf(buffer: Uint8Array): ArrayBuffer {
  return Uint8Array.from(buffer).buffer;
}
