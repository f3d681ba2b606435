import type { AppliedObject } from '../client/apply.ts';
import {
  CLUSTER_PERMISSIONS,
  leasePermissions,
  type Permission,
  type PolicyRule,
  QUEUE_PERMISSIONS,
  rulesOf,
  webhookPermissions,
  webhookSecretPermissions,
} from '../client/permissions.ts';
import {
  LEASE_NAMESPACE,
  leaseNameOf,
  QUEUE_CONTROLLER,
  SCHEDULER,
  SCHEDULER_NAME,
  WEBHOOK,
  WEBHOOK_SECRET,
} from './names.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** Reads where other projects describe gangs. A role of its own, so that the rest is short enough to be read. */
const GANGS = `${SCHEDULER}-gangs`;

/** Accounts, roles and bindings: what `client/permissions.ts` lists, and nothing else. */
export function accountObjects(namespace: string): AppliedObject[] {
  return [...schedulerAccount(namespace), ...webhookAccount(namespace), ...queueAccount(namespace)];
}

function schedulerAccount(namespace: string): AppliedObject[] {
  const account = { name: SCHEDULER, namespace };
  const own = leasePermissions(leaseNameOf(SCHEDULER_NAME));
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account },
    ...rolePair(
      { name: SCHEDULER },
      CLUSTER_PERMISSIONS.filter((each) => !isOfOthers(each)),
      account,
    ),
    ...rolePair({ name: GANGS }, CLUSTER_PERMISSIONS.filter(isOfOthers), account),
    ...rolePair({ name: SCHEDULER, namespace: LEASE_NAMESPACE }, own, account),
  ];
}

function webhookAccount(namespace: string): AppliedObject[] {
  const account = { name: WEBHOOK, namespace };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account },
    ...rolePair({ name: WEBHOOK }, webhookPermissions(WEBHOOK), account),
    ...rolePair(account, webhookSecretPermissions(WEBHOOK_SECRET), account),
  ];
}

function queueAccount(namespace: string): AppliedObject[] {
  const account = { name: QUEUE_CONTROLLER, namespace };
  const lease = leasePermissions(QUEUE_CONTROLLER);
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account },
    ...rolePair({ name: QUEUE_CONTROLLER }, QUEUE_PERMISSIONS, account),
    ...rolePair({ name: QUEUE_CONTROLLER, namespace: LEASE_NAMESPACE }, lease, account),
  ];
}

/** Kinds of our own are there wherever this is installed. */
function isOfOthers({ isOptional, apiGroup }: Permission): boolean {
  return isOptional && apiGroup !== 'springtide.io';
}

interface Named {
  readonly name: string;
  readonly namespace?: string;
}

/** A role, of one namespace or, where none is told, of the whole cluster, and what binds it to an account. */
function rolePair(metadata: Named, permissions: readonly Permission[], account: Named): AppliedObject[] {
  const apiVersion = `${RBAC}/v1`;
  const kind = metadata.namespace === undefined ? 'ClusterRole' : 'Role';
  const rules: readonly PolicyRule[] = rulesOf(permissions);
  const roleRef = { apiGroup: RBAC, kind, name: metadata.name };
  const subjects = [{ kind: 'ServiceAccount', ...account }];
  return [
    { apiVersion, kind, metadata: { ...metadata }, rules },
    { apiVersion, kind: `${kind}Binding`, metadata: { ...metadata }, roleRef, subjects },
  ];
}
