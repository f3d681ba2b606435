import type { Obstacle } from '../model/index.ts';
import { MODE, type Book, type RequestClass } from '../state/index.ts';
import { cardFits, cardHasRoom, tenantRefusal } from './fit.ts';
import { hasSlots, mostSlots } from './slots.ts';

/** What one card lacks for its part of a request: parts that are short, 0 where enough is free. */
interface CardLack {
  readonly memoryMiB: number;
  readonly computeMilli: number;
  /** Shares, AI CPUs, or a MIG place: nothing that an amount would describe. */
  readonly other: boolean;
}

/** The cards of a machine as one class sees them. */
export interface CardView {
  /** Cards that can take their part now, and those that only their holders' tenants keep from it. */
  readonly fitting: number;
  readonly roomy: number;
  /** Cards of an allowed kind, whatever they hold and however they are. */
  readonly allowed: number;
  /** Unhealthy cards that nobody holds. */
  readonly unhealthyIdle: number;
  /** The models of the allowed cards, in order of card. */
  readonly models: readonly string[];
}

/** O(cards of the machine). Cards held without a place (an overbooked machine) count against whole ones. */
export function cardView(book: Book, requestClass: RequestClass, machine: number): CardView {
  let fitting = 0;
  let roomy = 0;
  let allowed = 0;
  let unhealthyIdle = 0;
  const models = new Set<string>();
  const end = book.cardStart[machine + 1] as number;
  for (let card = book.cardStart[machine] as number; card < end; card += 1) {
    const kind = book.cardKind[card] as number;
    if (requestClass.kindRefusal[kind] !== 0 || requestClass.cardDenied?.[card] === 1) continue;
    allowed += 1;
    models.add(book.kinds[kind]?.model ?? '');
    if (cardFits(book, requestClass, card)) fitting += 1;
    if (cardHasRoom(book, requestClass, card)) roomy += 1;
    else if (book.cardUsable[card] === 0 && book.cardHolders[card] === 0) unhealthyIdle += 1;
  }
  if (hasSlots(requestClass))
    return slotView(book, requestClass, machine, { allowed, unhealthyIdle, models: [...models] });
  const most = requestClass.mode === MODE.whole ? Math.max(0, book.cardsFree[machine] as number) : allowed;
  return {
    fitting: Math.min(fitting, most),
    roomy: Math.min(roomy, most),
    allowed,
    unhealthyIdle,
    models: [...models],
  };
}

/** The same in places for parts: several may be on one card, or only those at one NUMA node count. */
function slotView(
  book: Book,
  requestClass: RequestClass,
  machine: number,
  view: Omit<CardView, 'fitting' | 'roomy'>,
): CardView {
  const start = book.cardStart[machine] as number;
  const cards = Array.from({ length: (book.cardStart[machine + 1] as number) - start }, (_, i) => start + i);
  const roomy = cards.filter((card) => cardHasRoom(book, requestClass, card));
  const fitting = roomy.filter((card) => cardFits(book, requestClass, card));
  const isStacked = requestClass.kindStacks !== null && view.allowed > 0;
  return {
    ...view,
    fitting: mostSlots(book, requestClass, fitting),
    roomy: mostSlots(book, requestClass, roomy),
    allowed: isStacked ? Math.max(view.allowed, requestClass.count) : view.allowed,
  };
}

/** What a machine's cards of the right kind lack for a class; empty when they take it. */
export function cardShortage(book: Book, requestClass: RequestClass, machine: number): Obstacle[] {
  const { mode, count } = requestClass;
  if (mode === MODE.none) return [];
  const found: Obstacle[] = [];
  const view = cardView(book, requestClass, machine);
  const missing = count - view.roomy;
  const isBesideOthers = missing <= 0 && view.fitting < count;
  if (isBesideOthers || tenantRefusal(book, requestClass, machine) !== 0) {
    found.push({ filter: 'tenant', resource: '', missing: 0, isBeyond: false });
  }
  if (missing <= 0) return found;
  if (count > view.allowed) {
    found.push({ filter: filterOf(mode), resource: 'cards', missing: count - view.allowed, isBeyond: true });
  } else if (mode === MODE.whole) {
    const resource = view.unhealthyIdle >= missing ? 'unhealthy' : 'cards';
    found.push({ filter: 'cards', resource, missing, isBeyond: false });
  } else {
    found.push(sliceShortage(book, requestClass, machine, missing));
  }
  return found;
}

function filterOf(mode: number): 'cards' | 'slice' {
  return mode === MODE.whole ? 'cards' : 'slice';
}

/** One card that lacks only memory or only compute is told by amount; anything else by the number of cards. */
function sliceShortage(book: Book, requestClass: RequestClass, machine: number, missing: number): Obstacle {
  const plain: Obstacle = { filter: 'slice', resource: 'slice', missing, isBeyond: false };
  if (missing !== 1 || requestClass.hasMig) return plain;
  let nearest: Obstacle | null = null;
  const end = book.cardStart[machine + 1] as number;
  for (let card = book.cardStart[machine] as number; card < end; card += 1) {
    const kind = book.cardKind[card] as number;
    if (requestClass.kindRefusal[kind] !== 0 || book.cardUsable[card] === 0) continue;
    if (requestClass.cardDenied?.[card] === 1 || isHeldFromAlone(book, requestClass, card)) continue;
    const told = amountOf(lackOf(book, requestClass, card));
    if (told === null) continue;
    if (nearest === null || isLess(told, nearest)) nearest = told;
  }
  return nearest ?? plain;
}

/** The card has other holders and would have to have none: no amount describes that. */
function isHeldFromAlone(book: Book, { kindAlone }: RequestClass, card: number): boolean {
  return kindAlone?.[book.cardKind[card] as number] === 1 && (book.cardHolders[card] as number) > 0;
}

/** Memory before compute: their amounts do not compare. */
function isLess(left: Obstacle, right: Obstacle): boolean {
  if (left.resource !== right.resource) return left.resource === 'sliceMiB';
  return left.missing < right.missing;
}

function amountOf({ memoryMiB, computeMilli, other }: CardLack): Obstacle | null {
  if (other || memoryMiB > 0 === computeMilli > 0) return null;
  const isMemory = memoryMiB > 0;
  return {
    filter: 'slice',
    resource: isMemory ? 'sliceMiB' : 'computeMilli',
    missing: isMemory ? memoryMiB : computeMilli,
    isBeyond: false,
  };
}

function lackOf(book: Book, requestClass: RequestClass, card: number): CardLack {
  const kind = book.cardKind[card] as number;
  const memoryMiB = (requestClass.kindMemoryRoom[kind] as number) - (book.cardMemoryFreeMiB[card] as number);
  const guaranteed = (requestClass.kindComputeRoom[kind] as number) - (book.cardComputeFreeMilli[card] as number);
  const sharedMilli = requestClass.kindShared?.[kind] ?? 0;
  const shared = sharedMilli > 0 ? sharedMilli - (book.cardSharedFreeMilli[card] as number) : 0;
  const computeMilli = Math.max(guaranteed, shared);
  const { kindCpus } = requestClass;
  const isOutOfCpus = kindCpus !== null && (book.cardCpusFree[card] as number) < (kindCpus[kind] as number);
  const other = isOutOfCpus || (book.cardSharesFree[card] as number) < 1;
  return { memoryMiB: Math.max(0, memoryMiB), computeMilli: Math.max(0, computeMilli), other };
}
