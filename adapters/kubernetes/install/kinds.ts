import type { AppliedObject } from '../client/apply.ts';

/** A kind of object that is installed, or was by a former version. */
export interface InstalledKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
}

function kind(apiVersion: string, name: string, plural: string, isNamespaced: boolean): InstalledKind {
  return { apiVersion, kind: name, plural, isNamespaced };
}

/**
 * In the order in which they are made; they are removed in the opposite one. Lines are added, never taken out: what a
 * former version installed is found by its kind and its labels.
 */
export const INSTALLED_KINDS: readonly InstalledKind[] = [
  kind('v1', 'Namespace', 'namespaces', false),
  kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'customresourcedefinitions', false),
  kind('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', false),
  kind('v1', 'ServiceAccount', 'serviceaccounts', true),
  kind('rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles', false),
  kind('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'clusterrolebindings', false),
  kind('rbac.authorization.k8s.io/v1', 'Role', 'roles', true),
  kind('rbac.authorization.k8s.io/v1', 'RoleBinding', 'rolebindings', true),
  kind('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets', true),
  kind('v1', 'Secret', 'secrets', true),
  kind('v1', 'Service', 'services', true),
  kind('springtide.io/v1alpha1', 'CardTemplate', 'cardtemplates', false),
  kind('cert-manager.io/v1', 'Issuer', 'issuers', true),
  kind('cert-manager.io/v1', 'Certificate', 'certificates', true),
  kind('apps/v1', 'Deployment', 'deployments', true),
  // Last: what it asks is there, and it is the first to go.
  kind('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', false),
  kind('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'validatingwebhookconfigurations', false),
];

/** The path of a kind's objects: of one namespace, or of the whole cluster where that is empty. */
export function pathOf({ apiVersion, plural, isNamespaced }: InstalledKind, namespace: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return isNamespaced && namespace !== '' ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`;
}

/** Which object: unlike any other in a cluster. */
export interface ObjectId {
  readonly kind: InstalledKind;
  /** Empty: it has none. */
  readonly namespace: string;
  readonly name: string;
}

export function idOf(object: AppliedObject): ObjectId {
  const found = INSTALLED_KINDS.find((each) => each.apiVersion === object.apiVersion && each.kind === object.kind);
  if (found === undefined) throw new Error(`${object.apiVersion} ${object.kind} is not in the list of installed kinds`);
  const { namespace, name } = object.metadata;
  return { kind: found, namespace: found.isNamespaced ? String(namespace) : '', name };
}

/** `deployment springtide-system/springtide-scheduler`, for people and to compare. */
export function textOfId({ kind: { kind: name }, namespace, name: own }: ObjectId): string {
  return `${name} ${namespace === '' ? own : `${namespace}/${own}`}`;
}
