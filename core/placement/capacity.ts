import type { Machine } from '../model/index.ts';
import { MODE, type Book, type RequestClass } from '../state/index.ts';
import { slottedCards } from './cards.ts';
import { cardFits, machineRefusal, tenantRefusal } from './fit.ts';
import { COPIES_MAX, hasSlots, isStackedOn, slicesOn, slotGroups, times } from './slots.ts';

/** Copies that the machine's pods, CPU, memory and other resources allow, cards aside. */
function copiesBySize(book: Book, requestClass: RequestClass, machine: number): number {
  let copies = Math.min(COPIES_MAX, book.podsFree[machine] as number);
  copies = Math.min(copies, times(book.cpuFreeMilli[machine] as number, requestClass.cpuMilli));
  copies = Math.min(copies, times(book.memoryFreeBytes[machine] as number, requestClass.memoryBytes));
  requestClass.resourceColumns.forEach((column, i) => {
    const free = book.columnFree(column)[machine] as number;
    copies = Math.min(copies, times(free, requestClass.resourceAmounts[i] as number));
  });
  return Math.max(0, copies);
}

/** So many copies, or fewer where there are not devices for the claims of all. */
function withDevices(book: Book, { request }: RequestClass, machine: number, copies: number): number {
  return book.devices.copiesOn(request, book.machines[machine] as Machine, copies);
}

/**
 * `count` fitting cards with most slices left, the lower card among equals: taking them copy by copy reaches what
 * `copiesOn` promises, which the tightest cards first would not.
 */
export function roomiestCards(book: Book, requestClass: RequestClass, machine: number, island = -1): number[] {
  if (hasSlots(requestClass)) return slottedCards(book, requestClass, machine, island);
  const draws: { card: number; left: number }[] = [];
  const end = book.cardStart[machine + 1] as number;
  for (let card = book.cardStart[machine] as number; card < end; card += 1) {
    if (island >= 0 && book.cardIsland[card] !== island) continue;
    if (cardFits(book, requestClass, card)) draws.push({ card, left: slicesOn(book, requestClass, card) });
  }
  draws.sort((one, other) => other.left - one.left || one.card - other.card);
  return draws.slice(0, requestClass.count).map(({ card }) => card);
}

/** How often `count` different cards can be drawn from cards that can each be drawn so often. */
function groupsOf(draws: readonly number[], count: number): number {
  let low = 0;
  let high = Math.floor(draws.reduce((sum, draw) => sum + draw, 0) / count);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const usable = draws.reduce((sum, draw) => sum + Math.min(draw, middle), 0);
    if (usable >= middle * count) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * How many copies of a class fit on one machine together, neighbours aside. O(cards of the machine), exact:
 * `count` different cards a copy can be drawn k times if and only if the sum of min(draws, k) reaches k x count.
 * `island` limits the cards to one island.
 */
export function copiesOn(book: Book, requestClass: RequestClass, machine: number, island = -1): number {
  if (machineRefusal(book, requestClass, machine) !== 0 || tenantRefusal(book, requestClass, machine) !== 0) return 0;
  const bySize = withDevices(book, requestClass, machine, copiesBySize(book, requestClass, machine));
  if (requestClass.mode === MODE.none) return bySize;
  const draws: number[] = [];
  const fitting: number[] = [];
  const end = book.cardStart[machine + 1] as number;
  for (let card = book.cardStart[machine] as number; card < end; card += 1) {
    if (island >= 0 && book.cardIsland[card] !== island) continue;
    if (cardFits(book, requestClass, card)) {
      draws.push(requestClass.mode === MODE.whole ? 1 : slicesOn(book, requestClass, card));
      fitting.push(card);
    }
  }
  const byCards = hasSlots(requestClass)
    ? slotCopies(book, requestClass, fitting)
    : groupsOf(draws, requestClass.count);
  if (requestClass.mode !== MODE.whole) return Math.min(bySize, byCards);
  const unplaced = Math.max(0, Math.floor((book.cardsFree[machine] as number) / requestClass.count));
  return Math.min(bySize, byCards, unplaced);
}

/** The same where several parts of a copy may lie on one card, or all have to be at one NUMA node: group by group. */
function slotCopies(book: Book, requestClass: RequestClass, fitting: readonly number[]): number {
  const { count, mode } = requestClass;
  const copies = slotGroups(requestClass, fitting).map((cards) => {
    // A card that parts may share can be drawn several times for one copy: as often as there are cards of one part.
    const draws = cards.flatMap((card) => {
      const parts = mode === MODE.whole ? 1 : slicesOn(book, requestClass, card);
      const isStacked = isStackedOn(requestClass, book.cardKind[card] as number);
      return isStacked ? Array.from({ length: parts }, () => 1) : [parts];
    });
    return groupsOf(draws, count);
  });
  return copies.reduce((sum, number) => sum + number, 0);
}
