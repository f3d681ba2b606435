import type { Pod, Request } from '../model/index.ts';
import type { Book, RequestClass } from '../state/index.ts';

/** A request that is seen often enough for idle cards to be measured against it. */
export interface CommonRequest {
  readonly requestClass: RequestClass;
  /** Pods seen with it, running and waiting. */
  readonly pods: number;
  /** Part of all common pods; the shares sum to 1. */
  readonly share: number;
}

/** The part of the pods that the common requests cover, and the most requests kept. */
export const COVERAGE = 0.95;
export const COMMON_REQUESTS_MAX = 64;

/**
 * The live request mix of a cluster: what its pods with cards ask for, running and waiting alike, the most
 * frequent first until `COVERAGE` of the pods are covered. What a request says about other pods (affinity, spread,
 * ports) is left out: it would make every service a class of its own. Ties go to the class seen first by pod id.
 * Method: the typical requests of Weng et al., USENIX ATC 2023.
 */
export function commonRequests(book: Book, pods: readonly Pod[]): CommonRequest[] {
  const counts = new Map<RequestClass, number>();
  let total = 0;
  for (const pod of pods.toSorted((left, right) => (left.id < right.id ? -1 : 1))) {
    if (pod.request.cards.kind === 'none') continue;
    const requestClass = book.classOf(withoutNeighbours(pod.request));
    counts.set(requestClass, (counts.get(requestClass) ?? 0) + 1);
    total += 1;
  }
  const kept: [RequestClass, number][] = [];
  let covered = 0;
  for (const entry of [...counts].toSorted(([, left], [, right]) => right - left)) {
    if (covered >= COVERAGE * total || kept.length === COMMON_REQUESTS_MAX) break;
    kept.push(entry);
    covered += entry[1];
  }
  return kept.map(([requestClass, seen]) => ({ requestClass, pods: seen, share: seen / covered }));
}

/** The request by itself, as any machine can judge it. */
export function withoutNeighbours(request: Request): Request {
  const { podAffinity, podAntiAffinity, topologySpread, hostPorts } = request.constraints;
  if (podAffinity.length + podAntiAffinity.length + topologySpread.length + hostPorts.length === 0) return request;
  const none = { podAffinity: [], podAntiAffinity: [], topologySpread: [], hostPorts: [] };
  return { ...request, constraints: { ...request.constraints, ...none } };
}
