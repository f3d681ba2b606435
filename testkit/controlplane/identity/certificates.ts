import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { bitString, der, integer, objectId, octetString, sequence, set, tagged, text, utcTime, yes } from './der.ts';

/** A certificate and the key it speaks for, in PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Subject {
  /** Kubernetes reads it as the name of the user. */
  readonly commonName: string;
  /** Kubernetes reads them as the groups of the user. */
  readonly organizations?: readonly string[];
}

const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'));
const dayMs = 24 * 60 * 60 * 1_000;
const validDays = 365;

/** A certificate authority that lives as long as one control plane. */
export class CertificateAuthority {
  readonly certificate: string;
  readonly #subject: Subject;
  readonly #keys = newKeys();

  constructor(commonName: string) {
    this.#subject = { commonName };
    const extensions = [
      extension('2.5.29.19', sequence(yes), true),
      // Signs certificates and lists of revoked ones.
      extension('2.5.29.15', bitString(Buffer.from([0b0000_0110]), 1), true),
    ];
    this.certificate = this.#issue(this.#subject, this.#keys.publicKey, extensions);
  }

  get key(): string {
    return pemOf(this.#keys.privateKey);
  }

  /** For a server that is called by these host names and IPv4 addresses. */
  issueServer(commonName: string, hosts: readonly string[]): KeyPair {
    return this.#issuePair({ commonName }, [
      usage('1.3.6.1.5.5.7.3.1'),
      extension('2.5.29.17', sequence(...hosts.map(alternativeName))),
    ]);
  }

  /** For a client that shows who it is. */
  issueClient(subject: Subject): KeyPair {
    return this.#issuePair(subject, [usage('1.3.6.1.5.5.7.3.2')]);
  }

  #issuePair(subject: Subject, extensions: readonly Buffer[]): KeyPair {
    const keys = newKeys();
    const signs = extension('2.5.29.15', bitString(Buffer.from([0b1000_0000]), 7), true);
    return { certificate: this.#issue(subject, keys.publicKey, [signs, ...extensions]), key: pemOf(keys.privateKey) };
  }

  #issue(subject: Subject, publicKey: KeyObject, extensions: readonly Buffer[]): string {
    const nowMs = Date.now();
    const body = sequence(
      tagged(0, integer(Buffer.from([2]))),
      integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
      ecdsaWithSha256,
      nameOf(this.#subject),
      // From yesterday on, for clocks that go wrong on purpose.
      sequence(utcTime(nowMs - dayMs), utcTime(nowMs + validDays * dayMs)),
      nameOf(subject),
      publicKey.export({ type: 'spki', format: 'der' }),
      tagged(3, sequence(...extensions, ...this.#keyIds(publicKey))),
    );
    const signature = bitString(sign('sha256', body, this.#keys.privateKey));
    const lines =
      sequence(body, ecdsaWithSha256, signature)
        .toString('base64')
        .match(/.{1,64}/g) ?? [];
    return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
  }

  /** Which key this is and which key signs it: strict readers ask for both. */
  #keyIds(publicKey: KeyObject): Buffer[] {
    const signer = sequence(der(0x80, keyIdOf(this.#keys.publicKey)));
    return [extension('2.5.29.14', octetString(keyIdOf(publicKey))), extension('2.5.29.35', signer)];
  }
}

/** A key to sign tokens with, and its public half, in PEM. */
export function newSigningKeys(): { readonly privateKey: string; readonly publicKey: string } {
  const { privateKey, publicKey } = newKeys();
  return { privateKey: pemOf(privateKey), publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
}

function newKeys(): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function keyIdOf(publicKey: KeyObject): Buffer {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest()
    .subarray(0, 20);
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function nameOf({ commonName, organizations = [] }: Subject): Buffer {
  const part = (id: string, value: string): Buffer => set(sequence(objectId(id), text(value)));
  return sequence(...organizations.map((name) => part('2.5.4.10', name)), part('2.5.4.3', commonName));
}

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  return sequence(objectId(id), ...(isCritical ? [yes] : []), octetString(value));
}

function usage(id: string): Buffer {
  return extension('2.5.29.37', sequence(objectId(id)));
}

function alternativeName(host: string): Buffer {
  const isAddress = /^\d+\.\d+\.\d+\.\d+$/.test(host);
  return isAddress ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));
}
