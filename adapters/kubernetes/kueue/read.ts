import { err, ok, type Result } from '@springtide/core/base';
import type { Readable } from 'node:stream';
import type { ClusterFailure } from '@springtide/ports/cluster';
import type { ApiClient } from '../client/api-client.ts';
import { readAnswer } from '../client/read-answer.ts';
import { readDocuments } from '../documents.ts';
import { type InputError, InputFault, inputError } from '../fault.ts';
import { type Fields, itemsAt, textAt } from '../fields.ts';
import { listAll } from '../list-all.ts';
import { KUEUE_GROUP, Migrating, type Migration } from './migrate.ts';

/** Reads objects of Kueue from a file, or `-`. Null: there are none of Kueue's in it. */
export async function readKueue(path: string, stdin?: Readable): Promise<Result<Migration | null, InputError>> {
  const migrating = new Migrating();
  const read = await readDocuments(path, (object) => migrating.take(object), stdin);
  if (!read.ok) return read;
  return ok(migrating.isAny ? migrating.finish() : null);
}

export type KueueError =
  | { readonly kind: 'cluster'; readonly failure: ClusterFailure }
  | { readonly kind: 'input'; readonly error: InputError };

type Client = Pick<ApiClient, 'request'>;

/** The same of a live cluster, in the best version that it serves. Null: it has none of Kueue's kinds. */
export async function readLiveKueue(client: Client): Promise<Result<Migration | null, KueueError>> {
  const kinds = await kindsServed(client);
  if (!kinds.ok) return err({ kind: 'cluster', failure: kinds.error });
  if (kinds.value.length === 0) return ok(null);
  const migrating = new Migrating();
  for (const { apiVersion, kind, plural } of kinds.value) {
    let wrong: InputError | null = null;
    const file = `/apis/${apiVersion}/${plural}`;
    const listed = await listAll(client, file, (object) => {
      wrong = taken(migrating, { values: { ...object.values, apiVersion, kind }, path: object.path }, file);
      return wrong === null;
    });
    if (wrong !== null) return err({ kind: 'input', error: wrong });
    if (!listed.ok) return err({ kind: 'cluster', failure: listed.error });
  }
  return ok(migrating.finish());
}

function taken(migrating: Migrating, object: Fields, file: string): InputError | null {
  try {
    migrating.take(object);
    return null;
  } catch (error) {
    if (!(error instanceof InputFault)) throw error;
    return inputError(error, { file, line: null, column: null, subject: '' });
  }
}

interface ServedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
}

/** The newest first; what comes later is not known here. */
const VERSIONS = ['v1beta2', 'v1beta1'];
/** Made anew from the jobs that they are for. */
const NOT_LISTED: ReadonlySet<string> = new Set(['workloads']);

/** Every kind of Kueue's that is served, subresources left out. */
async function kindsServed(client: Client): Promise<Result<ServedKind[], ClusterFailure>> {
  for (const version of VERSIONS) {
    const apiVersion = `${KUEUE_GROUP}/${version}`;
    const read = await readAnswer(client, { method: 'GET', path: `/apis/${apiVersion}` }, (body) =>
      itemsAt(body, 'resources').map((item) => ({
        kind: textAt(item, 'kind'),
        plural: textAt(item, 'name'),
        apiVersion,
      })),
    );
    if (read.ok) return ok(read.value.filter(({ plural }) => !plural.includes('/') && !NOT_LISTED.has(plural)));
    if (read.error.code !== 'not-found' && read.error.code !== 'unsupported') return read;
  }
  return ok([]);
}
