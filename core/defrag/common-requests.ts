import { compareText } from '../base/index.ts';
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
 * The classes of a cluster's pods with cards, running and waiting alike, in order of pod id. What a request says
 * about other pods (affinity, spread, ports) is left out: it would make every service a class of its own.
 */
export function classesOf(book: Book, pods: readonly Pod[]): RequestClass[] {
  const classes = new Map<Request, RequestClass>();
  return pods
    .filter(({ request }) => request.cards.kind !== 'none')
    .toSorted((left, right) => compareText(left.id, right.id))
    .map(({ request }) => {
      const found = classes.get(request) ?? book.classOf(withoutNeighbours(request));
      classes.set(request, found);
      return found;
    });
}

/**
 * The live request mix: the most frequent classes first until `COVERAGE` of the pods are covered. Ties go to the
 * class seen first. Method: the typical requests of Weng et al., USENIX ATC 2023.
 */
export function commonRequests(classes: readonly RequestClass[]): CommonRequest[] {
  const counts = new Map<RequestClass, number>();
  for (const requestClass of classes) counts.set(requestClass, (counts.get(requestClass) ?? 0) + 1);
  const kept: [RequestClass, number][] = [];
  let covered = 0;
  for (const entry of [...counts].toSorted(([, left], [, right]) => right - left)) {
    if (covered >= COVERAGE * classes.length || kept.length === COMMON_REQUESTS_MAX) break;
    kept.push(entry);
    covered += entry[1];
  }
  return kept.map(([requestClass, seen]) => ({ requestClass, pods: seen, share: seen / covered }));
}

/** The request by itself, as any machine can judge it. */
function withoutNeighbours(request: Request): Request {
  const none = { podAffinity: [], podAntiAffinity: [], topologySpread: [], hostPorts: [], exclusiveClaims: [] };
  const kinds = Object.keys(none) as readonly (keyof typeof none)[];
  const { cardLimits = [], ...constraints } = request.constraints;
  if (cardLimits.length === 0 && kinds.every((kind) => constraints[kind].length === 0)) return request;
  return { ...request, constraints: { ...constraints, ...none } };
}
