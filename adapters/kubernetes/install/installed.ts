import { ok, type Result } from '@springtide/core/base';
import { type ClusterFailure } from '@springtide/ports/cluster';
import type { ApiClient } from '../client/api-client.ts';
import { readAnswer } from '../client/read-answer.ts';
import { type Fields, fieldsAt, itemsAt, requiredTextAt, textAt } from '../fields.ts';
import { INSTALLED_KINDS, type InstalledKind, type ObjectId, pathOf } from './kinds.ts';
import {
  LEASE_NAMESPACE,
  leaseNameOf,
  MANAGER_LABEL,
  PART_SELECTOR,
  QUEUE_CONTROLLER,
  SCHEDULER,
  SCHEDULER_NAME,
  VERSION_LABEL,
  WEBHOOK,
} from './names.ts';
import type { InstallOptions } from './options.ts';

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

/** What carries our labels, or those of a selector, in the order in which it was made. */
export async function installedObjects(
  client: Client,
  labelSelector = PART_SELECTOR,
): Promise<Result<InstalledObject[], ClusterFailure>> {
  const found: InstalledObject[] = [];
  for (const kind of INSTALLED_KINDS) {
    const query = { labelSelector, limit: OBJECTS_MAX };
    const listed = await readAnswer(client, { method: 'GET', path: pathOf(kind, ''), query }, (list) =>
      itemsAt(list, 'items').map((item) => installedObject(kind, item)),
    );
    // A kind that the cluster does not have has no objects.
    if (!listed.ok && listed.error.code !== 'unsupported') return listed;
    if (listed.ok) found.push(...listed.value);
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

/** The leases of its parts that are there: nobody takes them away who only stops. */
export async function leasesLeft(client: Client): Promise<Result<InstalledObject[], ClusterFailure>> {
  const left: InstalledObject[] = [];
  for (const name of [LEASE.name, QUEUE_CONTROLLER]) {
    const lease = await lookUp(client, { ...LEASE, name });
    if (!lease.ok) return lease;
    if (lease.value !== null) left.push(lease.value);
  }
  return ok(left);
}

export type Installed = Required<Pick<InstallOptions, 'namespace' | 'version' | 'certificates'>>;

/** What our chart has made: Helm keeps its own account of it. */
export function isOfHelm({ fields }: Pick<InstalledObject, 'fields'>): boolean {
  return textAt(fieldsAt(fieldsAt(fields, 'metadata'), 'labels'), MANAGER_LABEL) === 'Helm';
}

/** Where the Deployment of one of the parts is, its release, and how it was installed; null: it is not. */
export function whereInstalled(objects: readonly InstalledObject[]): Installed | null {
  const isOurs = ({ id }: InstalledObject): boolean =>
    id.kind.kind === 'Deployment' && [SCHEDULER, WEBHOOK, QUEUE_CONTROLLER].includes(id.name);
  const found = objects.find(isOurs);
  if (found === undefined) return null;
  const hasCertificate = objects.some(({ id }) => id.kind.kind === 'Certificate');
  const certificates = hasCertificate ? 'cert-manager' : 'own';
  return { namespace: found.id.namespace, version: found.version, certificates };
}
