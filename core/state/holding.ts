import type { ClaimAllocation, Machine, Pod, SliceHeld } from '../model/index.ts';
import type { Book } from './book.ts';
import type { RequestClass } from './classes.ts';

/** What one pod holds on one machine. `cards[i]` is a card number; the other lists go with it. */
export interface Holding {
  readonly pod: Pod;
  readonly machine: number;
  readonly cards: readonly number[];
  readonly memoryMiB: readonly number[];
  readonly computeMilli: readonly number[];
  /** AI CPUs of a vendor template on each card; empty when none. */
  readonly cpus: readonly number[];
  /** MIG memory slices taken of each card, as bits; empty when none. */
  readonly migBits: readonly number[];
  /** Cards held for which the machine has no card left: it is overbooked. */
  readonly cardsMissing: number;
  /** The slots are the book's own guess, since no plug-in named the cards. */
  readonly guessed: boolean;
  /** The pod is being deleted: it still holds, but spread constraints do not count it. */
  readonly deleting: boolean;
  /** Devices chosen for those of its claims that had none; absent: none. */
  readonly claims?: readonly ClaimAllocation[];
}

/** Cards that a holding takes from those of its machine without a place: those of a resource it has not are no loss. */
export function missingHere({ pod, cardsMissing }: Holding, machine: Machine | undefined): number {
  const { cards } = pod.request;
  if (cardsMissing === 0 || cards.kind === 'none') return cardsMissing;
  return machine?.cards.some(({ resource }) => resource === cards.resource) === true ? cardsMissing : 0;
}

const NO_NUMBERS: readonly number[] = [];
const NO_CLAIMS: readonly ClaimAllocation[] = [];

/** The bits of `size` memory slices from `start`. */
export function migMask(start: number, size: number): number {
  return ((1 << size) - 1) << start;
}

/** The first allowed start whose slices are free, or -1. `taken` are slices that are as good as held. */
export function migStartOn(book: Book, requestClass: RequestClass, card: number, taken = 0): number {
  const demand = requestClass.demands[book.cardKind[card] as number];
  if (demand === undefined) return -1;
  const bits = (book.cardBits[card] as number) | taken;
  for (const start of demand.migStarts) if ((bits & migMask(start, demand.migSize)) === 0) return start;
  return -1;
}

/** The holding of a pod on chosen cards, as its class demands. */
export function holdingOn(
  book: Book,
  pod: Pod,
  requestClass: RequestClass,
  place: { machine: number; cards: readonly number[] },
): Holding {
  const { machine, cards } = place;
  const claims = claimsOn(book, pod, machine);
  const holding = {
    pod,
    machine,
    cards,
    memoryMiB: amounts(book, requestClass.memoryLists, machine, cards),
    computeMilli: amounts(book, requestClass.computeLists, machine, cards),
    cpus: requestClass.kindCpus === null ? NO_NUMBERS : cards.map((card) => cpusOn(book, requestClass, card)),
    migBits: requestClass.hasMig ? migBitsOf(book, requestClass, cards) : NO_NUMBERS,
    cardsMissing: 0,
    guessed: true,
    deleting: false,
  };
  return claims.length === 0 ? holding : { ...holding, claims };
}

function claimsOn(book: Book, pod: Pod, machine: number): readonly ClaimAllocation[] {
  if (pod.request.constraints.devices === undefined) return NO_CLAIMS;
  return book.devices.findFor(pod, book.machines[machine] as Machine) ?? NO_CLAIMS;
}

/** What a holding takes of each of its cards, in nouns. O(cards of the holding). */
export function slicesOf(book: Book, { cards, memoryMiB, computeMilli, migBits }: Holding): SliceHeld[] {
  return cards.map((card, i) => ({
    cardId: book.cardIds[card] as string,
    memoryMiB: memoryMiB[i] as number,
    computeMilli: computeMilli[i] as number,
    migStart: (migBits[i] ?? 0) === 0 ? null : lowestBit(migBits[i] as number),
  }));
}

/** The position of the lowest bit that is set; there is one. */
function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

/** Cards of one kind share their class's list; a mixed machine gets its own. */
function amounts(
  book: Book,
  lists: RequestClass['memoryLists'],
  machine: number,
  cards: readonly number[],
): readonly number[] {
  if (cards.length === 0) return NO_NUMBERS;
  const list = lists[book.uniformKind[machine] as number];
  if (list !== undefined && list.length === cards.length) return list;
  return cards.map((card) => lists[book.cardKind[card] as number]?.[0] ?? 0);
}

function cpusOn(book: Book, requestClass: RequestClass, card: number): number {
  return requestClass.demands[book.cardKind[card] as number]?.cpus ?? 0;
}

/** Instances of one pod on one card lie beside each other; 0 for a card that is not cut into instances. */
function migBitsOf(book: Book, requestClass: RequestClass, cards: readonly number[]): number[] {
  const taken = new Map<number, number>();
  return cards.map((card) => {
    const size = requestClass.demands[book.cardKind[card] as number]?.migSize ?? 0;
    if (size === 0) return 0;
    const bits = taken.get(card) ?? 0;
    const mask = migMask(migStartOn(book, requestClass, card, bits), size);
    taken.set(card, bits | mask);
    return mask;
  });
}
