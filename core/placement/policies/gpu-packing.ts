import { MODE, type Book } from '../../state/index.ts';
import { CardScratch, chooseFullest } from '../cards.ts';
import type { Policy } from '../policy.ts';
import { simplePolicy } from './simple.ts';

/** Shared cards first, then free cards of used machines, then idle machines. Method: FGD's artifact, GpuPacking (MLaaS). */
export function gpuPacking(book: Book): Policy {
  const scratch = new CardScratch();
  return simplePolicy('gpu-packing', book, (requestClass, machine) => {
    if (requestClass.mode === MODE.none) return 0;
    const free = wholeFree(book, machine);
    if (free === (book.cardStart[machine + 1] as number) - (book.cardStart[machine] as number))
      return Math.max(33 - free, free);
    const chosen = chooseFullest(book, scratch, requestClass, machine);
    const opened = chosen.filter((card) => book.cardHolders[card] === 0).length;
    if (opened > 0) return Math.max(50 - opened, 33);
    return Math.max(100 - Math.trunc(leftPercent(book, chosen) / 10), 50);
  });
}

function wholeFree(book: Book, machine: number): number {
  let free = 0;
  const end = book.cardStart[machine + 1] as number;
  for (let card = book.cardStart[machine] as number; card < end; card += 1) if (book.cardHolders[card] === 0) free += 1;
  return free;
}

function leftPercent(book: Book, cards: readonly number[]): number {
  return cards.reduce((sum, card) => sum + Math.trunc((book.cardComputeFreeMilli[card] as number) / 10), 0);
}
