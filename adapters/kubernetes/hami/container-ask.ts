import type { CardResource } from '@springtide/core/vendors';
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
  if (slices === null) return count === 0 ? null : { count, memoryMiB: 0, percent: 0, computeMilli: null };
  const names = [slices.memory, slices.percentage, slices.compute];
  if (count === 0 && !names.some((name) => (requests.get(name) ?? 0) > 0)) return null;
  const units = requests.get(slices.compute);
  return {
    count: Math.max(1, count),
    memoryMiB: (requests.get(slices.memory) ?? 0) * slices.memoryUnitMiB,
    percent: Math.min(100, requests.get(slices.percentage) ?? 0),
    computeMilli: units === undefined ? null : Math.min(1000, Math.floor((units * 1000) / slices.computeUnits)),
  };
}
