import { ok, type Result } from '@springtide/core/base';
import type { ClusterFailure } from '@springtide/ports/cluster';
import { said } from '@springtide/wire/messages';
import {
  CLUSTER_PERMISSIONS,
  leasePermissions,
  type Permission,
  QUEUE_PERMISSIONS,
  webhookPermissions,
  webhookSecretPermissions,
} from '../client/permissions.ts';
import { readAnswer } from '../client/read-answer.ts';
import { booleanAt, fieldsAt } from '../fields.ts';
import { INSTALLED_KINDS } from '../install/kinds.ts';
import {
  DEFAULT_NAMESPACE,
  LEASE_NAMESPACE,
  leaseNameOf,
  QUEUE_CONTROLLER,
  SCHEDULER_NAME,
  WEBHOOK,
  WEBHOOK_SECRET,
} from '../install/names.ts';
import { type Client, type Finding, finding, someOf, unread } from './finding.ts';

interface Wish {
  readonly group: string;
  /** `pods` or `pods/binding`. */
  readonly resource: string;
  readonly verb: string;
  /** Empty: in all of them. */
  readonly namespace: string;
  /** Empty: of any name. */
  readonly name: string;
}

/** Whoever may do everything is asked no further. */
const EVERYTHING: Wish = { group: '*', resource: '*', verb: '*', namespace: '', name: '' };

/**
 * Whether the user may install: make, change and remove every kind of object, and have each permission that is given
 * to the scheduler, for nobody can give what they do not have.
 */
export async function checkPermissions(client: Client, user: string): Promise<Finding> {
  const missing = await missingOf(client, [EVERYTHING]);
  if (!missing.ok) return unread('permissions', 'selfsubjectaccessreviews', missing.error);
  const denied = missing.value.length === 0 ? missing : await missingOf(client, installWishes());
  if (!denied.ok) return unread('permissions', 'selfsubjectaccessreviews', denied.error);
  if (denied.value.length === 0) return finding('permissions', 'ok', said('doctor.permissions.all', { user }));
  const found = said('doctor.permissions.missing', { user, wishes: someOf(denied.value.map(textOfWish)) });
  return finding('permissions', 'warning', found, said('doctor.permissions.todo'));
}

const INSTALL_VERBS = ['get', 'list', 'create', 'patch', 'delete'];

/** Only where cert-manager makes the certificates. */
const OF_CERT_MANAGER = 'cert-manager.io';

/** To make what is installed, and to hold what it is allowed: nobody may give what he has not. */
function installWishes(): Wish[] {
  const kinds = INSTALLED_KINDS.flatMap(({ apiVersion, plural: resource }) => {
    const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
    if (group === OF_CERT_MANAGER) return [];
    return INSTALL_VERBS.map((verb) => ({ group, resource, verb, namespace: '', name: '' }));
  });
  return [
    ...kinds,
    ...wishesFor(CLUSTER_PERMISSIONS, ''),
    ...wishesFor(webhookPermissions(WEBHOOK), ''),
    ...wishesFor(QUEUE_PERMISSIONS, ''),
    ...wishesFor(leasePermissions(QUEUE_CONTROLLER), LEASE_NAMESPACE),
    ...wishesFor(leasePermissions(leaseNameOf(SCHEDULER_NAME)), LEASE_NAMESPACE),
    ...wishesFor(webhookSecretPermissions(WEBHOOK_SECRET), DEFAULT_NAMESPACE),
  ];
}

function wishesFor(permissions: readonly Permission[], namespace: string): Wish[] {
  return permissions.flatMap(({ apiGroup: group, resources, names, verbs }) =>
    verbs.map((verb) => ({ group, resource: resources[0] ?? '', verb, namespace, name: names?.[0] ?? '' })),
  );
}

async function missingOf(client: Client, wishes: readonly Wish[]): Promise<Result<Wish[], ClusterFailure>> {
  const missing: Wish[] = [];
  for (const wish of wishes) {
    const may = await isAllowed(client, wish);
    if (!may.ok) return may;
    if (!may.value) missing.push(wish);
  }
  return ok(missing);
}

function isAllowed(client: Client, wish: Wish): Promise<Result<boolean, ClusterFailure>> {
  const [resource = '', subresource = ''] = wish.resource.split('/');
  const { group, verb, namespace, name } = wish;
  const resourceAttributes = { group, resource, subresource, verb, namespace, name };
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  };
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  return readAnswer(client, { method: 'POST', path, body }, (review) =>
    booleanAt(fieldsAt(review, 'status'), 'allowed'),
  );
}

function textOfWish({ group, resource, verb }: Wish): string {
  return `${verb} ${resource}${group === '' ? '' : `.${group}`}`;
}
