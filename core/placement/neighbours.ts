import {
  FILTER_CODE,
  type HostPort,
  type Machine,
  type Pod,
  type PodAffinityTerm,
  type TopologySpread,
} from '../model/index.ts';
import {
  matchesNodeAffinity,
  matchesSelector,
  untolerated,
  type Book,
  type Holding,
  type RequestClass,
} from '../state/index.ts';
import { cardLimitCheck } from './card-limits.ts';
import { memoryRefusal } from './fit.ts';
import { serviceCheck, type ServiceCaps } from './service-caps.ts';

/** Filters that no score keeps: they may need the whole fleet once, then answer machine by machine. */
export interface Neighbours {
  /** The first of them that refuses the pod on a machine, or 0. */
  readonly refusalOf: (machine: number) => number;
}

type Check = (machine: number) => number;

function matchesAffinityTerm(term: PodAffinityTerm, pod: Pod): boolean {
  const inNamespace = term.namespaces.includes('*') || term.namespaces.includes(pod.namespace);
  return inNamespace && matchesSelector(term.selector, pod.labels);
}

/** Values of one topology key, each with the number of pods counted there. */
class DomainCounts {
  readonly #counts = new Map<string, number>();
  readonly #book: Book;
  readonly #key: string;

  constructor(book: Book, key: string) {
    this.#book = book;
    this.#key = key;
  }

  domainOf(machine: number): string | undefined {
    return this.#book.machines[machine]?.labels.get(this.#key);
  }

  add(machine: number, by: number): void {
    const domain = this.domainOf(machine);
    if (domain !== undefined) this.#counts.set(domain, (this.#counts.get(domain) ?? 0) + by);
  }

  at(machine: number): number {
    const domain = this.domainOf(machine);
    return domain === undefined ? 0 : (this.#counts.get(domain) ?? 0);
  }

  get values(): number[] {
    return [...this.#counts.values()];
  }

  get isEmpty(): boolean {
    return this.values.every((count) => count === 0);
  }
}

/**
 * Required pod affinity. A pod counts only if it matches every term, and the first of a group that matches
 * itself may go anywhere that has the keys. Method: kube-scheduler, InterPodAffinity.
 */
function affinityCheck(book: Book, pod: Pod): Check {
  const terms = pod.request.constraints.podAffinity;
  const counts = terms.map((term) => new DomainCounts(book, term.topologyKey));
  for (const { pod: other, machine } of book.holdings.values()) {
    if (terms.every((term) => matchesAffinityTerm(term, other))) for (const count of counts) count.add(machine, 1);
  }
  const isFirst = counts.every((count) => count.isEmpty) && terms.every((term) => matchesAffinityTerm(term, pod));
  return (machine) => {
    const hasKeys = counts.every((count) => count.domainOf(machine) !== undefined);
    return hasKeys && (isFirst || counts.every((count) => count.at(machine) > 0)) ? 0 : FILTER_CODE['pod-affinity'];
  };
}

/** Required anti-affinity, both ways: the pod's own terms, and those of pods already placed. */
function antiAffinityCheck(book: Book, pod: Pod): Check {
  const forbidden: DomainCounts[] = [];
  const forbid = (term: PodAffinityTerm, machines: Iterable<Holding>): void => {
    const counts = new DomainCounts(book, term.topologyKey);
    for (const { machine } of machines) counts.add(machine, 1);
    forbidden.push(counts);
  };
  for (const term of pod.request.constraints.podAntiAffinity) {
    forbid(
      term,
      [...book.holdings.values()].filter((other) => matchesAffinityTerm(term, other.pod)),
    );
  }
  for (const other of book.antiAffinityHoldings) {
    for (const term of other.pod.request.constraints.podAntiAffinity)
      if (matchesAffinityTerm(term, pod)) forbid(term, [other]);
  }
  return (machine) => (forbidden.some((counts) => counts.at(machine) > 0) ? FILTER_CODE['pod-anti-affinity'] : 0);
}

/** By machine: whether the pods on it count for a hard spread constraint of a pod. */
export function countsForSpread(book: Book, pod: Pod, spread: TopologySpread): boolean[] {
  const { constraints } = pod.request;
  const keys = constraints.topologySpread.map((other) => other.topologyKey);
  return book.machines.map((machine) => {
    const honoured = spread.nodeAffinityPolicy === 'Ignore' || matchesNodeAffinity(constraints, machine);
    const tolerated =
      spread.nodeTaintsPolicy === 'Ignore' || untolerated(constraints.tolerations, machine.taints) === null;
    return honoured && tolerated && keys.every((key) => machine.labels.has(key));
  });
}

/** A hard topology spread constraint. Method: kube-scheduler, PodTopologySpread. */
function spreadCheck(book: Book, pod: Pod, spread: TopologySpread): Check {
  const counts = new DomainCounts(book, spread.topologyKey);
  const isCounted = countsForSpread(book, pod, spread);
  // kube-scheduler counts no pod for an empty selector, though the pod itself matches it.
  const countsPods = spread.selector !== null && spread.selector.length > 0;
  isCounted.forEach((counted, machine) => counted && counts.add(machine, 0));
  for (const other of book.holdings.values()) {
    if (!isCounted[other.machine] || other.deleting || other.pod.namespace !== pod.namespace) continue;
    if (countsPods && matchesSelector(spread.selector, other.pod.labels)) counts.add(other.machine, 1);
  }
  const own = matchesSelector(spread.selector, pod.labels) ? 1 : 0;
  const { values } = counts;
  const least = values.length < spread.minDomains ? 0 : values.reduce((low, count) => Math.min(low, count), Infinity);
  return (machine) => {
    if (counts.domainOf(machine) === undefined) return FILTER_CODE['topology-spread'];
    return counts.at(machine) + own - least > spread.maxSkew ? FILTER_CODE['topology-spread'] : 0;
  };
}

function portsClash(left: HostPort, right: HostPort): boolean {
  if (left.port !== right.port || left.protocol !== right.protocol) return false;
  return left.ip === right.ip || left.ip === '0.0.0.0' || right.ip === '0.0.0.0';
}

function hostPortCheck(book: Book, pod: Pod): Check {
  const wanted = pod.request.constraints.hostPorts;
  return (machine) => {
    for (const { pod: other } of book.podsOn(machine)) {
      const taken = other.request.constraints.hostPorts;
      if (taken.some((port) => wanted.some((want) => portsClash(port, want)))) return FILTER_CODE['host-port'];
    }
    return 0;
  };
}

/** A claim that one pod at a time may use keeps all others waiting, wherever that pod is. */
function exclusiveClaimCheck(book: Book, pod: Pod): Check {
  const wanted = new Set(pod.request.constraints.exclusiveClaims);
  const isUsed = [...book.holdings.values()].some(({ pod: other }) =>
    other.request.constraints.exclusiveClaims.some((claim) => wanted.has(claim)),
  );
  return () => (isUsed ? FILTER_CODE['volume-in-use'] : 0);
}

/** Whether a machine has devices for the claims of a pod. */
function deviceCheck(book: Book, pod: Pod): Check {
  return (rank) => (book.devices.findFor(pod, book.machines[rank] as Machine) === null ? FILTER_CODE.device : 0);
}

/** Whether a pod has filters about other pods: most have none. */
export function hasNeighbours(
  book: Book,
  pod: Pod,
  requestClass: RequestClass,
  caps: ServiceCaps | undefined,
): boolean {
  return requestClass.hasNeighbours || book.antiAffinityHoldings.size > 0 || isCapped(pod, caps);
}

function isCapped(pod: Pod, caps: ServiceCaps | undefined): caps is ServiceCaps {
  return caps !== undefined && pod.service !== '' && pod.serviceReplicas > 1;
}

/**
 * The filters of a pod that no score keeps, in their order: host memory, then other pods. Null when it has none.
 * Building them reads every pod once for each affinity or spread term; asking is cheap.
 */
export function neighboursOf(
  book: Book,
  pod: Pod,
  requestClass: RequestClass,
  caps: ServiceCaps | undefined,
): Neighbours | null {
  const checks: Check[] = [];
  if (requestClass.memoryBytes > 0) checks.push((machine) => memoryRefusal(book, requestClass, machine));
  if (isCapped(pod, caps)) checks.push(serviceCheck(book, caps, pod, requestClass));
  if (requestClass.hasNeighbours || book.antiAffinityHoldings.size > 0) {
    const { hostPorts, podAffinity, topologySpread, exclusiveClaims, cardLimits, devices } = pod.request.constraints;
    if (hostPorts.length > 0) checks.push(hostPortCheck(book, pod));
    if (podAffinity.length > 0) checks.push(affinityCheck(book, pod));
    checks.push(antiAffinityCheck(book, pod));
    for (const spread of topologySpread) checks.push(spreadCheck(book, pod, spread));
    if (exclusiveClaims.length > 0) checks.push(exclusiveClaimCheck(book, pod));
    if (cardLimits !== undefined) checks.push(cardLimitCheck(book, pod, requestClass));
    if (devices !== undefined && devices.length > 0) checks.push(deviceCheck(book, pod));
  }
  if (checks.length === 0) return null;
  return {
    refusalOf: (machine) => {
      for (const check of checks) {
        const refusal = check(machine);
        if (refusal !== 0) return refusal;
      }
      return 0;
    },
  };
}
