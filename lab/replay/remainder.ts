import { compareText } from '@springtide/core/base';
import type { Book } from '@springtide/core/state';

/** Where the capacity of one card model is, in thousandths of a card. All parts but the first add up to it. */
export interface Remainder {
  readonly model: string;
  readonly capacityMilli: number;
  readonly allocatedMilli: number;
  /** Left over on cards that somebody holds a part of. */
  readonly scrapsMilli: number;
  /** Free cards that the machine has no CPU left for. */
  readonly cpuShortMilli: number;
  /** Free cards with CPU, on machines in use. */
  readonly scatteredMilli: number;
  /** Free cards with CPU, on machines where no card is held. */
  readonly idleMachinesMilli: number;
}

type Parts = { -readonly [K in keyof Remainder]: Remainder[K] };

/**
 * Where the capacity of the fleet is, by card model. `cpuOfCardMilli` is what a pod with one whole card usually
 * asks for: a free card that cannot have it counts as short of CPU. O(cards).
 */
export function remainderOf(book: Book, cpuOfCardMilli: number): Remainder[] {
  const byModel = new Map<string, Parts>();
  for (let machine = 0; machine < book.machines.length; machine += 1)
    addMachine(book, machine, cpuOfCardMilli, byModel);
  return [...byModel.values()].toSorted((left, right) => compareText(left.model, right.model));
}

function addMachine(book: Book, machine: number, cpuOfCardMilli: number, byModel: Map<string, Parts>): void {
  const cpuFree = Math.max(0, book.cpuFreeMilli[machine] as number);
  let fed = cpuOfCardMilli === 0 ? Infinity : Math.floor(cpuFree / cpuOfCardMilli);
  const isIdle = book.cardsIdle(machine);
  const end = book.cardStart[machine + 1] as number;
  for (let card = book.cardStart[machine] as number; card < end; card += 1) {
    const parts = partsOf(book, card, byModel);
    parts.capacityMilli += 1000;
    if ((book.cardHolders[card] as number) > 0) {
      const held = heldMilli(book, card);
      parts.allocatedMilli += held;
      parts.scrapsMilli += 1000 - held;
    } else if (fed < 1) parts.cpuShortMilli += 1000;
    else {
      fed -= 1;
      if (isIdle) parts.idleMachinesMilli += 1000;
      else parts.scatteredMilli += 1000;
    }
  }
}

function partsOf(book: Book, card: number, byModel: Map<string, Parts>): Parts {
  const model = book.kinds[book.cardKind[card] as number]?.model ?? '';
  let parts = byModel.get(model);
  if (parts === undefined) {
    parts = {
      model,
      capacityMilli: 0,
      allocatedMilli: 0,
      scrapsMilli: 0,
      cpuShortMilli: 0,
      scatteredMilli: 0,
      idleMachinesMilli: 0,
    };
    byModel.set(model, parts);
  }
  return parts;
}

/** The part of a card that is held: of its memory or of its compute, whichever is more. */
export function heldMilli(book: Book, card: number): number {
  const kind = book.kinds[book.cardKind[card] as number];
  if (kind === undefined) return 0;
  const compute = 1000 - (1000 * (book.cardComputeFreeMilli[card] as number)) / kind.computeMilli;
  if (kind.memoryMiB === 0) return compute;
  return Math.max(compute, 1000 - (1000 * (book.cardMemoryFreeMiB[card] as number)) / kind.memoryMiB);
}
