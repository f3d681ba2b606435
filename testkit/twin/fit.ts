import type { CardRequest, FilterName, Pod } from '@springtide/core/model';
import { admitsCard, type Asked, askedOf } from './asked.ts';
import { CORDON, nodeAffinityAdmits, taintsAdmit, volumesServe } from './kubernetes.ts';
import type { CardState, MachineState } from './world.ts';

type OfCards = Exclude<CardRequest, { readonly kind: 'none' }>;

/** The filters in their order, each as a sentence about one machine. The first that does not hold is the answer. */
export function refusalTwin(pod: Pod, state: MachineState, isReserved: boolean): FilterName {
  const refusal = memorylessRefusalTwin(pod, state, isReserved);
  const { memoryBytes } = pod.request;
  return refusal === 'none' && memoryBytes > 0 && memoryBytes > state.memoryFreeBytes ? 'memory' : refusal;
}

/** The same as far as kept scores know it: host memory is looked at afterwards. */
export function memorylessRefusalTwin(pod: Pod, state: MachineState, isReserved: boolean): FilterName {
  const fixed = fixedRefusalTwin(pod, state);
  if (fixed !== 'none') return fixed;
  if (isReserved) return 'reserved';
  const { cards } = pod.request;
  return shortOf(pod, state) ?? (cards.kind === 'none' ? 'none' : cardsTwin(pod, cards, state));
}

/** What no other pod can change. */
export function fixedRefusalTwin(pod: Pod, state: MachineState): FilterName {
  const { constraints } = pod.request;
  const { machine } = state;
  if (machine.cordoned && !taintsAdmit(constraints.tolerations, [CORDON])) return 'unschedulable';
  if (constraints.machine !== '' && constraints.machine !== machine.id) return 'machine';
  if (!taintsAdmit(constraints.tolerations, machine.taints)) return 'taint';
  if (!nodeAffinityAdmits(constraints, machine)) return 'selector';
  if (!volumesServe(constraints.volumes, machine)) return 'volume';
  const { pools = [], pool } = constraints;
  if (machine.pool !== undefined && !pools.includes(machine.pool.name)) return 'pool';
  if (pool !== undefined && pool !== machine.pool?.name) return 'pool-asked';
  const { cards } = pod.request;
  const furthest = cards.kind === 'none' ? 'none' : furthestCard(cards, state.cards);
  if (furthest !== 'none') return furthest;
  return cards.kind !== 'none' && !namesOneOf(cards, state.cards) ? 'card-choice' : 'none';
}

/** Some card of the resource is among those that the request names. */
function namesOneOf(request: OfCards, cards: readonly CardState[]): boolean {
  return cards.some(({ card }) => card.resource === request.resource && admitsCard(request, card));
}

/** A machine is refused by the filter that its best card reaches. */
function furthestCard(request: OfCards, cards: readonly CardState[]): FilterName {
  const reached = new Set(cards.map(({ card }) => askedOf(request, card).refusal));
  const order: FilterName[] = ['none', 'card-slicing', 'card-model', 'card-resource'];
  return order.find((name) => reached.has(name)) ?? 'card-resource';
}

function shortOf(pod: Pod, state: MachineState): FilterName | null {
  const { cpuMilli, resources } = pod.request;
  if (state.podsFree <= 0) return 'pods';
  if (cpuMilli > 0 && cpuMilli > state.cpuFreeMilli) return 'cpu';
  const isShort = [...resources].some(([name, amount]) => amount > 0 && amount > (state.resourcesFree.get(name) ?? 0));
  return isShort ? 'resource' : null;
}

function isShared(tenants: readonly string[], tenant: string): boolean {
  return tenants.some((other) => other !== tenant);
}

/** Cards, then slices, then tenancy. */
function cardsTwin(pod: Pod, request: OfCards, state: MachineState): FilterName {
  const { isolation } = pod.request;
  const isWhole = request.kind === 'whole';
  const named = state.cards.filter(({ card }) => admitsCard(request, card));
  const roomy = named.filter((card) => hasRoom(askedOf(request, card.card), card));
  const isShort = roomy.length < request.count || (isWhole && state.cardsFree < request.count);
  if (isShort) return isWhole ? 'cards' : 'slice';
  if (isShared(state.tenants, pod.tenant) && (state.isolated > 0 || isolation === 'machine')) return 'tenant';
  const mine = roomy.filter((card) => {
    const others = isShared(card.tenants, pod.tenant);
    return !others || (card.isolated === 0 && isolation === 'none');
  });
  return mine.length < request.count ? 'tenant' : 'none';
}

export function hasRoom(asked: Asked, state: CardState): boolean {
  const { card } = state;
  if (asked.refusal !== 'none' || (card.health !== 'ok' && card.health !== 'degraded')) return false;
  if (asked.isWhole) return state.holders === 0;
  if (!state.takesMore || (asked.isAlone && state.holders > 0)) return false;
  if (asked.needsCompute && state.computeFreeMilli < 1) return false;
  if (asked.mig !== null) return migStarts(asked.mig, state.slicesTaken).length > 0;
  const hasCpus = asked.cpus === 0 || asked.cpus <= state.cpusFree;
  const computeFree = asked.isYielding ? state.sharedFreeMilli : state.computeFreeMilli;
  const hasCompute = asked.computeMilli <= Math.min(card.computeMilli, computeFree);
  return hasCpus && hasCompute && asked.memoryMiB <= state.memoryFreeMiB + asked.beyondMiB;
}

/** Every place where a MIG instance may start now. */
export function migStarts(places: { starts: readonly number[]; size: number }, taken: readonly number[]): number[] {
  return places.starts.filter((start) => !taken.some((slice) => slice >= start && slice < start + places.size));
}
