import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { issueAuthority, issueServing, type KeyPair } from './issue.ts';

/** What the Secret has, PEM. Empty: nothing. */
export interface Held {
  /** The authorities to be believed, the one that signs now first. */
  readonly authorities: string;
  readonly authorityKey: string;
  readonly certificate: string;
  readonly key: string;
}

/** A certificate that belongs to its key; null: it does not, or cannot be read. */
export function certificateOf({ certificate, key }: KeyPair): X509Certificate | null {
  try {
    const read = new X509Certificate(certificate);
    return read.checkPrivateKey(createPrivateKey(key)) ? read : null;
  } catch {
    return null;
  }
}

/** Milliseconds since 1970. */
export function expiryOf(certificate: X509Certificate): number {
  return Date.parse(certificate.validTo);
}

/** It is renewed when a third of its life is left. */
function isOld(certificate: X509Certificate, nowMs: number): boolean {
  const [fromMs, toMs] = [Date.parse(certificate.validFrom), expiryOf(certificate)];
  return nowMs > toMs - (toMs - fromMs) / 3;
}

function isFor(certificate: X509Certificate, host: string): boolean {
  return (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
}

/** The names that a certificate is for. */
function hostsOf(certificate: X509Certificate): string[] {
  const names = certificate.subjectAltName?.split(', ') ?? [];
  return names.map((name) => name.replace(/^(?:DNS|IP Address):/, ''));
}

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g;

/**
 * What should be held instead; null: it is well as it is. An authority that is replaced is believed on, so that
 * what it has signed is too until everybody serves what the new one signs.
 */
export function renewed(held: Held, hosts: readonly string[], nowMs: number): Held | null {
  const [current = ''] = held.authorities.match(PEM) ?? [];
  const authority = certificateOf({ certificate: current, key: held.authorityKey });
  if (authority === null || isOld(authority, nowMs)) {
    const made = issueAuthority(nowMs);
    const serving = issueServing(made, hosts, nowMs);
    return { authorities: `${made.certificate.trim()}\n${current}`, authorityKey: made.key, ...serving };
  }
  const serving = certificateOf(held);
  const isSigned = serving !== null && serving.verify(authority.publicKey);
  if (isSigned && !isOld(serving, nowMs) && hosts.every((host) => isFor(serving, host))) return null;
  // Another replica may be called by another name.
  const all = isSigned ? [...new Set([...hostsOf(serving), ...hosts])] : hosts;
  return { ...held, ...issueServing({ certificate: current, key: held.authorityKey }, all, nowMs) };
}
