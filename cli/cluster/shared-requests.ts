import type { Dump, ObservedPod } from '@springtide/adapters/kubernetes';
import type { Request } from '@springtide/core/model';

/**
 * The dump with one request object for all pods that ask for the same, so that a class is found by identity: the
 * pods of a service are thousands of copies. Tenants matter only where somebody keeps to itself; elsewhere pods of
 * all tenants are judged alike, and `keepsTenants` says that the caller does.
 */
export function withSharedRequests(dump: Dump, keepsTenants: boolean): Dump {
  const hasTenants = keepsTenants || dump.pods.some(({ pod }) => pod.request.isolation !== 'none');
  const byKey = new Map<string, Request>();
  const share = (observed: ObservedPod): ObservedPod => {
    const { pod } = observed;
    const key = keyOf(pod.request);
    const request = byKey.get(key) ?? pod.request;
    byKey.set(key, request);
    return { ...observed, pod: { ...pod, request, tenant: hasTenants ? pod.tenant : '' } };
  };
  return { ...dump, pods: dump.pods.map(share) };
}

/** Everything that a request says. Equal keys mean equal requests; equal requests may be written in two ways. */
function keyOf({ cpuMilli, memoryBytes, resources, cards, constraints, isolation }: Request): string {
  const { nodeSelector, ...others } = constraints;
  return JSON.stringify([cpuMilli, memoryBytes, [...resources], cards, isolation, [...nodeSelector], others]);
}
