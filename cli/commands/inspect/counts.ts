import type { CardGroup, Dump } from '@springtide/adapters/kubernetes';
import { compareText } from '@springtide/core/base';
import { isMachineUsable } from '@springtide/core/defrag';
import type { Machine } from '@springtide/core/model';
import type { Book } from '@springtide/core/state';

/** Cards of one resource and product on machines whose cards are counted whole (fractions included). */
export interface ModelCounts {
  readonly vendor: string;
  readonly resource: string;
  /** Null when the cluster does not tell. */
  readonly model: string | null;
  machines: number;
  cards: number;
  allocatedWhole: number;
  inSlices: number;
  unhealthy: number;
  /** Healthy, unheld, on usable machines. */
  idle: number;
  idleOnUnusableMachines: number;
  /** Usable machines of which no card is held. */
  emptyMachines: number;
}

export interface MachineCounts {
  readonly resource: string;
  readonly model: string | null;
  readonly cards: number;
  readonly healthy: number;
  readonly allocatedWhole: number;
  readonly inSlices: number;
  readonly idle: number;
  readonly usable: boolean;
  /** By fraction group: the part of its card that is held. */
  readonly fractionGroups?: Readonly<Record<string, number>>;
  /** Further card resources of the machine. */
  readonly others?: readonly MachineCounts[];
}

/** `resource model`, or the resource alone. */
export function modelKey(resource: string, model: string): string {
  return model === '' ? resource : `${resource} ${model}`;
}

/** Counts of each machine with whole cards, by name. */
export function machineCounts(dump: Dump, book: Book): Map<string, MachineCounts> {
  const counts = new Map<string, MachineCounts>();
  book.machines.forEach((machine, rank) => {
    const groups = (dump.cardGroups.get(machine.id) ?? []).filter(({ kind }) => kind === 'whole');
    const [first, ...others] = groups.map((group) => groupCounts(dump, book, { machine, rank, group }));
    if (first !== undefined) counts.set(machine.id, others.length === 0 ? first : { ...first, others });
  });
  return counts;
}

interface GroupOfMachine {
  readonly machine: Machine;
  readonly rank: number;
  readonly group: CardGroup;
}

function groupCounts(dump: Dump, book: Book, { machine, rank, group }: GroupOfMachine): MachineCounts {
  const allocatedWhole = heldWhole(book, rank, group.resource);
  const inSlices = sharedCards(book, rank, group.resource);
  const fractions = dump.fractions.get(machine.id);
  return {
    resource: group.resource,
    model: group.model === '' ? null : group.model,
    cards: group.cardIds.length,
    healthy: group.healthy,
    allocatedWhole,
    inSlices,
    idle: Math.max(0, group.healthy - allocatedWhole - inSlices),
    usable: isMachineUsable(machine),
    ...(fractions === undefined ? {} : { fractionGroups: inCards(fractions) }),
  };
}

function inCards(fractions: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries(
    [...fractions]
      .toSorted(([left], [right]) => compareText(left, right))
      .map(([group, milli]) => [group, milli / 1000]),
  );
}

/** Cards of a resource that pods of a machine hold whole, with those that it does not have. */
function heldWhole(book: Book, rank: number, resource: string): number {
  let held = 0;
  for (const { pod, cards, cardsMissing } of book.podsOn(rank)) {
    const asked = pod.request.cards;
    if (asked.kind === 'whole' && asked.resource === resource) held += cards.length + cardsMissing;
  }
  return held;
}

/** Cards of a resource that are held in parts, each once. */
function sharedCards(book: Book, rank: number, resource: string): number {
  const shared = new Set<number>();
  for (const { pod, cards } of book.podsOn(rank)) {
    const asked = pod.request.cards;
    if (asked.kind !== 'none' && asked.kind !== 'whole' && asked.resource === resource) {
      for (const card of cards) shared.add(card);
    }
  }
  return shared.size;
}

/** Sums over machines by resource and product, in order of key. */
export function modelCounts(dump: Dump, machines: ReadonlyMap<string, MachineCounts>): Map<string, ModelCounts> {
  const models = new Map<string, ModelCounts>();
  for (const [id, { others = [], ...first }] of machines) {
    for (const counts of [first, ...others]) {
      const key = modelKey(counts.resource, counts.model ?? '');
      const sum = models.get(key) ?? noCounts(vendorOf(dump, id, counts.resource), counts);
      add(sum, counts);
      models.set(key, sum);
    }
  }
  return new Map([...models].toSorted(([left], [right]) => compareText(left, right)));
}

function vendorOf(dump: Dump, id: string, resource: string): string {
  return dump.cardGroups.get(id)?.find((group) => group.resource === resource)?.vendor ?? '';
}

function noCounts(vendor: string, { resource, model }: MachineCounts): ModelCounts {
  const none = { machines: 0, cards: 0, allocatedWhole: 0, inSlices: 0, unhealthy: 0 };
  return { vendor, resource, model, ...none, idle: 0, idleOnUnusableMachines: 0, emptyMachines: 0 };
}

function add(sum: ModelCounts, counts: MachineCounts): void {
  sum.machines += 1;
  sum.cards += counts.cards;
  sum.allocatedWhole += counts.allocatedWhole;
  sum.inSlices += counts.inSlices;
  sum.unhealthy += counts.cards - counts.healthy;
  if (counts.usable) sum.idle += counts.idle;
  else sum.idleOnUnusableMachines += counts.idle;
  if (counts.usable && counts.allocatedWhole + counts.inSlices === 0) sum.emptyMachines += 1;
}
