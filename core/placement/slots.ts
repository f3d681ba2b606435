import { MODE, type Book, type RequestClass } from '../state/index.ts';

/**
 * Requests that do not take one part on each of `count` different cards: several parts may lie on one card (MIG
 * instances of one pod, slices of several containers), or all cards must be at one NUMA node. A *slot* is a place
 * for one part.
 */
export function hasSlots({ kindStacks, cardNuma }: RequestClass): boolean {
  return kindStacks !== null || cardNuma !== null;
}

/** Whether what a class takes of a kind of card is a MIG instance. */
export function takesInstance({ demands }: RequestClass, kind: number): boolean {
  return (demands[kind]?.migSize ?? 0) > 0;
}

/** A bound on work, far above what a machine runs. */
export const COPIES_MAX = 100_000;

export function times(free: number, asked: number): number {
  return asked > 0 ? Math.floor(free / asked) : COPIES_MAX;
}

/** Parts that one card which fits can still give, when nothing else is placed: by memory, compute and shares. */
export function slicesOn(book: Book, requestClass: RequestClass, card: number): number {
  const kind = book.cardKind[card] as number;
  if (requestClass.hasMig && takesInstance(requestClass, kind)) {
    return Math.min(migCopies(book, requestClass, card), book.cardSharesFree[card] as number);
  }
  if (requestClass.kindAlone !== null && requestClass.kindAlone[kind] !== 0) return 1;
  const memory = requestClass.kindMemory[kind] as number;
  const beyond = memory - (requestClass.kindMemoryRoom[kind] as number);
  return Math.min(
    times((book.cardMemoryFreeMiB[card] as number) + beyond, memory),
    times(book.cardComputeFreeMilli[card] as number, requestClass.kindCompute[kind] as number),
    times(book.cardSharedFreeMilli[card] as number, requestClass.kindShared?.[kind] ?? 0),
    book.cardSharesFree[card] as number,
  );
}

function migCopies(book: Book, requestClass: RequestClass, card: number): number {
  const demand = requestClass.demands[book.cardKind[card] as number];
  let bits = book.cardBits[card] as number;
  let copies = 0;
  for (const start of demand?.migStarts ?? []) {
    const mask = ((1 << (demand?.migSize ?? 0)) - 1) << start;
    if ((bits & mask) !== 0) continue;
    bits |= mask;
    copies += 1;
  }
  return copies;
}

/** The parts of one pod that a card which fits may hold: one, or as many as it has room for. */
export function slotsOn(book: Book, requestClass: RequestClass, card: number): number {
  if (!isStackedOn(requestClass, book.cardKind[card] as number) || requestClass.mode === MODE.whole) return 1;
  return Math.min(requestClass.count, slicesOn(book, requestClass, card));
}

export function isStackedOn({ kindStacks }: RequestClass, kind: number): boolean {
  return kindStacks !== null && kindStacks[kind] !== 0;
}

/** Fitting cards, apart by NUMA node where that counts, the lower node first. */
export function slotGroups({ cardNuma }: RequestClass, cards: readonly number[]): number[][] {
  if (cardNuma === null) return [[...cards]];
  const groups = Map.groupBy(cards, (card) => cardNuma[card] as number);
  return [...groups].toSorted(([left], [right]) => left - right).map(([, members]) => members);
}

/** The most parts of one pod that some group of the cards can hold. */
export function mostSlots(book: Book, requestClass: RequestClass, cards: readonly number[]): number {
  const sizes = slotGroups(requestClass, cards).map((group) => slotsOf(book, requestClass, group));
  return Math.max(0, ...sizes);
}

/** The parts of one pod that cards which fit can hold together. */
export function slotsOf(book: Book, requestClass: RequestClass, cards: readonly number[]): number {
  return cards.reduce((sum, card) => sum + slotsOn(book, requestClass, card), 0);
}
