import type { CardResource, SliceResources } from '@springtide/core/vendors';
import type { Amounts } from '../resources.ts';

/** What one container asks of each of its cards; 0 and null mean that it does not say. */
export interface ContainerAsk {
  readonly count: number;
  readonly memoryMiB: number;
  readonly percent: number;
  readonly computeMilli: number | null;
}

/** What a container asks of a kind of card; null: nothing. HAMi takes one card where only a part of one is named. */
export function containerAsk(requests: Amounts, resource: CardResource): ContainerAsk | null {
  const { slices } = resource;
  const count = requests.get(resource.name) ?? 0;
  // Whoever says zero wants none, whatever else is said.
  if (count === 0 && requests.has(resource.name)) return null;
  if (slices === null) return count === 0 ? null : { count, memoryMiB: 0, percent: 0, computeMilli: null };
  const names = [slices.memory, slices.percentage, slices.compute];
  if (count === 0 && !names.some((name) => (requests.get(name) ?? 0) > 0)) return null;
  const units = requests.get(slices.compute);
  const computeMilli = units === undefined ? null : Math.min(1000, Math.floor((units * 1000) / slices.computeUnits));
  const memoryMiB = memoryMiBOf(requests.get(slices.memory) ?? 0, slices);
  if (slices.countedMiB > 0) return countedAsk(slices, count, memoryMiB, computeMilli ?? 0);
  return {
    count: Math.max(1, count),
    memoryMiB,
    percent: Math.min(100, requests.get(slices.percentage) ?? 0),
    computeMilli,
  };
}

/** Slices of one card by their number, their memory or their share of the compute: the largest of what is said. */
function countedAsk(
  { countedMiB, sizesMiB }: SliceResources,
  count: number,
  memoryMiB: number,
  computeMilli: number,
): ContainerAsk {
  const cardMiB = sizesMiB?.at(-1) ?? countedMiB;
  const byCompute = Math.ceil((computeMilli * cardMiB) / 1000);
  return { count: 1, memoryMiB: Math.max(count * countedMiB, memoryMiB, byCompute), percent: 0, computeMilli: 0 };
}

/** More than this on a card is a mistake of whoever wrote it (16 TiB). */
export const MEMORY_MIB_MAX = 2 ** 24;

const GIB = 2 ** 30;
/** Beyond every card, and still a number that the book can hold. */
const BEYOND_MIB = 2 ** 31 - 1;

/** MiB of so many units. Where the plug-in takes bytes as well, what would be too large for units is bytes. */
export function memoryMiBOf(amount: number, slices: SliceResources): number {
  if (slices.isBytesToo && amount >= GIB) return Math.floor(amount / 2 ** 20);
  return Math.min(BEYOND_MIB, amount * slices.memoryUnitMiB);
}
