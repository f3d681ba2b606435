import type { Pod, PodRole, RefusalCount, TopologyRequest } from '../model/index.ts';
import { type Book, type Holding, holdingOn, MODE, NOBODY, type RequestClass } from '../state/index.ts';
import { roomiestCards } from './capacity.ts';
import { copiesIn, descend, type Domain, domainsAt, levelsFrom } from './domains.ts';
import type { Placer } from './placer.ts';

export interface GangMember {
  readonly pod: Pod;
  readonly role: PodRole;
}

export interface Gang {
  readonly id: string;
  readonly members: readonly GangMember[];
  readonly topology: TopologyRequest | null;
  /** A machine on which another member runs already: only parts of the fleet that it belongs to are looked at. */
  readonly beside?: number;
}

/** Why a gang cannot start. */
export interface GangRefusal {
  /** Members that found a place in the best attempt, and how many there are. */
  readonly membersPlaced: number;
  readonly members: number;
  /** The domain that came nearest, empty when none has room for any member. */
  readonly nearest: string;
  /** The pod that could not be placed, and which filters refused it. */
  readonly pod: string;
  readonly refusals: readonly RefusalCount[];
}

export type GangDecision =
  | { readonly ok: true; readonly holdings: readonly Holding[]; readonly domain: Domain }
  | { readonly ok: false; readonly refusal: GangRefusal };

/** The most domains of one level that are tried in full; they come in order of promise. */
export const DOMAIN_TRIES_MAX = 64;

interface Group {
  readonly requestClass: RequestClass;
  readonly role: PodRole;
  readonly pods: Pod[];
  /** Each takes the emptiest card, not the one that the policy chooses. */
  readonly isRoomy: boolean;
}

interface Attempt {
  readonly holdings: Holding[];
  readonly missing: Pod | null;
}

/**
 * Places all members of a gang or none (P5), as near to each other as its topology asks (P4). The book keeps the
 * holdings when the answer is yes and is unchanged when it is no. A required level is never left; a preferred
 * one widens level by level. `reservation` is the gang's own: its machines are open to it alone.
 */
export function placeGang(placer: Placer, gang: Gang, reservation = NOBODY): GangDecision {
  const { book } = placer;
  const whole = book.savepoint();
  if (reservation !== NOBODY)
    for (const machine of reservedMachines(placer, reservation)) book.reserve(machine, NOBODY);
  const decision = search(placer, gang);
  if (decision.ok) book.keep(whole);
  else book.rollBack(whole);
  return decision;
}

function search(placer: Placer, gang: Gang): GangDecision {
  const { book } = placer;
  const groups = groupsOf(placer, gang);
  const ways = waysOf(groups);
  let best: Attempt & { domain: string } = { holdings: [], missing: null, domain: '' };
  for (const level of levelsOf(gang)) {
    const tries = candidates(placer, gang, groups, level).flatMap((domain) => ways.map((way) => ({ domain, way })));
    for (const { domain, way } of tries) {
      const savepoint = book.savepoint();
      const attempt = fill(placer, way, domain, gang);
      if (attempt.missing === null) {
        book.keep(savepoint);
        return { ok: true, holdings: attempt.holdings, domain };
      }
      book.rollBack(savepoint);
      if (attempt.holdings.length > best.holdings.length) best = { ...attempt, domain: domain.name };
    }
  }
  return { ok: false, refusal: refusalOf(placer, gang, best) };
}

/** Tells the policy of a gang's members, once, when it arrives: retries must not count in the learned mix. */
export function observeGang(placer: Placer, gang: Gang): void {
  for (const { pod } of gang.members) placer.policy.observe(placer.book.classOf(pod.request, pod.tenant));
}

function reservedMachines(placer: Placer, reservation: number): number[] {
  const machines: number[] = [];
  placer.book.reservedBy.forEach((holder, machine) => {
    if (holder === reservation) machines.push(machine);
  });
  return machines;
}

function levelsOf(gang: Gang): Domain['level'][] {
  if (gang.topology === null) return ['fleet'];
  const outwards = levelsFrom(gang.topology.level);
  return gang.topology.mode === 'required' ? outwards.slice(0, 1) : outwards;
}

/**
 * Members by class and role, workers with most cards first, and MIG instances with the fewest places to start on: the
 * hard ones find their places first. In that order first-fit fills a card as far as it can be filled.
 */
function groupsOf(placer: Placer, gang: Gang): Group[] {
  const groups: Group[] = [];
  for (const { pod, role } of gang.members) {
    const requestClass = placer.book.classOf(pod.request, pod.tenant);
    const known = groups.find((group) => group.requestClass === requestClass && group.role === role);
    if (known === undefined) groups.push({ requestClass, role, pods: [pod], isRoomy: false });
    else known.pods.push(pod);
  }
  const weight = ({ requestClass, role }: Group): number => (role === 'worker' ? 1e6 : 0) + requestClass.count;
  return groups.toSorted(
    (left, right) =>
      weight(right) - weight(left) ||
      byPlaces(left.requestClass, right.requestClass) ||
      right.requestClass.cpuMilli - left.requestClass.cpuMilli ||
      left.requestClass.index - right.requestClass.index,
  );
}

/**
 * What is tried in one domain. Instances of MIG are packed first, and where that leaves too little they are spread:
 * two halves on one card leave three places for quarters on the other, and on a card each two beside either.
 */
function waysOf(groups: readonly Group[]): (readonly Group[])[] {
  const hasInstances = groups.some(({ requestClass }) => requestClass.mode === MODE.mig);
  return hasInstances ? [groups, groups.map((group) => ({ ...group, isRoomy: true }))] : [groups];
}

/** MIG profiles with fewer places on a card first, of those with as many the larger; what is no instance before all. */
function byPlaces(left: RequestClass, right: RequestClass): number {
  const [one, other] = [placesOf(left), placesOf(right)];
  return one.starts - other.starts || other.size - one.size;
}

function placesOf({ demands, mode }: RequestClass): { readonly starts: number; readonly size: number } {
  if (mode !== MODE.mig) return { starts: 0, size: 0 };
  const cut = demands.filter(({ migStarts }) => migStarts.length > 0);
  const starts = Math.min(...cut.map(({ migStarts }) => migStarts.length), 8);
  return { starts, size: Math.max(...cut.map(({ migSize }) => migSize), 0) };
}

/** The ranks of all machines, one list a book: most gangs ask for no domain and look at none of them. */
const RANKS = new WeakMap<Book, readonly number[]>();

function ranksOf(book: Book): readonly number[] {
  const ranks = RANKS.get(book) ?? Array.from(book.machines.keys());
  RANKS.set(book, ranks);
  return ranks;
}

/** Domains with room for every group taken alone, tightest first; when there is none, the roomiest, to say why. */
function candidates(placer: Placer, gang: Gang, groups: readonly Group[], level: Domain['level']): Domain[] {
  const { book } = placer;
  const { beside } = gang;
  const every = domainsAt(book, level, ranksOf(book));
  const all = beside === undefined ? every : every.filter(({ machines }) => machines.includes(beside));
  if (level === 'fleet') return all;
  const spares = all.map((domain) => {
    const spare = groups.map(({ requestClass, pods }) => copiesIn(book, requestClass, domain) - pods.length);
    return { domain, spare: Math.min(...spare) };
  });
  const roomy = spares.filter(({ spare }) => spare >= 0).toSorted((left, right) => left.spare - right.spare);
  const tried = roomy.length > 0 ? roomy : spares.toSorted((left, right) => right.spare - left.spare).slice(0, 1);
  return tried.slice(0, DOMAIN_TRIES_MAX).map(({ domain }) => domain);
}

/** Tries one domain inside the caller's savepoint. */
function fill(placer: Placer, groups: readonly Group[], domain: Domain, gang: Gang): Attempt {
  const holdings: Holding[] = [];
  for (const group of groups) {
    const isSpread = gang.topology?.pattern === 'parameter-server' && group.role === 'server';
    const missing =
      gang.topology === null
        ? fillByPolicy(placer, group, holdings)
        : isSpread
          ? fillServers(placer, group, domain, holdings)
          : fillNear(placer, group, domain, holdings);
    if (missing !== null) return { holdings, missing };
  }
  return { holdings, missing: null };
}

/** No topology: each member where the policy puts it. */
function fillByPolicy(placer: Placer, group: Group, holdings: Holding[]): Pod | null {
  for (const pod of group.pods) {
    const decision = placer.decide(pod, group.requestClass);
    if (!decision.ok || !holdOn(placer, group, pod, { machine: decision.holding.machine, island: -1 }, holdings))
      return pod;
  }
  return null;
}

/** All-reduce and pipeline: few machines, members in order along racks, so that neighbours are near. */
function fillNear(placer: Placer, group: Group, domain: Domain, holdings: Holding[]): Pod | null {
  const { book } = placer;
  const room = Math.min(group.pods.length, copiesIn(book, group.requestClass, domain));
  const shares = descend(book, group.requestClass, domain, room) ?? [];
  const along = shares.toSorted(
    (left, right) =>
      (book.zoneOf[left.machine] as number) - (book.zoneOf[right.machine] as number) ||
      (book.rackOf[left.machine] as number) - (book.rackOf[right.machine] as number) ||
      left.machine - right.machine,
  );
  let next = 0;
  for (const { machine, copies } of along) {
    for (let i = 0; i < copies; i += 1) {
      const pod = group.pods[next++] as Pod;
      if (!holdOn(placer, group, pod, { machine, island: domain.island }, holdings)) return pod;
    }
  }
  return group.pods[next] ?? null;
}

/** Parameter servers share no machine while they can help it: their links are the bottleneck. */
function fillServers(placer: Placer, group: Group, domain: Domain, holdings: Holding[]): Pod | null {
  const { book } = placer;
  const used = new Set<number>();
  for (const pod of group.pods) {
    const open = domain.machines.filter(
      (machine) => copiesIn(book, group.requestClass, { ...domain, machines: [machine] }) > 0,
    );
    const machine = open.find((candidate) => !used.has(candidate)) ?? open[0];
    if (machine === undefined) return pod;
    if (!holdOn(placer, group, pod, { machine, island: domain.island }, holdings)) return pod;
    used.add(machine);
  }
  return null;
}

interface Spot {
  readonly machine: number;
  readonly island: number;
}

function holdOn(placer: Placer, group: Group, pod: Pod, spot: Spot, holdings: Holding[]): boolean {
  const { book } = placer;
  const { requestClass } = group;
  const neighbours = placer.neighboursOf(pod, requestClass);
  if (neighbours !== null && neighbours.refusalOf(spot.machine) !== 0) return false;
  const cards = cardsAt(placer, group, spot);
  if (cards.length < requestClass.count) return false;
  const holding = holdingOn(book, pod, requestClass, { machine: spot.machine, cards });
  book.hold(holding);
  holdings.push(holding);
  return true;
}

/** The policy's choice, but within an island, and so that several slices a pod leave room for the next pod. */
function cardsAt({ book, policy }: Placer, { requestClass, isRoomy }: Group, { machine, island }: Spot): number[] {
  const isSeveral = requestClass.count > 1 && requestClass.mode !== MODE.whole;
  if (isSeveral || isRoomy || island >= 0) return roomiestCards(book, requestClass, machine, island);
  return policy.chooseCards(requestClass, machine);
}

function refusalOf(placer: Placer, gang: Gang, best: Attempt & { domain: string }): GangRefusal {
  const pod = best.missing ?? (gang.members[0] as GangMember).pod;
  const savepoint = placer.book.savepoint();
  for (const holding of best.holdings) if (!placer.book.holdings.has(holding.pod.id)) placer.book.hold(holding);
  const decision = placer.decide(pod);
  placer.book.rollBack(savepoint);
  return {
    membersPlaced: best.holdings.length,
    members: gang.members.length,
    nearest: best.domain,
    pod: pod.id,
    refusals: decision.ok ? [] : decision.refusals,
  };
}
