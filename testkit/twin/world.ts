import type { Card, Machine } from '@springtide/core/model';
import type { Holding } from '@springtide/core/state';
import { yields } from './asked.ts';
import { TEMPLATES } from './slice-tables.ts';

/** All that is known of a fleet: machines in rank order, who holds what in order of arrival, who has reserved. */
export interface World {
  readonly machines: readonly Machine[];
  readonly holdings: readonly Holding[];
  /** Machine ids that a reservation keeps. */
  readonly reserved: ReadonlySet<string>;
}

export interface CardState {
  readonly card: Card;
  readonly machine: string;
  readonly memoryFreeMiB: number;
  readonly computeFreeMilli: number;
  /** Of what shared pods may be promised beside the others. */
  readonly sharedFreeMilli: number;
  /** AI CPUs left, where the product counts them. */
  readonly cpusFree: number;
  /** Nobody holds it whole, and the plug-in's limit of pods is not reached. */
  readonly takesMore: boolean;
  readonly holders: number;
  /** MIG memory slices taken, by number. */
  readonly slicesTaken: readonly number[];
  /** Sorted; the empty name is a tenant like any other. */
  readonly tenants: readonly string[];
  /** Holders that share with no other tenant. */
  readonly isolated: number;
}

export interface MachineState {
  readonly machine: Machine;
  readonly cpuFreeMilli: number;
  readonly memoryFreeBytes: number;
  readonly podsFree: number;
  readonly cardsFree: number;
  readonly resourcesFree: ReadonlyMap<string, number>;
  /** Of pods that hold cards: they alone can share one. */
  readonly tenants: readonly string[];
  readonly isolated: number;
  readonly pods: readonly string[];
  readonly cards: readonly CardState[];
}

/** A holding's part of one card. */
interface Part {
  readonly holding: Holding;
  readonly memoryMiB: number;
  readonly computeMilli: number;
  readonly cpus: number;
  readonly migBits: number;
}

/** Everything the book keeps of the machines, summed up from nothing. */
export function statesOf(world: World): readonly MachineState[] {
  let first = 0;
  return world.machines.map((machine, index) => {
    const on = world.holdings.filter((holding) => holding.machine === index);
    const start = first;
    first += machine.cards.length;
    return stateOf(machine, on, start);
  });
}

function stateOf(machine: Machine, on: readonly Holding[], firstCard: number): MachineState {
  const cards = machine.cards.map((card, index) => cardState(card, machine.id, partsOn(on, firstCard + index)));
  const asked = (name: string): number => sum(on.map(({ pod }) => pod.request.resources.get(name) ?? 0));
  const names = new Set([...machine.resources.keys(), ...on.flatMap(({ pod }) => [...pod.request.resources.keys()])]);
  const withCards = on.filter((holding) => holding.cards.length > 0);
  const idle = cards.filter(
    ({ card, holders }) => (card.health === 'ok' || card.health === 'degraded') && holders === 0,
  );
  return {
    machine,
    cpuFreeMilli: machine.cpuMilli - sum(on.map(({ pod }) => pod.request.cpuMilli)),
    memoryFreeBytes: machine.memoryBytes - sum(on.map(({ pod }) => pod.request.memoryBytes)),
    podsFree: machine.podsMax - on.length,
    cardsFree:
      idle.length - sum(on.filter((holding) => isOfHere(holding, machine)).map(({ cardsMissing }) => cardsMissing)),
    resourcesFree: new Map([...names].map((name) => [name, (machine.resources.get(name) ?? 0) - asked(name)])),
    tenants: tenantsOf(withCards),
    isolated: withCards.filter(({ pod }) => pod.request.isolation === 'machine').length,
    pods: on.map(({ pod }) => pod.id),
    cards,
  };
}

/** A pod holds cards of a resource that the machine has, or nobody knows of which. */
function isOfHere({ pod }: Holding, machine: Machine): boolean {
  const { cards } = pod.request;
  return cards.kind === 'none' || machine.cards.some(({ resource }) => resource === cards.resource);
}

function partsOn(on: readonly Holding[], card: number): Part[] {
  return on.flatMap((holding) =>
    holding.cards.flatMap((held, i) => {
      if (held !== card) return [];
      const [memoryMiB = 0, computeMilli = 0] = [holding.memoryMiB[i], holding.computeMilli[i]];
      return [{ holding, memoryMiB, computeMilli, cpus: holding.cpus[i] ?? 0, migBits: holding.migBits[i] ?? 0 }];
    }),
  );
}

function cardState(card: Card, machine: string, parts: readonly Part[]): CardState {
  const holders = parts.map(({ holding }) => holding);
  const slices = [0, 1, 2, 3, 4, 5, 6, 7];
  return {
    card,
    machine,
    memoryFreeMiB: card.memoryMiB - sum(parts.map(({ memoryMiB }) => memoryMiB)),
    computeFreeMilli: card.computeMilli - sum(computeOf(parts, card, false)),
    sharedFreeMilli: (card.shared?.computeMilli ?? 0) - sum(computeOf(parts, card, true)),
    cpusFree: cpusOf(card) - sum(parts.map(({ cpus }) => cpus)),
    takesMore: !holders.some(isWhole) && (card.sharesMax === null || card.sharesMax > parts.length),
    holders: parts.length,
    slicesTaken: slices.filter((slice) => parts.some(({ migBits }) => Math.floor(migBits / 2 ** slice) % 2 === 1)),
    tenants: tenantsOf(holders),
    isolated: holders.filter(({ pod }) => pod.request.isolation !== 'none').length,
  };
}

/** What holders have of the compute that yields, or of the other. */
function computeOf(parts: readonly Part[], card: Card, isYielding: boolean): number[] {
  const counted = parts.filter(({ holding }) => yields(holding.pod.request.cards, card) === isYielding);
  return counted.map(({ computeMilli }) => computeMilli);
}

function cpusOf(card: Card): number {
  return card.slicing === 'template' ? (TEMPLATES[card.model]?.card.cpus ?? 0) : 0;
}

export function isWhole({ pod }: Holding): boolean {
  return pod.request.cards.kind === 'whole';
}

function tenantsOf(holdings: readonly Holding[]): string[] {
  return [...new Set(holdings.map(({ pod }) => pod.tenant))].toSorted();
}

export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
