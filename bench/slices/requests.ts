import type { TracePod } from '@springtide/adapters/traces';
import { mulberry32 } from '@springtide/core/base';
import { EMPTY_REQUEST, type Request } from '@springtide/core/model';
import { RESOURCE } from './fleet.ts';

const CARD_MIB = 40_960;
const STEP_MIB = 256;

export interface SliceArrival {
  readonly request: Request;
  readonly memoryMiB: number;
}

/**
 * Arrivals of issue 3, item 4: drawn with replacement from openb's pods that share a card, until the memory asked
 * for passes 1.3 x capacity. Two of three, by draw, ask for compute as well.
 */
export function sliceArrivals(pods: readonly TracePod[], capacityMiB: number, seed: number): SliceArrival[] {
  const shared = pods.filter((pod) => pod.cardCount === 1 && pod.cardMilli < 1000);
  const random = mulberry32(seed);
  const known = new Map<string, SliceArrival>();
  const arrivals: SliceArrival[] = [];
  let askedMiB = 0;
  for (;;) {
    const pod = shared[random.below(shared.length)] as TracePod;
    const computeMilli = random.below(3) < 2 ? pod.cardMilli : 0;
    const memoryMiB = Math.ceil((pod.cardMilli * CARD_MIB) / 1000 / STEP_MIB) * STEP_MIB;
    if (askedMiB + memoryMiB > 1.3 * capacityMiB) return arrivals;
    askedMiB += memoryMiB;
    const key = `${pod.request.cpuMilli} ${memoryMiB} ${computeMilli}`;
    const arrival = known.get(key) ?? {
      memoryMiB,
      request: {
        ...EMPTY_REQUEST,
        cpuMilli: pod.request.cpuMilli,
        cards: {
          kind: 'slice',
          resource: RESOURCE,
          count: 1,
          models: null,
          memory: { unit: 'mib', amount: memoryMiB },
          computeMilli,
        },
      },
    };
    known.set(key, arrival);
    arrivals.push(arrival);
  }
}
