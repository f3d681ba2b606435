import { capacityRefusal, cardFits, memoryRefusal } from '../placement/index.ts';
import { MODE, type Book, type RequestClass } from '../state/index.ts';
import type { CommonRequest } from './common-requests.ts';
import { machineNoun } from './loss.ts';
import { isMachineUsable } from './usable.ts';

/** What is left of cards that are given out in parts. */
export interface Leftovers {
  /** Cards of which a part is held and a part is free. */
  readonly cards: number;
  readonly freeMiB: number;
  readonly freeComputeMilli: number;
  /** Of the free part: what no common request that takes parts of cards could use. */
  readonly unusableMiB: number;
  readonly unusableComputeMilli: number;
  /** Cards no common request at all could take a part of. */
  readonly unusableCards: number;
}

/**
 * Sums over the shared cards that a caller groups by `keyOf` (such as the model). A card's free part is usable as
 * far as the request that fits on it most often would fill it. O(shared cards x common requests).
 */
export function leftoversBy(
  book: Book,
  common: readonly CommonRequest[],
  keyOf: (card: number) => string,
): Map<string, Leftovers> {
  const slices = common.map(({ requestClass }) => requestClass).filter(({ mode }) => mode === MODE.slice);
  const sums = new Map<string, Leftovers>();
  for (let card = 0; card < book.cardIds.length; card += 1) {
    if (!isSharedInPart(book, card)) continue;
    const key = keyOf(card);
    const left = leftOf(book, slices, card);
    const sum = sums.get(key);
    sums.set(key, sum === undefined ? left : added(sum, left));
  }
  return sums;
}

function isSharedInPart(book: Book, card: number): boolean {
  const kind = book.kinds[book.cardKind[card] as number];
  if (kind === undefined || kind.slicing === 'none' || book.cardHolders[card] === 0) return false;
  if (book.cardUsable[card] === 0 || !isMachineUsable(machineNoun(book, book.cardMachine[card] as number)))
    return false;
  return (book.cardMemoryFreeMiB[card] as number) > 0 || (book.cardComputeFreeMilli[card] as number) > 0;
}

function leftOf(book: Book, slices: readonly RequestClass[], card: number): Leftovers {
  const freeMiB = Math.max(0, book.cardMemoryFreeMiB[card] as number);
  const freeComputeMilli = Math.max(0, book.cardComputeFreeMilli[card] as number);
  let usedMiB = 0;
  let usedMilli = 0;
  for (const requestClass of slices) {
    const copies = copiesOnCard(book, requestClass, card);
    const kind = book.cardKind[card] as number;
    usedMiB = Math.max(usedMiB, copies * (requestClass.kindMemory[kind] as number));
    usedMilli = Math.max(usedMilli, copies * (requestClass.kindCompute[kind] as number));
  }
  const isUnusable = usedMiB === 0 && usedMilli === 0;
  return {
    cards: 1,
    freeMiB,
    freeComputeMilli,
    unusableMiB: freeMiB - usedMiB,
    unusableComputeMilli: freeComputeMilli - usedMilli,
    unusableCards: isUnusable ? 1 : 0,
  };
}

/** Copies of a slice on one card, as far as the machine's CPU, memory and labels allow one at all. */
function copiesOnCard(book: Book, requestClass: RequestClass, card: number): number {
  const machine = book.cardMachine[card] as number;
  if (requestClass.staticRefusal[machine] !== 0 || capacityRefusal(book, requestClass, machine) !== 0) return 0;
  if (memoryRefusal(book, requestClass, machine) !== 0) return 0;
  if (!cardFits(book, requestClass, card)) return 0;
  const kind = book.cardKind[card] as number;
  const memory = requestClass.kindMemory[kind] as number;
  const compute = requestClass.kindCompute[kind] as number;
  const byMemory = memory === 0 ? Infinity : Math.floor(Math.max(0, book.cardMemoryFreeMiB[card] as number) / memory);
  const byCompute = compute === 0 ? Infinity : Math.floor((book.cardComputeFreeMilli[card] as number) / compute);
  return Math.min(byMemory, byCompute, book.cardSharesFree[card] as number);
}

function added(left: Leftovers, right: Leftovers): Leftovers {
  return {
    cards: left.cards + right.cards,
    freeMiB: left.freeMiB + right.freeMiB,
    freeComputeMilli: left.freeComputeMilli + right.freeComputeMilli,
    unusableMiB: left.unusableMiB + right.unusableMiB,
    unusableComputeMilli: left.unusableComputeMilli + right.unusableComputeMilli,
    unusableCards: left.unusableCards + right.unusableCards,
  };
}
