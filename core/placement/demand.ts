import type { Book, CardKind, RequestClass } from '../state/index.ts';
import type { MixEntry } from './mix.ts';

/** Thousandths of a card of one kind that a class asks for: the larger of its memory and compute parts. */
export function askedOn(requestClass: RequestClass, kind: CardKind): number {
  const { memoryMiB, index } = kind;
  const memory = memoryMiB > 0 ? (1000 * (requestClass.kindMemory[index] as number)) / memoryMiB : 0;
  return Math.max(memory, requestClass.kindCompute[index] as number);
}

/** Thousandths of a card a class asks for, as a mean over the kinds it may use, weighted by their number. */
export function cardsAsked(book: Book, requestClass: RequestClass, cardsOfKind: Float64Array): number {
  let cards = 0;
  let asked = 0;
  for (const kind of book.kinds) {
    if (requestClass.kindRefusal[kind.index] !== 0) continue;
    const weight = cardsOfKind[kind.index] as number;
    cards += weight;
    asked += weight * askedOn(requestClass, kind);
  }
  return cards === 0 ? 0 : (requestClass.count * asked) / cards;
}

/** Usable cards by kind. */
export function countCards(book: Book): Float64Array {
  const counts = new Float64Array(book.kinds.length);
  for (let card = 0; card < book.cardKind.length; card += 1)
    if (book.cardUsable[card] === 1) counts[book.cardKind[card] as number]! += 1;
  return counts;
}

/** Kappa: thousandths of a core that pods with cards ask for with each whole card's worth. */
export function cpuOfCard(book: Book, mix: readonly MixEntry[], counts = countCards(book)): number {
  let cpu = 0;
  let cards = 0;
  for (const { requestClass, share } of mix) {
    if (requestClass.count > 0) cpu += share * requestClass.cpuMilli;
    cards += (share * cardsAsked(book, requestClass, counts)) / 1000;
  }
  return cards === 0 ? 0 : cpu / cards;
}
