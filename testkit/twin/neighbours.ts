import type {
  Card,
  CardLimit,
  FilterName,
  Machine,
  Pod,
  PodAffinityTerm,
  TopologySpread,
} from '@springtide/core/model';
import type { Holding } from '@springtide/core/state';
import { nodeAffinityAdmits, selects, taintsAdmit } from './kubernetes.ts';
import { askedOf } from './asked.ts';
import { fixedRefusalTwin } from './fit.ts';
import { MIG_PLACES } from './slice-tables.ts';
import { statesOf, type World } from './world.ts';

export interface Caps {
  readonly machineMilli: number;
  readonly rackMilli: number;
}

/** The filters about other pods, each looking at the whole world for every machine. */
export function neighbourTwin(world: World, pod: Pod, machine: number, caps: Caps | undefined): FilterName {
  const { podAffinity, podAntiAffinity, topologySpread } = pod.request.constraints;
  const [onMachine, onRack] = caps === undefined ? [false, false] : overCaps(world, pod, machine, caps);
  if (onMachine) return 'service-machine';
  if (onRack) return 'service-rack';
  if (portTaken(world, pod, machine)) return 'host-port';
  if (podAffinity.length > 0 && !isNear(world, pod, machine)) return 'pod-affinity';
  const ownTerms = podAntiAffinity.some((term) => countIn(world, term, machine, (other) => concerns(term, other)) > 0);
  if (ownTerms || isKeptAway(world, pod, machine)) return 'pod-anti-affinity';
  if (!topologySpread.every((spread) => spreadAdmits(world, pod, machine, spread))) return 'topology-spread';
  if (isHeldBack(world, pod)) return 'volume-in-use';
  return isOverLimit(world, pod, machine) ? 'card-limit' : 'none';
}

/** Its namespace would hold more of the cards than it may, whichever card of the machine it were. */
function isOverLimit(world: World, { namespace, request }: Pod, machine: number): boolean {
  const { cards, constraints } = request;
  if (cards.kind === 'none') return false;
  const all = world.machines.flatMap((each) => each.cards);
  return (constraints.cardLimits ?? []).some(({ resource, of, max }) => {
    if (resource !== cards.resource) return false;
    const own = world.holdings.filter((holding) => holding.pod.namespace === namespace);
    const held = own.flatMap((holding) =>
      holding.cards.map((card, i) => (all[card]?.resource === resource ? holding[of][i] : 0)),
    );
    const wanted = machineOf(world, machine).cards.flatMap((card) => {
      const asked = askedOf(cards, card);
      if (asked.refusal !== 'none') return [];
      return cards.kind === 'mig' ? instanceOf(card, cards.profile, asked.mig?.size ?? 0)[of] : asked[of];
    });
    if (wanted.length === 0) return false;
    return held.reduce((sum: number, part = 0) => sum + part, 0) + cards.count * Math.max(...wanted) > max;
  });
}

/** Another pod, wherever it is, has a volume to itself that this one wants. */
function isHeldBack(world: World, pod: Pod): boolean {
  const used = new Set(world.holdings.flatMap((holding) => holding.pod.request.constraints.exclusiveClaims));
  return pod.request.constraints.exclusiveClaims.some((claim) => used.has(claim));
}

/** `3g.40gb` of a card with eight memory slices and seven of compute, or with four of either. */
function instanceOf({ memoryMiB, model }: Card, profile: string, size: number): Record<CardLimit['of'], number> {
  const isSeven = Object.keys(MIG_PLACES[model] ?? {}).some((name) => name.startsWith('7g'));
  const [slices, parts] = isSeven ? [8, 7] : [4, 4];
  return {
    memoryMiB: Math.floor((memoryMiB * size) / slices),
    computeMilli: Math.floor((1000 * Number.parseInt(profile, 10)) / parts),
  };
}

function machineOf(world: World, machine: number): Machine {
  return world.machines[machine] as Machine;
}

function overCaps(world: World, pod: Pod, machine: number, caps: Caps): [boolean, boolean] {
  if (pod.service === '' || pod.serviceReplicas <= 1) return [false, false];
  const rackName = (at: number): string => {
    const { region, zone, rack } = machineOf(world, at).location;
    return JSON.stringify([region, zone, rack]);
  };
  const replicas = world.holdings.filter((holding) => holding.pod.service === pod.service);
  const here = replicas.filter((holding) => holding.machine === machine).length;
  const inRack = replicas.filter((holding) => rackName(holding.machine) === rackName(machine)).length;
  const open = statesOf(world).flatMap((state, at) => (fixedRefusalTwin(pod, state) === 'none' ? [at] : []));
  const racks = new Set(open.map(rackName)).size;
  const most = (milli: number): number => Math.max(1, Math.ceil((pod.serviceReplicas * milli) / 1000));
  return [open.length > 1 && here >= most(caps.machineMilli), racks > 1 && inRack >= most(caps.rackMilli)];
}

function portTaken(world: World, pod: Pod, machine: number): boolean {
  const wanted = pod.request.constraints.hostPorts;
  const taken = world.holdings
    .filter((holding) => holding.machine === machine)
    .flatMap((holding) => holding.pod.request.constraints.hostPorts);
  return wanted.some(({ ip, port, protocol }) =>
    taken.some((other) => {
      const sameIp = ip === '0.0.0.0' || other.ip === '0.0.0.0' || ip === other.ip;
      return sameIp && other.port === port && other.protocol === protocol;
    }),
  );
}

function concerns(term: PodAffinityTerm, pod: Pod): boolean {
  const isLookedAt = term.namespaces.some((name) => name === '*' || name === pod.namespace);
  return isLookedAt && selects(term.selector, pod.labels);
}

/** Pods that count, in the machine's domain of the term; 0 where the machine has no such label. */
function countIn(world: World, term: PodAffinityTerm, machine: number, counts: (pod: Pod) => boolean): number {
  const domain = machineOf(world, machine).labels.get(term.topologyKey);
  if (domain === undefined) return 0;
  return world.holdings.filter(
    (holding) => machineOf(world, holding.machine).labels.get(term.topologyKey) === domain && counts(holding.pod),
  ).length;
}

function isNear(world: World, pod: Pod, machine: number): boolean {
  const terms = pod.request.constraints.podAffinity;
  const matchesAll = (other: Pod): boolean => terms.every((term) => concerns(term, other));
  if (terms.some(({ topologyKey }) => !machineOf(world, machine).labels.has(topologyKey))) return false;
  if (terms.every((term) => countIn(world, term, machine, matchesAll) > 0)) return true;
  const isSomewhere = world.holdings.some(
    (holding) =>
      matchesAll(holding.pod) &&
      terms.some(({ topologyKey }) => machineOf(world, holding.machine).labels.has(topologyKey)),
  );
  return !isSomewhere && matchesAll(pod);
}

/** Anti-affinity of pods that are already there. */
function isKeptAway(world: World, pod: Pod, machine: number): boolean {
  return world.holdings.some((holding) =>
    holding.pod.request.constraints.podAntiAffinity.some((term) => {
      const domain = machineOf(world, holding.machine).labels.get(term.topologyKey);
      const isHere = domain !== undefined && domain === machineOf(world, machine).labels.get(term.topologyKey);
      return isHere && concerns(term, pod);
    }),
  );
}

function spreadAdmits(world: World, pod: Pod, machine: number, spread: TopologySpread): boolean {
  const { constraints } = pod.request;
  const { topologyKey, selector, maxSkew, minDomains } = spread;
  const here = machineOf(world, machine).labels.get(topologyKey);
  if (here === undefined) return false;
  const eligible = world.machines.filter((candidate) => {
    const hasKeys = constraints.topologySpread.every((each) => candidate.labels.has(each.topologyKey));
    const isWanted = spread.nodeAffinityPolicy === 'Ignore' || nodeAffinityAdmits(constraints, candidate);
    const isOpen = spread.nodeTaintsPolicy === 'Ignore' || taintsAdmit(constraints.tolerations, candidate.taints);
    return hasKeys && isWanted && isOpen;
  });
  const counts = new Map(eligible.map(({ labels }) => [labels.get(topologyKey) as string, 0]));
  for (const holding of world.holdings) {
    if (isCounted(world, holding, { eligible, namespace: pod.namespace, spread })) {
      const domain = machineOf(world, holding.machine).labels.get(topologyKey) as string;
      counts.set(domain, (counts.get(domain) ?? 0) + 1);
    }
  }
  const least = counts.size < minDomains ? 0 : Math.min(...counts.values());
  const self = selects(selector, pod.labels) ? 1 : 0;
  return (counts.get(here) ?? 0) + self - least <= maxSkew;
}

/** A pod that is going away, or of another namespace, is not counted; an empty selector counts nobody. */
function isCounted(
  world: World,
  { pod, machine, deleting }: Holding,
  by: { eligible: readonly Machine[]; namespace: string; spread: TopologySpread },
): boolean {
  const { selector } = by.spread;
  if (deleting || pod.namespace !== by.namespace || selector === null || selector.length === 0) return false;
  return by.eligible.includes(machineOf(world, machine)) && selects(selector, pod.labels);
}
