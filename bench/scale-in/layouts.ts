import { mulberry32, type Random } from '@springtide/core/base';

export const CARDS_PER_MACHINE = 8;
export const CARD_MEMORY_MIB = 49_152;

/** A part of one card, or whole cards of a machine. */
export interface Place {
  readonly machine: number;
  /** Of a slice: which card; of whole cards: the first of them. */
  readonly card: number;
}

/** A busy cluster with one Deployment that shrinks: pods came and went, and stand where there was room. */
export interface Layout {
  readonly seed: number;
  readonly machines: number;
  /** Cards of each replica, or 1 / parts of a card. */
  readonly asks: { readonly cards: number; readonly parts: number };
  readonly replicas: readonly Place[];
  /** Cards, or parts of cards, of others. */
  readonly others: readonly Place[];
  readonly to: number;
}

/** Whole cards, where any choice frees as many cards, and parts of cards, as most services have. */
const ASKS = [
  { cards: 1, parts: 1 },
  { cards: 2, parts: 1 },
  { cards: 1, parts: 2 },
  { cards: 1, parts: 4 },
  { cards: 1, parts: 4 },
  { cards: 1, parts: 8 },
] as const;

const REPLICAS_MAX = 80;

/** The same seed gives the same layout. */
export function layoutOf(seed: number): Layout {
  const random = mulberry32(seed);
  const machines = 3 + random.below(3);
  const asks = ASKS[seed % ASKS.length] as Layout['asks'];
  const free = slotsOf(machines, asks);
  const slots = free.length;
  const others = take(free, Math.floor(slots * (0.1 + 0.2 * random.unit())), random);
  const replicas = take(free, Math.min(REPLICAS_MAX, Math.floor(slots * (0.5 + 0.2 * random.unit()))), random);
  const to = Math.max(1, Math.floor(replicas.length * (0.4 + 0.4 * random.unit())));
  return { seed, machines, asks, replicas, others, to };
}

/** Everywhere a replica could be. */
function slotsOf(machines: number, { cards, parts }: Layout['asks']): Place[] {
  const slots: Place[] = [];
  for (let machine = 0; machine < machines; machine += 1)
    for (let card = 0; card < CARDS_PER_MACHINE; card += cards)
      for (let part = 0; part < parts; part += 1) slots.push({ machine, card });
  return slots;
}

function take(free: Place[], count: number, random: Random): Place[] {
  return Array.from({ length: count }, () => free.splice(random.below(free.length), 1)[0] as Place);
}
