import type { Card, CardRequest } from '@springtide/core/model';
import type { Holding } from '@springtide/core/state';
import { askedOf, type Taken } from './asked.ts';
import { TEMPLATES } from './slice-tables.ts';
import { type CardState, isWhole, type MachineState, statesOf, sum, type World } from './world.ts';

/**
 * Everything that must never be true of a fleet whose pods were all placed by us (I1, P2's tenancy), as sentences.
 * Sizes are looked up in the requests and the vendors' tables, not in what the holdings say of themselves.
 */
export function violations(world: World): string[] {
  return statesOf(world).flatMap((state, index) => violationsOn(world, state, index));
}

function violationsOn(world: World, state: MachineState, index: number): string[] {
  const on = world.holdings.filter((holding) => holding.machine === index);
  const first = sum(world.machines.slice(0, index).map(({ cards }) => cards.length));
  const found = machineViolations(state);
  for (const holding of on) found.push(...holdingViolations(holding, [first, first + state.cards.length]));
  state.cards.forEach((card, i) => {
    const held = on.flatMap((holding) => placesOn(holding, first + i));
    const holders = held.map(({ by }) => by);
    found.push(...cardViolations(card, held), ...tenancyViolations(card.card.id, 'card', holders));
  });
  const withCards = on.filter((holding) => holding.cards.length > 0);
  return [...found, ...tenancyViolations(state.machine.id, 'machine', withCards)];
}

/** One place that a holding has on a card. */
interface Place {
  readonly by: Holding;
  readonly migBits: number;
}

function placesOn(by: Holding, card: number): Place[] {
  return by.cards.flatMap((held, i) => (held === card ? [{ by, migBits: by.migBits[i] ?? 0 }] : []));
}

function machineViolations(state: MachineState): string[] {
  const { id } = state.machine;
  const short = [...state.resourcesFree].filter(([, free]) => free < 0).map(([name]) => name);
  if (state.cpuFreeMilli < 0) short.push('cpu');
  if (state.memoryFreeBytes < 0) short.push('memory');
  if (state.podsFree < 0) short.push('pods');
  return short.map((name) => `${id} has given more ${name} than it has`);
}

/** As many different cards of the machine as were asked for. */
function holdingViolations({ pod, cards, cardsMissing }: Holding, [first, end]: readonly [number, number]): string[] {
  const count = pod.request.cards.kind === 'none' ? 0 : pod.request.cards.count;
  const own = new Set(cards.filter((card) => card >= first && card < end));
  return own.size === count && cards.length === count && cardsMissing === 0
    ? []
    : [`${pod.id} asked for ${count} cards and got ${cards.join(' ')}`];
}

function cardViolations({ card }: CardState, held: readonly Place[]): string[] {
  const found: string[] = [];
  if (held.length === 0) return found;
  if (card.health === 'fault' || card.health === 'unknown') found.push(`${card.id} is ${card.health} and has holders`);
  if (card.sharesMax !== null && held.length > card.sharesMax && !held.some(({ by }) => isWhole(by))) {
    found.push(`${card.id} has ${held.length} holders of ${card.sharesMax}`);
  }
  if (held.length > 1 && held.some(({ by }) => isWhole(by))) found.push(`${card.id} is held whole and shared`);
  const asked = held.map(({ by }) => askedOf(by.pod.request.cards as Exclude<CardRequest, { kind: 'none' }>, card));
  const sizes = asked.flatMap((one) => (one.refusal === 'none' ? [one] : []));
  if (sizes.length < held.length) found.push(`${card.id} has a holder that may not use it`);
  found.push(...sizeViolations(card, sizes));
  const cpusMax = card.slicing === 'template' ? (TEMPLATES[card.model]?.card.cpus ?? 0) : 0;
  if (cpusMax > 0 && sum(sizes.map(({ cpus }) => cpus)) > cpusMax) found.push(`${card.id} has given too many AI CPUs`);
  const places = sizes.map(({ mig }, i) => ({ mig, bits: held[i]?.migBits ?? 0 }));
  for (const { mig, bits } of places) {
    const isLegal = mig === null ? bits === 0 : mig.starts.some((start) => bits === (2 ** mig.size - 1) * 2 ** start);
    if (!isLegal) found.push(`${card.id} has a MIG instance on slices ${bits.toString(2)}, where it may not start`);
  }
  const overlap = places.some(({ bits }, i) => places.some((other, j) => i < j && (bits & other.bits) !== 0));
  return overlap ? [...found, `${card.id} has MIG instances that overlap`] : found;
}

/** Guaranteed pods are within the card; shared ones within what it may be promised beyond that. */
function sizeViolations(card: Card, sizes: readonly Taken[]): string[] {
  const memory = (of: readonly Taken[]): number => sum(of.map(({ memoryMiB }) => memoryMiB));
  const compute = (of: readonly Taken[]): number => sum(of.map(({ computeMilli }) => computeMilli));
  const beyondMiB = Math.max(0, ...sizes.map((size) => size.beyondMiB));
  const bounded = [
    ['memory', memory(sizes), card.memoryMiB + beyondMiB],
    ['memory to guaranteed pods', memory(sizes.filter((size) => size.beyondMiB === 0)), card.memoryMiB],
    ['compute', compute(sizes.filter(({ isYielding }) => !isYielding)), card.computeMilli],
    ['shared compute', compute(sizes.filter(({ isYielding }) => isYielding)), card.shared?.computeMilli ?? 0],
  ] as const;
  return bounded.filter(([, given, bound]) => given > bound).map(([what]) => `${card.id} has given too much ${what}`);
}

function tenancyViolations(id: string, what: 'card' | 'machine', holdings: readonly Holding[]): string[] {
  const tenants = new Set(holdings.map(({ pod }) => pod.tenant));
  const isApart = ({ pod: { request } }: Holding): boolean => {
    return request.isolation === 'machine' || (what === 'card' && request.isolation === 'card');
  };
  return tenants.size > 1 && holdings.some(isApart) ? [`${id}: a pod that wants the ${what} alone shares it`] : [];
}
