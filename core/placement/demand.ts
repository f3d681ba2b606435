import type { Book, CardKind, RequestClass } from '../state/index.ts';
import type { MixEntry } from './mix.ts';

/** Thousandths of a card of one kind that a class asks for: the larger of its memory and compute parts. */
export function askedOn(requestClass: RequestClass, kind: CardKind): number {
  const { memoryMiB, index } = kind;
  const memory = memoryMiB > 0 ? (1000 * (requestClass.kindMemory[index] as number)) / memoryMiB : 0;
  return Math.max(memory, requestClass.kindCompute[index] as number);
}

/** Thousandths of a card a class asks for, as a mean over the kinds it may use, weighted by their number. */
function cardsAsked(book: Book, requestClass: RequestClass, cardsOfKind: Float64Array): number {
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

function countCards(book: Book): Float64Array {
  const counts = new Float64Array(book.kinds.length);
  for (let card = 0; card < book.cardKind.length; card += 1)
    if (book.cardUsable[card] === 1) counts[book.cardKind[card] as number]! += 1;
  return counts;
}

/** Kappa: thousandths of a core that pods with cards ask for with each whole card's worth. */
export function cpuOfCard(book: Book, mix: readonly MixEntry[]): number {
  const counts = countCards(book);
  let cpu = 0;
  let cards = 0;
  for (const { requestClass, share } of mix) {
    if (requestClass.count > 0) cpu += share * requestClass.cpuMilli;
    cards += (share * cardsAsked(book, requestClass, counts)) / 1000;
  }
  return cards === 0 ? 0 : cpu / cards;
}

/**
 * For each kind, the demand of requests that name their models, per card of the kind, as a part of what the
 * whole mix would ask of a card if it were spread evenly.
 */
export function scarcity(book: Book, mix: readonly MixEntry[]): Float64Array {
  const counts = countCards(book);
  const restricted = new Float64Array(book.kinds.length);
  let total = 0;
  for (const { requestClass, share } of mix) {
    const asked = share * cardsAsked(book, requestClass, counts);
    total += asked;
    const { cards } = requestClass.request;
    if (cards.kind === 'none' || cards.models === null) continue;
    let allowed = 0;
    for (const kind of book.kinds)
      if (requestClass.kindRefusal[kind.index] === 0) allowed += counts[kind.index] as number;
    for (const kind of book.kinds) {
      if (requestClass.kindRefusal[kind.index] === 0)
        restricted[kind.index]! += (asked * (counts[kind.index] as number)) / allowed;
    }
  }
  const cards = counts.reduce((sum, count) => sum + count, 0);
  return restricted.map((part, kind) =>
    total === 0 || counts[kind] === 0 ? 0 : (part / total) * (cards / (counts[kind] as number)),
  );
}
