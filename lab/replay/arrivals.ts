import type { GoRand } from '@springtide/adapters/traces';
import { mulberry32 } from '@springtide/core/base';

export interface ArrivalDemand {
  readonly cardMilli: number;
  readonly cardCount: number;
}

/** Arrivals go on until they ask for this many thousandths of the capacity. */
export const DEMAND_MILLI = 1300;

/** Draws of the kind the published runs use, from our own generator. */
export function ownRand(seed: number): GoRand {
  const random = mulberry32(seed);
  return {
    skip: () => void random.uint32(),
    intn: (bound) => random.below(bound),
    shuffle: (length, swap) => {
      for (let i = length - 1; i > 0; i -= 1) swap(i, random.below(i + 1));
    },
  };
}

/**
 * The arrival order of the published packing runs, as indexes into the pods sorted by name: shuffle, then either
 * cut down or fill up to 1.3 x capacity (shared/design/packing.md 1). When filling, a copy counts one card's part
 * only, as the artifact does.
 */
export function arrivalOrder(pods: readonly ArrivalDemand[], capacityMilli: number, rand: GoRand): number[] {
  const target = (capacityMilli * DEMAND_MILLI) / 1000;
  const order = Array.from(pods, (_, index) => index);
  rand.skip();
  rand.shuffle(order.length, (left, right) => {
    const held = order[left] as number;
    order[left] = order[right] as number;
    order[right] = held;
  });
  let demand = 0;
  for (const { cardMilli, cardCount } of pods) demand += cardMilli * cardCount;
  const mustShrink = demand > target;
  while (demand > target) {
    const [removed] = order.splice(rand.intn(order.length), 1);
    const { cardMilli, cardCount } = pods[removed as number] as ArrivalDemand;
    demand -= cardMilli * cardCount;
  }
  if (mustShrink) return order;
  for (;;) {
    const index = rand.intn(pods.length);
    const { cardMilli, cardCount } = pods[index] as ArrivalDemand;
    if (demand + cardMilli > target) return order;
    order.push(index);
    demand += cardMilli * cardCount;
  }
}
