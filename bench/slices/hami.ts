import { cardFits, cardsRefusal, type Policy } from '@springtide/core/placement';
import { type Book, NOT_FIT, type RequestClass, SHARES_UNLIMITED } from '@springtide/core/state';

/** HAMi's default number of shares a card, which its scores divide by. */
const SHARES = 10;

/** Parts of one card in use: shares, compute, memory. */
function usage(book: Book, card: number): number {
  const { memoryMiB } = book.kinds[book.cardKind[card] as number] as Book['kinds'][number];
  const shares = (SHARES_UNLIMITED - (book.cardSharesFree[card] as number)) / SHARES;
  const compute = 1 - (book.cardComputeFreeMilli[card] as number) / 1000;
  const memory = 1 - (book.cardMemoryFreeMiB[card] as number) / memoryMiB;
  return shares + compute + memory;
}

/**
 * HAMi's rules for slices: the fullest machine first (10 x the parts in use), and on it the fullest card
 * (`binpack`) or the emptiest (`spread`, the chart's default). Equal cards go to the highest index.
 * Source: shared/design/compatibility.md 2.6 and trap 18 of the vectors.
 */
export function hami(book: Book, cardRule: 'binpack' | 'spread'): Policy {
  const score = (requestClass: RequestClass, machine: number): number => {
    if (cardsRefusal(book, requestClass, machine) !== 0) return NOT_FIT;
    const start = book.cardStart[machine] as number;
    const end = book.cardStart[machine + 1] as number;
    let used = 0;
    for (let card = start; card < end; card += 1) used += usage(book, card);
    return Math.round((10_000 * used) / (end - start) / 3);
  };
  return {
    name: `hami-${cardRule}`,
    score,
    chooseCards: (requestClass, machine) => {
      let best = -1;
      let bestUsage = 0;
      const end = book.cardStart[machine + 1] as number;
      for (let card = book.cardStart[machine] as number; card < end; card += 1) {
        if (!cardFits(book, requestClass, card)) continue;
        const used = cardRule === 'binpack' ? usage(book, card) : -usage(book, card);
        if (best !== -1 && used < bestUsage) continue;
        best = card;
        bestUsage = used;
      }
      return [best];
    },
    epoch: () => 0,
    readsMemory: false,
    observe: () => undefined,
    terms: (requestClass, machine) => [{ name: 'usage', value: score(requestClass, machine) }],
    randomTies: false,
  };
}
