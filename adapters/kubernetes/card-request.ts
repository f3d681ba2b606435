import { type CardChoice, type CardRequest, NO_CARDS, type SliceMemory } from '@springtide/core/model';
import {
  type CardOfVendor,
  cardModel,
  cardResource,
  type SliceResources,
  sliceOwner,
  templateFor,
  VENDORS,
} from '@springtide/core/vendors';
import type { Containers } from './effective.ts';
import { cardChoice, isSoftSplit } from './hami/choice.ts';
import { type ContainerAsk, containerAsk } from './hami/container-ask.ts';
import type { Amounts } from './resources.ts';

/** What a pod asks of cards, and the resources that are left when cards and their parts are taken out. */
export interface CardAsk {
  readonly cards: CardRequest;
  readonly others: Amounts;
}

/**
 * A request has one kind of card. Should a pod name two, the first of the vendor table is the card and the other
 * stays an ordinary resource, which no machine has: it is refused rather than half placed.
 */
export function cardAsk(amounts: Amounts, containers: Containers, annotations: ReadonlyMap<string, string>): CardAsk {
  const others = new Map<string, number>();
  const counts = new Map<string, number>();
  for (const [name, amount] of amounts) {
    const part = sliceOwner(name);
    if (part !== null) counts.set(part.resource.name, counts.get(part.resource.name) ?? 0);
    else if (cardResource(name) === null) others.set(name, amount);
    else if (amount > 0) counts.set(name, amount);
  }
  // Whoever says zero cards wants none, whatever sizes are said.
  for (const [name, amount] of amounts) if (amount === 0) counts.delete(name);
  const card = firstCard(counts);
  if (card === null) return { cards: NO_CARDS, others };
  for (const [name, count] of counts) {
    if (name !== card.resource.name && count > 0) others.set(name, count);
  }
  const isSoft = isSoftSplit(card.resource.name, annotations);
  const asks = asksOf(containers, card.resource);
  const count = countOf(card, counts.get(card.resource.name) ?? 0, asks);
  const cards = withPriority(requestOf(card, count, partsOf(asks.all), isSoft), asks.priority);
  return { cards: withChoice(cards, asks.lasting, annotations), others };
}

function firstCard(counts: ReadonlyMap<string, number>): CardOfVendor | null {
  if (counts.size === 0) return null;
  for (const vendor of VENDORS) {
    for (const resource of vendor.cards) if (counts.has(resource.name)) return { vendor, resource };
  }
  return null;
}

/** HAMi takes one card where only a part of one is named, and one of each container where the count is of slices. */
function countOf({ resource }: CardOfVendor, counted: number, { lasting }: Asks): number {
  if ((resource.slices?.countedMiB ?? 0) > 0) return Math.max(1, lasting.length);
  return Math.max(counted, resource.step);
}

interface Asks {
  readonly all: readonly ContainerAsk[];
  /** Of containers that run beside each other. */
  readonly lasting: readonly ContainerAsk[];
  /** As the plug-in counts it: that of the container which yields least, 0 where one does not say. */
  readonly priority: number;
}

/** Plug-ins know two: 0 and 1. */
const PRIORITY_MAX = 1;

/** A part of a card that yields to others is shared: plug-ins hold it back while those of priority 0 run. */
function withPriority(cards: CardRequest, priority: number): CardRequest {
  return cards.kind === 'slice' && priority > 0 ? { ...cards, kind: 'shared', priority } : cards;
}

function asksOf({ init, app }: Containers, resource: CardOfVendor['resource']): Asks {
  const read = [...init, ...app].flatMap((use, index) => {
    const ask = containerAsk(use.requests, resource);
    if (ask === null) return [];
    const priority = use.requests.get(resource.slices?.priority ?? '') ?? 0;
    return [{ ask, priority, isLasting: use.isSidecar || index >= init.length }];
  });
  return {
    all: read.map(({ ask }) => ask),
    lasting: read.filter(({ isLasting }) => isLasting).map(({ ask }) => ask),
    priority: read.reduce((least, { priority }) => Math.min(least, priority), read.length === 0 ? 0 : PRIORITY_MAX),
  };
}

/** Which cards the annotations admit, and whether the slices of several containers may lie on one card. */
function withChoice(
  cards: CardRequest,
  lasting: readonly ContainerAsk[],
  annotations: ReadonlyMap<string, string>,
): CardRequest {
  if (cards.kind === 'none') return cards;
  const named = cardChoice(cards.resource, annotations);
  const isPart = cards.kind === 'slice' || cards.kind === 'shared';
  const isStacked = isPart && lasting.length > 1 && lasting.every(({ count }) => count === 1);
  if (named === null && !isStacked) return cards;
  const choice: CardChoice = { ...named, ...(isStacked ? { isStacked } : {}) };
  return { ...cards, choice };
}

type Parts = Omit<ContainerAsk, 'count'>;

const NO_PARTS: Parts = { memoryMiB: 0, percent: 0, computeMilli: null };

/** Parts are of each card, so they do not add up over containers: the largest is taken. */
function partsOf(asks: readonly ContainerAsk[]): Parts {
  let parts = NO_PARTS;
  for (const { memoryMiB, percent, computeMilli } of asks) {
    parts = {
      memoryMiB: Math.max(parts.memoryMiB, memoryMiB),
      percent: Math.max(parts.percent, percent),
      computeMilli: computeMilli === null ? parts.computeMilli : Math.max(computeMilli, parts.computeMilli ?? 0),
    };
  }
  return parts;
}

function requestOf(card: CardOfVendor, count: number, parts: Parts, isSoft: boolean): CardRequest {
  const { resource, vendor } = card;
  const { slices } = resource;
  const common = { resource: resource.name, count, models: null };
  const whole: CardRequest = { ...common, kind: 'whole' };
  if (slices === null || (slices.isOneCard && slices.countedMiB === 0 && count > 1)) return whole;
  const memory = memoryOf(parts, slices);
  if (memory.unit === 'milli' && memory.amount === 1000 && (parts.computeMilli ?? 1000) >= 1000) return whole;
  const table = cardModel(vendor, resource.impliedModel)?.templates ?? null;
  if (table !== null && memory.unit === 'mib' && !isSoft && memory.amount <= table.boardMiB) {
    const template = templateFor(resource.impliedModel, memory.amount);
    return template === null ? whole : { ...common, kind: 'template', template: template.name };
  }
  return { ...common, kind: 'slice', memory, computeMilli: parts.computeMilli ?? slices.computeAbsentMilli };
}

/** MiB beat percent, percent beat nothing; nothing is all of the card's memory. */
function memoryOf(parts: Parts, slices: SliceResources): Exclude<SliceMemory, { unit: 'none' }> {
  if (parts.memoryMiB > 0) return { unit: 'mib', amount: roundedUp(parts.memoryMiB, slices.sizesMiB) };
  return { unit: 'milli', amount: parts.percent > 0 ? parts.percent * 10 : 1000 };
}

function roundedUp(memoryMiB: number, sizesMiB: readonly number[] | null): number {
  return sizesMiB?.find((size) => size >= memoryMiB) ?? memoryMiB;
}
