import type { Book } from '../../state/index.ts';
import type { Policy } from '../policy.ts';
import { askedMilli, cardsLeftMilli, LARGEST_CARDS_MILLI, LARGEST_CPU_MILLI, simplePolicy } from './simple.ts';

/** The machine whose free amounts point least in the pod's direction. Method: FGD's artifact, DotProd (merge, norm max). */
export function dotProduct(book: Book): Policy {
  return simplePolicy('dot-product', book, (requestClass, machine) => {
    const cpu =
      ((book.cpuFreeMilli[machine] as number) / LARGEST_CPU_MILLI) * (requestClass.cpuMilli / LARGEST_CPU_MILLI);
    const asked = askedMilli(book, requestClass, machine);
    const cards = (cardsLeftMilli(book, machine) / LARGEST_CARDS_MILLI) * (asked / LARGEST_CARDS_MILLI);
    return Math.trunc(100 * (1 - (cpu + cards) / 2));
  });
}
