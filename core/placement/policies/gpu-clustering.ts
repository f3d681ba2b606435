import type { CardRequest } from '../../model/index.ts';
import type { Book } from '../../state/index.ts';
import type { Policy } from '../policy.ts';
import { cardsLeftMilli, LARGEST_CARDS_MILLI, simplePolicy } from './simple.ts';

/** Pods of one size class attract each other: all sharers are one class, whole cards one for each count. */
function sizeClass(cards: CardRequest): string {
  if (cards.kind === 'none') return '';
  return cards.kind === 'whole' ? String(cards.count) : 'share';
}

/** Machines that run the same size class first, fuller first. Method: FGD's artifact, GpuClustering (Gandiva). */
export function gpuClustering(book: Book): Policy {
  return simplePolicy('gpu-clustering', book, (requestClass, machine) => {
    const wanted = sizeClass(requestClass.request.cards);
    if (wanted === '') return 0;
    const present = new Set<string>();
    for (const { pod } of book.podsOn(machine)) present.add(sizeClass(pod.request.cards));
    present.delete('');
    const fuller = Math.trunc((25 * (LARGEST_CARDS_MILLI - cardsLeftMilli(book, machine))) / LARGEST_CARDS_MILLI);
    if (present.has(wanted)) return fuller + (present.size === 1 ? 75 : 50);
    return fuller + (present.size === 0 ? 25 : 0);
  });
}
