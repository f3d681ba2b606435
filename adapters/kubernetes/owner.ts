import { booleanAt, type Fields, itemsAt, textAt } from './fields.ts';

/**
 * The service whose replica a pod is, as `namespace/name`: its StatefulSet, or the Deployment behind its ReplicaSet
 * (whose name is the Deployment's and the template's hash). Empty for everything else.
 */
export function serviceOf(metadata: Fields, namespace: string, labels: ReadonlyMap<string, string>): string {
  const owners = itemsAt(metadata, 'ownerReferences');
  const owner = owners.find((item) => booleanAt(item, 'controller')) ?? owners[0];
  if (owner === undefined) return '';
  const kind = textAt(owner, 'kind');
  const name = textAt(owner, 'name');
  if (kind === 'StatefulSet') return `${namespace}/${name}`;
  if (kind !== 'ReplicaSet') return '';
  const hash = labels.get('pod-template-hash');
  const isOfDeployment = hash !== undefined && name.length > hash.length + 1 && name.endsWith(`-${hash}`);
  return `${namespace}/${isOfDeployment ? name.slice(0, -hash.length - 1) : name}`;
}
