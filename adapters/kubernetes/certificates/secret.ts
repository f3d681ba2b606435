import type { Result } from '@springtide/core/base';
import type { ClusterFailure } from '@springtide/ports/cluster';
import type { ApiClient } from '../client/api-client.ts';
import { readAnswer } from '../client/read-answer.ts';
import { type Fields, fieldsAt, textAt } from '../fields.ts';
import type { Held } from './held.ts';

type Client = Pick<ApiClient, 'request'>;

const KEYS = { authorities: 'ca.crt', authorityKey: 'ca.key', certificate: 'tls.crt', key: 'tls.key' } as const;

/** A Secret as it was read: written back only if nobody else has changed it since. */
export interface ReadSecret {
  readonly held: Held;
  readonly object: Readonly<Record<string, unknown>>;
}

export interface SecretId {
  readonly namespace: string;
  readonly name: string;
}

export function readSecret(client: Client, id: SecretId): Promise<Result<ReadSecret, ClusterFailure>> {
  return readAnswer(client, { method: 'GET', path: pathOf(id) }, readOf);
}

/** A conflict where somebody else was faster. */
export function writeSecret(
  client: Client,
  id: SecretId,
  { object }: ReadSecret,
  held: Held,
): Promise<Result<ReadSecret, ClusterFailure>> {
  const data = Object.fromEntries(
    Object.entries(KEYS).map(([part, key]) => [key, Buffer.from(held[part as keyof Held]).toString('base64')]),
  );
  return readAnswer(client, { method: 'PUT', path: pathOf(id), body: { ...object, data } }, readOf);
}

function pathOf({ namespace, name }: SecretId): string {
  return `/api/v1/namespaces/${namespace}/secrets/${name}`;
}

function readOf(object: Fields): ReadSecret {
  const data = fieldsAt(object, 'data');
  const decoded = (key: string): string => Buffer.from(textAt(data, key), 'base64').toString('utf8');
  const held = {
    authorities: decoded(KEYS.authorities),
    authorityKey: decoded(KEYS.authorityKey),
    certificate: decoded(KEYS.certificate),
    key: decoded(KEYS.key),
  };
  return { held, object: object.values };
}
