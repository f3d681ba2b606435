import { ok, type Result } from '@springtide/core/base';
import { type ClusterFailure } from '@springtide/ports/cluster';
import type { ApiClient } from '../client/api-client.ts';
import { readAnswer } from '../client/read-answer.ts';
import { type Fields, fieldsAt, itemsAt, requiredTextAt, textAt } from '../fields.ts';
import { INSTALLED_KINDS, type InstalledKind, type ObjectId, pathOf } from './kinds.ts';
import { LEASE_NAMESPACE, leaseNameOf, PART_SELECTOR, SCHEDULER_NAME, VERSION_LABEL } from './names.ts';

export type Client = Pick<ApiClient, 'request'>;

/** An object that a cluster has because of Springtide. */
export interface InstalledObject {
  readonly id: ObjectId;
  readonly uid: string;
  /** The release it is of; empty: not told. */
  readonly version: string;
  readonly fields: Fields;
}

/** A cluster has no more of one kind: a few objects are installed. */
const OBJECTS_MAX = '500';

/** What carries our labels, in the order in which it was made. */
export async function installedObjects(client: Client): Promise<Result<InstalledObject[], ClusterFailure>> {
  const found: InstalledObject[] = [];
  for (const kind of INSTALLED_KINDS) {
    const query = { labelSelector: PART_SELECTOR, limit: OBJECTS_MAX };
    const listed = await readAnswer(client, { method: 'GET', path: pathOf(kind, ''), query }, (list) =>
      itemsAt(list, 'items').map((item) => installedObject(kind, item)),
    );
    if (!listed.ok) return listed;
    found.push(...listed.value);
  }
  return ok(found);
}

function installedObject(kind: InstalledKind, fields: Fields): InstalledObject {
  const metadata = fieldsAt(fields, 'metadata');
  const id = { kind, namespace: textAt(metadata, 'namespace'), name: requiredTextAt(metadata, 'name') };
  const version = textAt(fieldsAt(metadata, 'labels'), VERSION_LABEL);
  return { id, uid: requiredTextAt(metadata, 'uid'), version, fields };
}

/** The lease, which the scheduler makes itself, so that it has no labels. */
export const LEASE: ObjectId = {
  kind: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases', isNamespaced: true },
  namespace: LEASE_NAMESPACE,
  name: leaseNameOf(SCHEDULER_NAME),
};

export function objectPath({ kind, namespace, name }: ObjectId): string {
  return `${pathOf(kind, namespace)}/${encodeURIComponent(name)}`;
}

/** An object as it is now; null where there is none. */
export async function lookUp(client: Client, id: ObjectId): Promise<Result<InstalledObject | null, ClusterFailure>> {
  const read = await readAnswer(client, { method: 'GET', path: objectPath(id) }, (object) =>
    installedObject(id.kind, object),
  );
  return !read.ok && read.error.code === 'not-found' ? ok(null) : read;
}

/** The namespace of the Deployment that is installed, and its release; null: none is. */
export function whereInstalled(objects: readonly InstalledObject[]): { namespace: string; version: string } | null {
  const found = objects.find(({ id }) => id.kind.kind === 'Deployment');
  return found === undefined ? null : { namespace: found.id.namespace, version: found.version };
}
