import { compareText } from '@springtide/core/base';
import { stringify } from 'yaml';
import type { AppliedObject } from '../client/apply.ts';
import { DEFINITIONS } from './crds/index.ts';
import { partObjects, schedulerPriority } from './deployment.ts';
import { idOf, INSTALLED_KINDS, textOfId } from './kinds.ts';
import { PART_LABELS, VERSION_LABEL } from './names.ts';
import type { InstallOptions } from './options.ts';
import { accountObjects } from './roles.ts';
import { STARTER_TEMPLATES } from './starter-templates.ts';
import { webhookObjects } from './webhook.ts';

/** Namespaces that every cluster has: never ours to make, label or remove. */
const SYSTEM_NAMESPACE = /^(default|kube-.*)$/;

/** Everything that is installed, in the order in which it is made. */
export function manifestsOf(options: InstallOptions): AppliedObject[] {
  const objects = [
    ...(SYSTEM_NAMESPACE.test(options.namespace) ? [] : [namespaceObject(options.namespace)]),
    ...DEFINITIONS,
    schedulerPriority(),
    ...accountObjects(options.namespace),
    ...partObjects(options),
    ...webhookObjects(options),
    ...STARTER_TEMPLATES,
  ];
  return objects.map((object) => labelled(object, options.version)).toSorted(inOrder);
}

/** By kind, and then by name, as the API server lists them. */
function inOrder(left: AppliedObject, right: AppliedObject): number {
  const [one, other] = [idOf(left), idOf(right)];
  const rank = INSTALLED_KINDS.indexOf(one.kind) - INSTALLED_KINDS.indexOf(other.kind);
  return rank || compareText(textOfId(one), textOfId(other));
}

/** Its pods keep to the strictest of the pod security standards. */
function namespaceObject(name: string): AppliedObject {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}

function labelled(object: AppliedObject, version: string): AppliedObject {
  const own = (object.metadata['labels'] ?? {}) as Readonly<Record<string, string>>;
  const labels = { ...PART_LABELS, [VERSION_LABEL]: version, ...own };
  return { ...object, metadata: { ...object.metadata, labels } };
}

/** As `kubectl apply -f -` reads it. */
export function yamlOf(objects: readonly AppliedObject[]): string {
  return objects.map((object) => `---\n${stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })}`).join('');
}
