import type { Card } from '@springtide/core/model';
import { type GroupAsk, type GroupRead, groupOf } from './card-group.ts';
import { islandOf, memoryOf, modelOf } from './whole-cards.ts';

const REPLICAS = 'nvidia.com/gpu.replicas';
const STRATEGY = 'nvidia.com/gpu.sharing-strategy';
const COUNT = 'nvidia.com/gpu.count';

/**
 * Shares of each card under time slicing or MPS: 1 when the cards are not shared. Told by the label with the
 * number of replicas; failing that by the `-SHARED` product or the strategy, with the number of cards beside.
 */
export function sharesPerCard(labels: ReadonlyMap<string, string>, total: number, isShared: boolean): number {
  const replicas = number(labels.get(REPLICAS));
  if (replicas > 1) return replicas;
  const strategy = labels.get(STRATEGY) ?? 'none';
  if (!isShared && strategy === 'none') return 1;
  const cards = number(labels.get(COUNT));
  return cards > 0 && total > cards ? Math.ceil(total / cards) : 1;
}

function number(text: string | undefined): number {
  return text !== undefined && /^\d{1,4}$/.test(text) ? Number(text) : 0;
}

/**
 * Each share is a line of the book, `node/card:share`, so that Kubernetes' own count fits. It carries its part of
 * the card's memory and compute, so that sums over the fleet stay those of the cards.
 */
export function timeSlicedCards(ask: GroupAsk, shares: number): GroupRead {
  const row = modelOf(ask);
  const memoryMiB = Math.floor(memoryOf(ask) / shares);
  const cards = Array.from({ length: ask.total }, (_, index): Card => {
    const card = Math.floor(index / shares);
    return {
      id: `${ask.node.name}/${ask.firstIndex + card}:${index % shares}`,
      vendor: ask.vendor.name,
      resource: ask.resource.name,
      model: ask.model,
      memoryMiB,
      computeMilli: Math.floor(1000 / shares),
      sharesMax: null,
      slicing: 'none',
      island: islandOf(row, card),
      health: index < ask.usable ? 'ok' : 'fault',
    };
  });
  return groupOf(ask, 'time-sliced', cards, { sharesPerCard: shares });
}
