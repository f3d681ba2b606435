import type { Flavor, Request } from '../model/index.ts';

/**
 * What one pod takes of the resources that quotas may limit, in a flavor, by name (`QUOTA_RESOURCES`, and any resource
 * of the request): a card held whole counts as a card, all its memory and a thousand thousandths of compute; a slice
 * counts as its memory and compute. The price of a slice is that of the larger of its two shares of the card.
 */
export function amountsOf(request: Request, flavor: Flavor): Map<string, number> {
  const amounts = new Map<string, number>(request.resources);
  amounts.set('cpuMilli', request.cpuMilli);
  amounts.set('memoryBytes', request.memoryBytes);
  const { cards } = request;
  if (cards.kind === 'none') return amounts;
  const { memoryMiB, computeMilli } = shareOf(request, flavor);
  amounts.set('cards', cards.kind === 'whole' ? cards.count : 0);
  amounts.set('cardMemoryMiB', cards.count * memoryMiB);
  amounts.set('computeMilli', cards.count * computeMilli);
  const ofMemory = flavor.cardMemoryMiB === 0 ? 0 : memoryMiB / flavor.cardMemoryMiB;
  const share = Math.min(1, Math.max(ofMemory, computeMilli / 1000));
  amounts.set('priceMicrosPerHour', Math.ceil(cards.count * share * flavor.priceMicrosPerCardHour));
  return amounts;
}

/** Of each card. What a profile or template takes is the vendor's matter: it is counted as a whole card here. */
function shareOf({ cards }: Request, flavor: Flavor): { memoryMiB: number; computeMilli: number } {
  if (cards.kind !== 'slice' && cards.kind !== 'shared') return { memoryMiB: flavor.cardMemoryMiB, computeMilli: 1000 };
  const { memory, computeMilli } = cards;
  if (memory.unit === 'none') return { memoryMiB: 0, computeMilli };
  const { amount, unit } = memory;
  return { memoryMiB: unit === 'mib' ? amount : Math.floor((flavor.cardMemoryMiB * amount) / 1000), computeMilli };
}
