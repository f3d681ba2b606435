import { type CardRequest, NO_CARDS, type SliceMemory } from '@springtide/core/model';
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
import type { Amounts } from './resources.ts';

/** What a pod asks of cards, and the resources that are left when cards and their parts are taken out. */
export interface CardAsk {
  readonly cards: CardRequest;
  readonly others: Amounts;
}

const SOFT_SPLIT = 'huawei.com/vnpu-mode';

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
  const card = firstCard(counts);
  if (card === null) return { cards: NO_CARDS, others };
  for (const [name, count] of counts) {
    if (name !== card.resource.name && count > 0) others.set(name, count);
  }
  // HAMi takes one card where only a part of one is named.
  const count = Math.max(1, counts.get(card.resource.name) ?? 0);
  const isSoft = annotations.get(SOFT_SPLIT) === 'hami-core';
  return { cards: requestOf(card, count, partsOf(containers, card.resource.slices), isSoft), others };
}

function firstCard(counts: ReadonlyMap<string, number>): CardOfVendor | null {
  if (counts.size === 0) return null;
  for (const vendor of VENDORS) {
    for (const resource of vendor.cards) if (counts.has(resource.name)) return { vendor, resource };
  }
  return null;
}

/** What is asked of each card; 0 and null mean that the container does not say. */
interface Parts {
  readonly memoryMiB: number;
  readonly percent: number;
  readonly computeMilli: number | null;
}

const NO_PARTS: Parts = { memoryMiB: 0, percent: 0, computeMilli: null };

/** Parts are of each card, so they do not add up over containers: the largest is taken. */
function partsOf(containers: Containers, slices: SliceResources | null): Parts {
  if (slices === null) return NO_PARTS;
  let parts = NO_PARTS;
  for (const { requests } of [...containers.init, ...containers.app]) {
    const memory = requests.get(slices.memory) ?? 0;
    const units = requests.get(slices.compute);
    const milli = units === undefined ? null : Math.min(1000, Math.floor((units * 1000) / slices.computeUnits));
    parts = {
      memoryMiB: Math.max(parts.memoryMiB, memory * slices.memoryUnitMiB),
      percent: Math.max(parts.percent, Math.min(100, requests.get(slices.percentage) ?? 0)),
      computeMilli: milli === null ? parts.computeMilli : Math.max(milli, parts.computeMilli ?? 0),
    };
  }
  return parts;
}

function requestOf(card: CardOfVendor, count: number, parts: Parts, isSoft: boolean): CardRequest {
  const { resource, vendor } = card;
  const { slices } = resource;
  const common = { resource: resource.name, count, models: null };
  const whole: CardRequest = { ...common, kind: 'whole' };
  if (slices === null || (slices.isOneCard && count > 1)) return whole;
  const memory = memoryOf(parts, slices);
  if (memory.unit === 'milli' && memory.amount === 1000 && (parts.computeMilli ?? 1000) >= 1000) return whole;
  const table = cardModel(vendor, resource.impliedModel)?.templates ?? null;
  if (table !== null && memory.unit === 'mib' && !isSoft && memory.amount <= table.memoryMiB) {
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
