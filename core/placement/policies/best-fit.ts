import type { Book } from '../../state/index.ts';
import type { Policy } from '../policy.ts';
import { askedMilli, cardsLeftMilli, LARGEST_CARDS_MILLI, LARGEST_CPU_MILLI, simplePolicy } from './simple.ts';

/**
 * Least left over, CPU and cards weighing the same. The published policy scales scores to 0..100 among the
 * feasible machines, which moves no maximum, so it is left out. Method: FGD's artifact, BestFit.
 */
export function bestFit(book: Book): Policy {
  return simplePolicy('best-fit', book, (requestClass, machine) => {
    const cpu = (book.cpuFreeMilli[machine] as number) - requestClass.cpuMilli;
    const cards = cardsLeftMilli(book, machine) - askedMilli(book, requestClass, machine);
    return Math.trunc((1 - (cpu / LARGEST_CPU_MILLI) * 0.5 - (cards / LARGEST_CARDS_MILLI) * 0.5) * 100);
  });
}
