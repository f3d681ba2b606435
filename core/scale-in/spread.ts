import type { Pod, TopologySpread } from '../model/index.ts';
import { countsForSpread } from '../placement/index.ts';
import { type Book, matchesSelector } from '../state/index.ts';

/** Replicas of one domain (a zone, a rack, a machine) of a hard spread constraint. */
export interface SpreadDomain {
  /** Pods that the constraint counts there. */
  count: number;
  /** Of those, the ones that may leave. */
  leavers: number;
}

/** One hard spread constraint of the replicas. */
export interface SpreadLevel {
  readonly topologyKey: string;
  readonly maxSkew: number;
  /** Too few domains are there: the constraint takes the least of them for 0. */
  readonly leastIsZero: boolean;
  readonly domains: ReadonlyMap<string, SpreadDomain>;
  /** Null: pods on this machine are not counted. */
  readonly domainOf: (machine: number) => string | null;
}

/** What may be left in every domain. */
export interface Window {
  readonly min: number;
  readonly max: number;
}

/** Windows tried for one constraint: of a looser one than this, those that leave most where fewest are. */
const WINDOWS_MAX = 8;

/** A replica and the machine it is on. */
interface Placed {
  readonly replica: { readonly pod: Pod };
  readonly holding: { readonly machine: number };
}

/**
 * The hard spread constraints of some replicas that may leave, the widest domains first. One that cuts across a
 * wider one is left out. What must leave in any case has left the book. O(constraints x (machines + pods)).
 */
export function spreadLevels(book: Book, replicas: readonly Placed[]): SpreadLevel[] {
  const pod = replicas[0]?.replica.pod;
  if (pod === undefined) return [];
  const levels = pod.request.constraints.topologySpread
    .filter(({ selector }) => (selector?.length ?? 0) > 0 && matchesSelector(selector, pod.labels))
    .map((spread) => levelOf(book, pod, spread, replicas))
    .toSorted((left, right) => left.domains.size - right.domains.size);
  const kept: SpreadLevel[] = [];
  for (const level of levels) {
    const wider = kept.at(-1);
    if (wider === undefined || isWithin(book, level, wider)) kept.push(level);
  }
  return kept;
}

function levelOf(book: Book, pod: Pod, spread: TopologySpread, replicas: readonly Placed[]): SpreadLevel {
  const { topologyKey, maxSkew, minDomains, selector } = spread;
  const isCounted = countsForSpread(book, pod, spread);
  const domainOf = (machine: number): string | null =>
    isCounted[machine] === true ? (book.machines[machine]?.labels.get(topologyKey) ?? null) : null;
  const domains = new Map<string, SpreadDomain>();
  for (const machine of book.machines.keys()) {
    const name = domainOf(machine);
    if (name !== null) domains.set(name, { count: 0, leavers: 0 });
  }
  const at = (machine: number): SpreadDomain | undefined => domains.get(domainOf(machine) ?? '');
  for (const { pod: other, machine, deleting } of book.holdings.values()) {
    const domain = at(machine);
    if (domain === undefined || deleting || other.namespace !== pod.namespace) continue;
    if (matchesSelector(selector, other.labels)) domain.count += 1;
  }
  for (const { holding } of replicas) {
    const domain = at(holding.machine);
    if (domain !== undefined) domain.leavers += 1;
  }
  return { topologyKey, maxSkew, leastIsZero: domains.size < minDomains, domains, domainOf };
}

/** Whether each domain of the finer constraint lies in one domain of the wider. */
function isWithin(book: Book, finer: SpreadLevel, wider: SpreadLevel): boolean {
  const widerOf = new Map<string, string | undefined>();
  return book.machines.every(({ labels }) => {
    const own = labels.get(finer.topologyKey);
    if (own === undefined) return true;
    const around = labels.get(wider.topologyKey);
    if (!widerOf.has(own)) widerOf.set(own, around);
    return widerOf.get(own) === around;
  });
}

/**
 * What may be left in each domain so that `leaving` replicas leave the constraint kept, or broken by as little as
 * can be. Empty: so many cannot leave. `free` of those that may leave are in no domain. O(domains x pods x log pods).
 */
export function windowsOf(level: SpreadLevel, leaving: number, free: number): Window[] {
  const domains = [...level.domains.values()];
  const leastCount = domains.reduce((least, { count }) => Math.min(least, count), Infinity);
  const highest = level.leastIsZero ? 0 : leastCount;
  const windows: (Window & { readonly skew: number })[] = [];
  for (let min = highest; min >= 0; min -= 1) {
    const skew = leastSkew(level, domains, { min, leaving, free });
    if (skew !== null) windows.push({ min, max: min + skew, skew });
  }
  const least = windows.reduce((low, { skew }) => Math.min(low, skew), Infinity);
  return windows.filter(({ skew }) => skew === least).slice(0, WINDOWS_MAX);
}

interface Wish {
  readonly min: number;
  readonly leaving: number;
  readonly free: number;
}

/** The least skew, the constraint's own at least, with which the counts can be brought within min and min + skew. */
function leastSkew(
  { maxSkew }: SpreadLevel,
  domains: readonly SpreadDomain[],
  { min, leaving, free }: Wish,
): number | null {
  const mayLeave = domains.reduce((sum, { count, leavers }) => sum + Math.min(leavers, count - min), 0);
  if (mayLeave + free < leaving) return null;
  const isEnough = (skew: number): boolean => {
    let must = 0;
    for (const { count, leavers } of domains) {
      const over = Math.max(0, count - min - skew);
      if (over > leavers) return false;
      must += over;
    }
    return must <= leaving;
  };
  let [low, high] = [maxSkew, Math.max(maxSkew, ...domains.map(({ count }) => count))];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle + 1;
  }
  return isEnough(low) ? low : null;
}
