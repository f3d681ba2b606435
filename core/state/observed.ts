import { compareText } from '../base/index.ts';
import type { CardRequest, ClaimAllocation, Machine, Pod, SliceHeld } from '../model/index.ts';
import { templateTable } from '../vendors/index.ts';
import type { Book } from './book.ts';
import { demandOn, type CardDemand } from './classes.ts';
import { migMask, type Holding } from './holding.ts';
import { type CardKind, migSlices } from './kinds.ts';
import { memoryBeyondMiB, yieldsCompute } from './room.ts';

/** A pod as somebody else placed it. */
export interface ObservedHolding {
  readonly pod: Pod;
  /** Null: it waits, and holds nothing. */
  readonly machine: string | null;
  readonly isDeleting: boolean;
  /** The parts of cards that a plug-in names; null: nobody says which cards they are. */
  readonly held: readonly SliceHeld[] | null;
  /** Pods of a machine with a group in common share one card of it. */
  readonly fractionGroups: readonly string[];
  /** Devices that were chosen for its claims when it was placed. */
  readonly claims?: readonly ClaimAllocation[];
}

export interface OverbookedMachine {
  readonly machine: string;
  /** Cards that its pods hold beyond those that are usable. */
  readonly cardsMissing: number;
}

export interface Filled {
  readonly overbooked: readonly OverbookedMachine[];
  /** Pods on machines that the book does not have: they are left out. */
  readonly strangers: readonly string[];
}

/**
 * Books a cluster as it was observed. Cards that a plug-in names are booked as named, before anything is guessed;
 * then the other pods, in order of id, take the lowest free cards of their resource, and pods of one fraction
 * group the same card. So the result does not depend on the order of the observation. Nothing is refused: what
 * the machine has no card for is counted as missing. O(pods x cards of a machine).
 */
export function fillBook(book: Book, observed: readonly ObservedHolding[]): Filled {
  const strangers: string[] = [];
  const present = observed
    .filter(({ machine }) => machine !== null)
    .toSorted((left, right) => compareText(left.pod.id, right.pod.id));
  const guess = new Guess(book);
  for (const item of present.filter(({ held }) => held !== null)) {
    if (!holdObserved(book, item, guess)) strangers.push(item.pod.id);
  }
  for (const item of present.filter(({ held }) => held === null)) {
    if (!holdObserved(book, item, guess)) strangers.push(item.pod.id);
  }
  return { overbooked: overbookedOf(book), strangers: strangers.toSorted(compareText) };
}

/** Books one more pod as it was observed. False: it holds nothing here, for its machine is none of the book's. */
export function holdObserved(book: Book, item: ObservedHolding, guess = new Guess(book)): boolean {
  const machine = item.machine === null ? -1 : book.machineOf(item.machine);
  if (machine === -1) return false;
  const holding = item.held === null ? guess.holding(item, machine) : namedHolding(book, item, machine);
  book.hold(item.claims === undefined ? holding : { ...holding, claims: item.claims });
  return true;
}

function overbookedOf(book: Book): OverbookedMachine[] {
  const missing = new Map<number, number>();
  for (const { machine, cardsMissing } of book.holdings.values()) {
    if (cardsMissing > 0) missing.set(machine, (missing.get(machine) ?? 0) + cardsMissing);
  }
  return [...missing]
    .toSorted(([left], [right]) => left - right)
    .map(([machine, cardsMissing]) => ({ machine: (book.machines[machine] as Machine).id, cardsMissing }));
}

function namedHolding(book: Book, item: ObservedHolding, machine: number): Holding {
  const known = (item.held ?? []).map((slice) => ({ slice, card: book.cardOf(slice.cardId) }));
  const found = known.filter(({ card }) => card !== -1 && book.cardMachine[card] === machine);
  const hasMig = found.some(({ slice }) => slice.migStart !== null);
  const hasTemplates = found.some(({ card }) => book.kinds[book.cardKind[card] as number]?.slicing === 'template');
  return {
    pod: item.pod,
    machine,
    cards: found.map(({ card }) => card),
    memoryMiB: found.map(({ slice }) => slice.memoryMiB),
    computeMilli: found.map(({ slice }) => slice.computeMilli),
    cpus: hasTemplates ? found.map(({ slice, card }) => cpusOf(book, slice, card)) : [],
    migBits: hasMig ? found.map(({ slice, card }) => bitsOf(book, slice, card)) : [],
    cardsMissing: known.length - found.length,
    guessed: false,
    deleting: item.isDeleting,
  };
}

/** AI CPUs of the vendor template that a slice is, told by its size. */
function cpusOf(book: Book, slice: SliceHeld, card: number): number {
  const kind = book.kinds[book.cardKind[card] as number];
  const table = kind?.slicing === 'template' ? templateTable(kind.model) : null;
  return table?.templates.find((row) => row.memoryMiB === slice.memoryMiB)?.cpus ?? 0;
}

/** The memory slices of a MIG instance, from its size in MiB. */
function bitsOf(book: Book, slice: SliceHeld, card: number): number {
  const kind = book.kinds[book.cardKind[card] as number];
  if (slice.migStart === null || kind === undefined || kind.memoryMiB === 0) return 0;
  const offer = kind.migProfiles?.find(({ memoryMiB }) => memoryMiB === slice.memoryMiB);
  if (offer !== undefined) return migMask(slice.migStart, offer.size);
  const slices = migSlices(kind);
  return migMask(slice.migStart, Math.round((slice.memoryMiB * slices) / kind.memoryMiB));
}

/** What a pod takes of one card whose name nobody knows. */
interface Part {
  readonly card: number;
  readonly memoryMiB: number;
  readonly computeMilli: number;
  readonly cpus: number;
  readonly migBits: number;
}

type AskedCards = Exclude<CardRequest, { kind: 'none' }>;

/** Where a card is looked for, and the ones the pod has already. */
interface Spot {
  readonly machine: number;
  readonly taken: Set<number>;
}

/** Assigns cards where no plug-in names them. */
class Guess {
  readonly #book: Book;
  /** The card of a fraction group, by machine and group. */
  readonly #groups = new Map<string, number>();

  constructor(book: Book) {
    this.#book = book;
  }

  holding(item: ObservedHolding, machine: number): Holding {
    const { cards } = item.pod.request;
    const parts = cards.kind === 'none' ? [] : this.#parts(item, { ...cards, models: null }, machine);
    const asked = cards.kind === 'none' ? 0 : cards.count;
    return {
      pod: item.pod,
      machine,
      cards: parts.map((part) => part.card),
      memoryMiB: parts.map((part) => part.memoryMiB),
      computeMilli: parts.map((part) => part.computeMilli),
      cpus: [],
      migBits: parts.some((part) => part.migBits !== 0) ? parts.map((part) => part.migBits) : [],
      cardsMissing: asked - parts.length,
      guessed: true,
      deleting: item.isDeleting,
    };
  }

  #parts(item: ObservedHolding, cards: AskedCards, machine: number): Part[] {
    const parts: Part[] = [];
    const spot: Spot = { machine, taken: new Set() };
    for (let i = 0; i < cards.count; i += 1) {
      const group = item.fractionGroups[i];
      const card = group === undefined ? this.#cardFor(cards, spot) : this.#cardOfGroup(cards, spot, group);
      if (card === -1) break;
      spot.taken.add(card);
      parts.push(this.#part(cards, card));
    }
    return parts;
  }

  /** The card of a fraction group: the one its first pod was given. */
  #cardOfGroup(cards: AskedCards, spot: Spot, group: string): number {
    const key = `${spot.machine} ${group}`;
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const card = this.#first(cards, spot, (candidate) => this.#isIdle(candidate));
    if (card !== -1) this.#groups.set(key, card);
    return card;
  }

  /** A slice goes to the lowest card that has room for it; anything else to the lowest idle card. */
  #cardFor(cards: AskedCards, spot: Spot): number {
    const roomy = cards.kind === 'whole' ? -1 : this.#first(cards, spot, (card) => this.#hasRoom(cards, card));
    return roomy === -1 ? this.#first(cards, spot, (card) => this.#isIdle(card)) : roomy;
  }

  /** The lowest usable card of the resource on the machine that a condition admits, or -1. */
  #first(cards: AskedCards, { machine, taken }: Spot, admits: (card: number) => boolean): number {
    const book = this.#book;
    const end = book.cardStart[machine + 1] as number;
    for (let card = book.cardStart[machine] as number; card < end; card += 1) {
      if (book.cardUsable[card] === 0 || taken.has(card)) continue;
      if (book.kinds[book.cardKind[card] as number]?.resource === cards.resource && admits(card)) return card;
    }
    return -1;
  }

  #isIdle(card: number): boolean {
    return this.#book.cardHolders[card] === 0;
  }

  #demand(cards: AskedCards, card: number): CardDemand {
    return demandOn(cards, this.#book.kinds[this.#book.cardKind[card] as number] as CardKind);
  }

  #hasRoom(cards: AskedCards, card: number): boolean {
    const book = this.#book;
    const demand = this.#demand(cards, card);
    if (demand.refusal !== 0 || (book.cardSharesFree[card] as number) < 1) return false;
    if (demand.migStarts.length > 0) return this.#migBits(demand, card) !== 0;
    const kind = book.kinds[book.cardKind[card] as number] as CardKind;
    const computeFree = yieldsCompute(cards, kind) ? book.cardSharedFreeMilli : book.cardComputeFreeMilli;
    return (
      (book.cardMemoryFreeMiB[card] as number) + memoryBeyondMiB(cards, kind) >= demand.memoryMiB &&
      (computeFree[card] as number) >= demand.computeMilli &&
      (book.cardCpusFree[card] as number) >= demand.cpus
    );
  }

  /** Cards that cannot be cut so are held whole, as the plug-in that only counts them does. */
  #part(cards: AskedCards, card: number): Part {
    const kind = this.#book.kinds[this.#book.cardKind[card] as number] as CardKind;
    const demand = this.#demand(cards, card);
    const size = demand.refusal === 0 ? demand : kind;
    const { memoryMiB, computeMilli } = size;
    return { card, memoryMiB, computeMilli, cpus: demand.cpus, migBits: this.#migBits(demand, card) };
  }

  /** The bits of the first free place for a MIG profile, 0 when there is none. */
  #migBits({ migStarts, migSize }: CardDemand, card: number): number {
    const bits = this.#book.cardBits[card] as number;
    const start = migStarts.find((at) => (bits & migMask(at, migSize)) === 0);
    return start === undefined ? 0 : migMask(start, migSize);
  }
}
