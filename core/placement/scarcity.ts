import { type Book, type CardKind, MODE, type RequestClass } from '../state/index.ts';
import { cardsAsked } from './demand.ts';
import type { MixEntry } from './mix.ts';

/** Whole cards are restricted when only machines with at most this part of the fleet's cards could ever hold them. */
const RESTRICTED_MAX = 0.5;

/** Whether a machine could hold a class if it were empty. */
function couldHold(book: Book, requestClass: RequestClass, machine: number): boolean {
  const { cpuMilli, memoryBytes, count, request, kindRefusal } = requestClass;
  const { cpuMilli: cpu, memoryBytes: memory, resources } = book.machines[machine] as Book['machines'][number];
  if (cpuMilli > cpu || memoryBytes > memory) return false;
  for (const [name, amount] of request.resources) if (amount > (resources.get(name) ?? 0)) return false;
  let cards = 0;
  const end = book.cardStart[machine + 1] as number;
  for (let card = book.cardStart[machine] as number; card < end && cards < count; card += 1) {
    const index = book.cardKind[card] as number;
    if (book.cardUsable[card] === 0 || kindRefusal[index] !== 0) continue;
    const kind = book.kinds[index] as CardKind;
    const isEnough = (requestClass.kindMemory[index] as number) <= kind.memoryMiB;
    if (isEnough && (requestClass.kindCompute[index] as number) <= kind.computeMilli) cards += 1;
  }
  return cards >= count;
}

function countByGroup(book: Book): Float64Array {
  const cards = new Float64Array(book.groupFirst.length);
  book.groupOf.forEach((group, machine) => {
    cards[group]! += (book.cardStart[machine + 1] as number) - (book.cardStart[machine] as number);
  });
  return cards;
}

/** What scarcity costs, in cards for each card asked, by what restricts the others. */
export interface ScarcityPrices {
  /** Models named, labels and taints, and machines with room for whole cards. */
  readonly scarcityPrice: number;
  /** Cards too small for a slice. */
  readonly slicePrice: number;
}

interface OpenGroups {
  readonly groups: readonly number[];
  readonly cards: number;
}

/**
 * For each group of machines the price of a card there: the demand of restricted classes that could run on it, a card of
 * the machines open to them, times the price. That demand is 1 when a class by itself could fill every machine it
 * may use, were the fleet just full. Classes are restricted by the models they name, by labels and taints, and by
 * size: few machines have the CPU for eight hungry cards. Requests that could go elsewhere should.
 * Requests that name machines
 * are left out. O(classes x groups). Source: ours; the price on named models alone is in shared/design/packing.md 3.
 */
export class Scarcity {
  readonly #book: Book;
  readonly #options: ScarcityPrices;
  readonly #cardsOfKind: Float64Array;
  readonly #cardsOfGroup: Float64Array;
  /** It depends on the fleet alone. */
  readonly #open = new Map<RequestClass, OpenGroups>();

  constructor(book: Book, options: ScarcityPrices, cardsOfKind: Float64Array) {
    this.#book = book;
    this.#options = options;
    this.#cardsOfKind = cardsOfKind;
    this.#cardsOfGroup = countByGroup(book);
  }

  pricesFor(mix: readonly MixEntry[]): Float64Array {
    const total = this.#cardsOfKind.reduce((sum, count) => sum + count, 0);
    const asked = mix.map(({ requestClass, share }) => share * cardsAsked(this.#book, requestClass, this.#cardsOfKind));
    const all = asked.reduce((sum, part) => sum + part, 0);
    const price = new Float64Array(this.#cardsOfGroup.length);
    mix.forEach(({ requestClass }, i) => {
      if (asked[i] === 0 || requestClass.isPinned) return;
      const { groups, cards } = this.#openTo(requestClass);
      const { cards: request } = requestClass.request;
      const isSlice = requestClass.mode === MODE.slice;
      const namesModels = request.kind !== 'none' && request.models !== null;
      const isFree = cards === 0 || cards === total || (!isSlice && cards > RESTRICTED_MAX * total);
      if (isFree && !(namesModels && cards > 0)) return;
      const demand = (total * (asked[i] as number)) / all / cards;
      const own = isSlice && !namesModels ? this.#options.slicePrice : this.#options.scarcityPrice;
      for (const group of groups) price[group]! += own * demand;
    });
    return price;
  }

  /** The groups of machines that could hold a class, and how many cards they have. */
  #openTo(requestClass: RequestClass): OpenGroups {
    let open = this.#open.get(requestClass);
    if (open !== undefined) return open;
    const groups: number[] = [];
    let cards = 0;
    const { groupFirst } = this.#book;
    for (let group = 0; group < groupFirst.length; group += 1) {
      const machine = groupFirst[group] as number;
      if (requestClass.staticRefusal[machine] !== 0 || !couldHold(this.#book, requestClass, machine)) continue;
      groups.push(group);
      cards += this.#cardsOfGroup[group] as number;
    }
    open = { groups, cards };
    this.#open.set(requestClass, open);
    return open;
  }
}
