import { FILTER_CODE } from '../model/index.ts';
import { MODE, NOBODY, migStartOn, type Book, type RequestClass } from '../state/index.ts';
import { hasSlots, mostSlots, takesInstance } from './slots.ts';

const { reserved, pods, cpu, memory, resource, cards, slice, tenant } = FILTER_CODE;

/**
 * The first filter by which a machine refuses a class, leaving cards and host memory aside; 0 when none does.
 * Everything here depends on this machine alone, so the answer can be kept until the machine is touched (PL-1).
 * A resource that is not asked for is not compared, even where it is overdrawn, as in Kubernetes.
 */
export function machineRefusal(book: Book, requestClass: RequestClass, machine: number): number {
  const fixed = requestClass.staticRefusal[machine] as number;
  if (fixed !== 0) return fixed;
  if (book.reservedBy[machine] !== NOBODY) return reserved;
  return capacityRefusal(book, requestClass, machine);
}

/** `machineRefusal` without labels, taints and reservations: pods, CPU, other resources. */
export function capacityRefusal(book: Book, requestClass: RequestClass, machine: number): number {
  if ((book.podsFree[machine] as number) < 1) return pods;
  const { cpuMilli, resourceColumns } = requestClass;
  if (cpuMilli > 0 && (book.cpuFreeMilli[machine] as number) < cpuMilli) return cpu;
  return resourceColumns.length > 0 && lacksResource(book, requestClass, machine) ? resource : 0;
}

function lacksResource(book: Book, { resourceColumns, resourceAmounts }: RequestClass, machine: number): boolean {
  for (let i = 0; i < resourceColumns.length; i += 1) {
    const free = book.columnFree(resourceColumns[i] as number)[machine] as number;
    if (free < (resourceAmounts[i] as number)) return true;
  }
  return false;
}

/** Tenancy of the whole machine: its isolated holders keep others off, and an isolated pod wants no others. */
export function tenantRefusal(book: Book, requestClass: RequestClass, machine: number): number {
  const held = book.machineTenant[machine] as number;
  if (requestClass.mode === MODE.none || held === NOBODY || held === requestClass.tenant) return 0;
  if ((book.machineIsolated[machine] as number) > 0) return tenant;
  return requestClass.isolation === 2 ? tenant : 0;
}

/** Whether a card may be shared with its holders' tenants. */
export function tenantAdmits(book: Book, requestClass: RequestClass, card: number): boolean {
  const held = book.cardTenant[card] as number;
  if (held === NOBODY || held === requestClass.tenant) return true;
  return (book.cardIsolated[card] as number) === 0 && requestClass.isolation === 0;
}

/** Whether one card has the room, whoever its holders are: kind, health, memory, compute, shares, slices. */
export function cardHasRoom(book: Book, requestClass: RequestClass, card: number): boolean {
  const kind = book.cardKind[card] as number;
  if (requestClass.kindRefusal[kind] !== 0 || book.cardUsable[card] === 0) return false;
  const { cardDenied } = requestClass;
  if (cardDenied !== null && cardDenied[card] !== 0) return false;
  if (requestClass.mode === MODE.whole) return book.cardHolders[card] === 0;
  if ((book.cardSharesFree[card] as number) < 1) return false;
  if (requestClass.hasMig && takesInstance(requestClass, kind)) {
    return isAloneWhereAsked(book, requestClass, card) && migStartOn(book, requestClass, card) !== -1;
  }
  return sliceHasRoom(book, requestClass, card);
}

/** `cardHasRoom` for a slice that is no MIG instance, on a usable card of a kind allowed that has a share left. */
export function sliceHasRoom(book: Book, requestClass: RequestClass, card: number): boolean {
  const kind = book.cardKind[card] as number;
  if ((book.cardMemoryFreeMiB[card] as number) < (requestClass.kindMemoryRoom[kind] as number)) return false;
  if ((book.cardComputeFreeMilli[card] as number) < (requestClass.kindComputeRoom[kind] as number)) return false;
  const { kindAlone, kindCpus, kindShared } = requestClass;
  if (kindAlone !== null && !isAloneWhereAsked(book, requestClass, card)) return false;
  if (kindShared !== null && !hasSharedCompute(book, requestClass, card)) return false;
  return kindCpus === null || (book.cardCpusFree[card] as number) >= (kindCpus[kind] as number);
}

/** A class that wants a card for itself finds no holder on it. */
function isAloneWhereAsked(book: Book, { kindAlone }: RequestClass, card: number): boolean {
  return kindAlone === null || kindAlone[book.cardKind[card] as number] === 0 || book.cardHolders[card] === 0;
}

/** Compute that yields is within what shared pods may be promised together. */
function hasSharedCompute(book: Book, { kindShared }: RequestClass, card: number): boolean {
  const asked = kindShared?.[book.cardKind[card] as number] ?? -1;
  return asked <= 0 || asked <= (book.cardSharedFreeMilli[card] as number);
}

/** Whether one card can take its part of the request now. */
export function cardFits(book: Book, requestClass: RequestClass, card: number): boolean {
  return cardHasRoom(book, requestClass, card) && tenantAdmits(book, requestClass, card);
}

/** Whether a card that fits has too little memory of its own left for its part: it is promised beyond its size. */
export function goesBeyond(book: Book, requestClass: RequestClass, card: number): boolean {
  const kind = book.cardKind[card] as number;
  const asked = requestClass.kindMemory[kind] as number;
  return asked > (requestClass.kindMemoryRoom[kind] as number) && asked > (book.cardMemoryFreeMiB[card] as number);
}

/** Writes the machine's cards that fit to `out`, in card order; returns how many. */
export function fittingCards(book: Book, requestClass: RequestClass, machine: number, out: Int32Array): number {
  let found = 0;
  const end = book.cardStart[machine + 1] as number;
  for (let card = book.cardStart[machine] as number; card < end; card += 1) {
    if (cardFits(book, requestClass, card)) out[found++] = card;
  }
  return found;
}

/**
 * The filter by which a machine's cards refuse the class, or 0: too few cards, too small slices, or room enough
 * but beside other tenants. Whole cards honour cards held without a place.
 */
export function cardsRefusal(book: Book, requestClass: RequestClass, machine: number): number {
  const { mode, count } = requestClass;
  if (mode === MODE.none) return 0;
  if (mode === MODE.whole && (book.cardsFree[machine] as number) < count) return cards;
  if (hasSlots(requestClass)) return slotsRefusal(book, requestClass, machine);
  let roomy = 0;
  let fitting = 0;
  const end = book.cardStart[machine + 1] as number;
  for (let card = book.cardStart[machine] as number; card < end && fitting < count; card += 1) {
    if (!cardHasRoom(book, requestClass, card)) continue;
    roomy += 1;
    if (tenantAdmits(book, requestClass, card)) fitting += 1;
  }
  if (roomy < count) return mode === MODE.whole ? cards : slice;
  return fitting < count ? tenant : tenantRefusal(book, requestClass, machine);
}

/** The same where several parts may lie on one card, or all have to be at one NUMA node. */
function slotsRefusal(book: Book, requestClass: RequestClass, machine: number): number {
  const { mode, count } = requestClass;
  const start = book.cardStart[machine] as number;
  const all = Array.from({ length: (book.cardStart[machine + 1] as number) - start }, (_, i) => start + i);
  const roomy = all.filter((card) => cardHasRoom(book, requestClass, card));
  if (mostSlots(book, requestClass, roomy) < count) return mode === MODE.whole ? cards : slice;
  const fitting = roomy.filter((card) => tenantAdmits(book, requestClass, card));
  if (mostSlots(book, requestClass, fitting) < count) return tenant;
  return tenantRefusal(book, requestClass, machine);
}

/** The same for a machine whose cards are known to refuse: at once, unless tenants other than the pod's are there. */
export function knownCardsRefusal(book: Book, requestClass: RequestClass, machine: number): number {
  const held = book.machineTenant[machine] as number;
  if (held !== NOBODY && held !== requestClass.tenant) return cardsRefusal(book, requestClass, machine);
  return requestClass.mode === MODE.whole ? cards : slice;
}

/**
 * Whether the machine lacks host memory. It is asked last and not kept with the scores: requests differ in memory
 * more than in anything else, and so those that differ in nothing else can share their scores.
 */
export function memoryRefusal(book: Book, { memoryBytes }: RequestClass, machine: number): number {
  return memoryBytes > 0 && (book.memoryFreeBytes[machine] as number) < memoryBytes ? memory : 0;
}

/** The first filter that refuses the class on this machine, or 0, other pods aside. */
export function refusalOf(book: Book, requestClass: RequestClass, machine: number): number {
  return (
    machineRefusal(book, requestClass, machine) ||
    cardsRefusal(book, requestClass, machine) ||
    memoryRefusal(book, requestClass, machine)
  );
}
