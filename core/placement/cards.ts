import { assert } from '../base/index.ts';
import { MODE, type Book, type RequestClass } from '../state/index.ts';
import { cardFits, fittingCards } from './fit.ts';
import { hasSlots, slotGroups, slotsOf, slotsOn } from './slots.ts';

const SCRATCH = 1024;

/** A reusable list of card numbers; grows with the widest machine. */
export class CardScratch {
  cards = new Int32Array(SCRATCH);

  /** The fitting cards of a machine as a list. */
  list(book: Book, requestClass: RequestClass, machine: number): number[] {
    const found = this.fitting(book, requestClass, machine);
    const cards: number[] = [];
    for (let i = 0; i < found; i += 1) cards.push(this.cards[i] as number);
    return cards;
  }

  fitting(book: Book, requestClass: RequestClass, machine: number): number {
    const width = (book.cardStart[machine + 1] as number) - (book.cardStart[machine] as number);
    if (width > this.cards.length) this.cards = new Int32Array(2 * width);
    return fittingCards(book, requestClass, machine, this.cards);
  }
}

/** Whether two cards that no MIG instance is cut from are equal in all that a slice can ask for. */
export function areAlike(book: Book, card: number, other: number): boolean {
  return (
    book.cardComputeFreeMilli[other] === book.cardComputeFreeMilli[card] &&
    book.cardMemoryFreeMiB[other] === book.cardMemoryFreeMiB[card] &&
    book.cardSharedFreeMilli[other] === book.cardSharedFreeMilli[card] &&
    book.cardKind[other] === book.cardKind[card] &&
    book.cardCpusFree[other] === book.cardCpusFree[card] &&
    book.cardTenant[other] === book.cardTenant[card] &&
    book.cardIsolated[other] === book.cardIsolated[card]
  );
}

/**
 * Whole cards on as few fast-link islands as can be (PL-6): the fitting island with least to spare if one
 * holds them all, else the fullest islands first. Ties go to the lower island, then the lower card.
 */
export function chooseWhole(book: Book, fitting: readonly number[], count: number): number[] {
  if (fitting.length <= count || book.oneIsland[book.cardMachine[fitting[0] as number] as number] === 1) {
    return fitting.slice(0, count);
  }
  const least = tightestIsland(book, fitting, count);
  if (least === null) return fullestFirst(book, fitting, count);
  const chosen: number[] = [];
  for (let i = 0; chosen.length < count; i += 1) {
    if (book.cardIsland[fitting[i] as number] === least) chosen.push(fitting[i] as number);
  }
  return chosen;
}

/** The island with the fewest fitting cards that has enough of them, the lower among equals; null when none has. */
function tightestIsland(book: Book, fitting: readonly number[], count: number): number | null {
  let least: number | null = null;
  let leastSize = Infinity;
  let last: number | null = null;
  for (const card of fitting) {
    const island = book.cardIsland[card] as number;
    if (island === last) continue;
    last = island;
    let size = 0;
    for (const other of fitting) if (book.cardIsland[other] === island) size += 1;
    if (size < count || size > leastSize || (size === leastSize && island > (least as number))) continue;
    least = island;
    leastSize = size;
  }
  return least;
}

/** Over several islands, since none has enough: the fullest first. */
function fullestFirst(book: Book, fitting: readonly number[], count: number): number[] {
  const islands = Map.groupBy(fitting, (card) => book.cardIsland[card] as number);
  const ordered = [...islands].toSorted(([left], [right]) => left - right).map(([, members]) => members);
  return finish(
    ordered.toSorted((left, right) => right.length - left.length),
    count,
  );
}

/** The smallest list, the first among equals. */
function tightest(lists: readonly (readonly number[])[]): readonly number[] | undefined {
  return lists.reduce<readonly number[] | undefined>(
    (best, list) => (best === undefined || list.length < best.length ? list : best),
    undefined,
  );
}

/** Takes islands largest first, but the last part from the island that it leaves with least to spare. */
function finish(bySize: readonly (readonly number[])[], count: number): number[] {
  const chosen: number[] = [];
  const rest = [...bySize];
  while (chosen.length < count) {
    const want = count - chosen.length;
    const enough = rest.filter((members) => members.length >= want);
    const next = tightest(enough) ?? rest[0];
    assert(next !== undefined, 'the fitting cards are enough');
    rest.splice(rest.indexOf(next), 1);
    chosen.push(...next.slice(0, want));
  }
  return chosen.toSorted((left, right) => left - right);
}

/** The room on a card that decides best fit: free memory where it is asked for, else free compute. */
export function roomOn(book: Book, requestClass: RequestClass, card: number): number {
  const kind = book.cardKind[card] as number;
  const memory = requestClass.kindMemory[kind] as number;
  if (memory > 0) return book.cardMemoryFreeMiB[card] as number;
  const yields = (requestClass.kindShared?.[kind] ?? -1) >= 0;
  return (yields ? book.cardSharedFreeMilli : book.cardComputeFreeMilli)[card] as number;
}

/** The fullest cards that fit, as the published peers choose; the lower card among equals. */
export function chooseFullest(book: Book, scratch: CardScratch, requestClass: RequestClass, machine: number): number[] {
  if (requestClass.mode === MODE.none) return [];
  if (hasSlots(requestClass)) return slottedCards(book, requestClass, machine);
  const fitting = scratch.list(book, requestClass, machine);
  if (requestClass.mode === MODE.whole) return chooseWhole(book, fitting, requestClass.count);
  const byRoom = (left: number, right: number): number =>
    roomOn(book, requestClass, left) - roomOn(book, requestClass, right) || left - right;
  return fitting.toSorted(byRoom).slice(0, requestClass.count);
}

/**
 * The cards of a request whose parts may share a card, or have to be at one NUMA node: the fullest first, in the
 * NUMA node with least to spare. A card stands in the list as often as parts lie on it; too short a list does not fit.
 */
export function slottedCards(book: Book, requestClass: RequestClass, machine: number, island = -1): number[] {
  const { count } = requestClass;
  const fitting: number[] = [];
  const end = book.cardStart[machine + 1] as number;
  for (let card = book.cardStart[machine] as number; card < end; card += 1) {
    if (island >= 0 && book.cardIsland[card] !== island) continue;
    if (cardFits(book, requestClass, card)) fitting.push(card);
  }
  const groups = slotGroups(requestClass, fitting).map((cards) => ({
    cards,
    slots: slotsOf(book, requestClass, cards),
  }));
  const enough = groups.filter(({ slots }) => slots >= count).toSorted((left, right) => left.slots - right.slots);
  const byRoom = (left: number, right: number): number =>
    roomOn(book, requestClass, left) - roomOn(book, requestClass, right) || left - right;
  const ordered = (enough[0]?.cards ?? []).toSorted(byRoom);
  return ordered
    .flatMap((card) => Array.from({ length: slotsOn(book, requestClass, card) }, () => card))
    .slice(0, count);
}
