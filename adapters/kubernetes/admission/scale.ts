import type { ScaleInRequest } from '@springtide/ports/replicas';
import { type Fields, fieldsAt, integerAt } from '../fields.ts';
import type { AdmissionRequest } from './request.ts';

const KINDS: ReadonlyMap<string, ScaleInRequest['kind']> = new Map([
  ['deployments', 'Deployment'],
  ['replicasets', 'ReplicaSet'],
  ['statefulsets', 'StatefulSet'],
]);

/** A change that leaves a workload fewer replicas, by its `scale` or its own `spec`; null: it is another one. */
export function scaleInOf(request: AdmissionRequest): ScaleInRequest | null {
  const { group, resource, subresource, operation, object, oldObject, namespace, name, isDryRun } = request;
  const kind = KINDS.get(resource);
  if (group !== 'apps' || kind === undefined || operation !== 'UPDATE' || object === null || oldObject === null)
    return null;
  // A Scale leaves out a 0, a workload a 1.
  const absent = subresource === 'scale' ? 0 : 1;
  const to = replicasOf(object, absent);
  return to < replicasOf(oldObject, absent) ? { kind, namespace, name, to, isDryRun } : null;
}

function replicasOf(object: Fields, absent: number): number {
  return integerAt(fieldsAt(object, 'spec'), 'replicas', { absent, min: -(2 ** 31), max: 2 ** 31 });
}
