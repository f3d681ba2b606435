import type { ScoreTerm } from '../../model/index.ts';
import { NOT_FIT, type Book, type RequestClass } from '../../state/index.ts';
import { CardScratch, chooseFullest } from '../cards.ts';
import { cardsRefusal } from '../fit.ts';
import type { Policy } from '../policy.ts';

/** The largest machine of the published packing runs, by which they normalise: 128 cores and 8 cards. */
export const LARGEST_CPU_MILLI = 128_000;
export const LARGEST_CARDS_MILLI = 8_000;

/** Compute left on all usable cards of a machine, in thousandths of a card. */
export function cardsLeftMilli(book: Book, machine: number): number {
  let left = 0;
  const end = book.cardStart[machine + 1] as number;
  for (let card = book.cardStart[machine] as number; card < end; card += 1) {
    if (book.cardUsable[card] === 1) left += book.cardComputeFreeMilli[card] as number;
  }
  return left;
}

/** Compute a class asks for, in thousandths of a card, on the machine's first kind of card. */
export function askedMilli(book: Book, requestClass: RequestClass, machine: number): number {
  const card = book.cardStart[machine] as number;
  if (requestClass.count === 0 || card === book.cardStart[machine + 1]) return 0;
  return requestClass.count * (requestClass.kindCompute[book.cardKind[card] as number] as number);
}

/** A stateless policy from one integer score; cards by the fullest that fits, ties by rank. */
export function simplePolicy(
  name: string,
  book: Book,
  score: (requestClass: RequestClass, machine: number) => number,
): Policy {
  const scratch = new CardScratch();
  const guarded = (requestClass: RequestClass, machine: number): number =>
    cardsRefusal(book, requestClass, machine) === 0 ? score(requestClass, machine) : NOT_FIT;
  return {
    name,
    score: guarded,
    chooseCards: (requestClass, machine) => chooseFullest(book, scratch, requestClass, machine),
    epoch: () => 0,
    readsMemory: false,
    observe: () => undefined,
    terms: (requestClass, machine): ScoreTerm[] => [{ name, value: guarded(requestClass, machine) }],
    randomTies: false,
  };
}
