import type { AppliedObject } from '../client/apply.ts';
import {
  CLUSTER_PERMISSIONS,
  leasePermissions,
  type Permission,
  type PolicyRule,
  rulesOf,
} from '../client/permissions.ts';
import { LEASE_NAMESPACE, leaseNameOf, SCHEDULER, SCHEDULER_NAME } from './names.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** Reads where other projects describe gangs. A role of its own, so that the rest is short enough to be read. */
const GANGS = `${SCHEDULER}-gangs`;

/** Account, roles and bindings of the scheduler: what `client/permissions.ts` lists, and nothing else. */
export function accountObjects(namespace: string): AppliedObject[] {
  const own = leasePermissions(leaseNameOf(SCHEDULER_NAME));
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: SCHEDULER, namespace } },
    ...rolePair('ClusterRole', SCHEDULER, rulesOf(CLUSTER_PERMISSIONS.filter((each) => !isOfOthers(each))), namespace),
    ...rolePair('ClusterRole', GANGS, rulesOf(CLUSTER_PERMISSIONS.filter(isOfOthers)), namespace),
    ...rolePair('Role', SCHEDULER, rulesOf(own), namespace),
  ];
}

/** Kinds of our own are there wherever this is installed. */
function isOfOthers({ isOptional, apiGroup }: Permission): boolean {
  return isOptional && apiGroup !== 'springtide.io';
}

/** A role, which is that of the lease or for the whole cluster, and what binds it to the scheduler's account. */
function rolePair(
  kind: 'Role' | 'ClusterRole',
  name: string,
  rules: readonly PolicyRule[],
  namespace: string,
): AppliedObject[] {
  const apiVersion = `${RBAC}/v1`;
  const metadata = kind === 'Role' ? { name, namespace: LEASE_NAMESPACE } : { name };
  const roleRef = { apiGroup: RBAC, kind, name };
  const subjects = [{ kind: 'ServiceAccount', name: SCHEDULER, namespace }];
  return [
    { apiVersion, kind, metadata, rules },
    { apiVersion, kind: `${kind}Binding`, metadata, roleRef, subjects },
  ];
}
