import type { ScoreTerm } from '../model/index.ts';
import { MODE, migStartOn, migMask, NOT_FIT, type Book, type RequestClass } from '../state/index.ts';
import { CardScratch, chooseWhole } from './cards.ts';
import { cardFits, tenantRefusal } from './fit.ts';
import { RequestMix, type MixEntry } from './mix.ts';
import type { Policy } from './policy.ts';
import { cardValue, type CardValue } from './value.ts';

/** The constants of `tide`. They were searched on other seeds than the ones figures are quoted on. */
export interface TideOptions {
  /** What declining a pod costs a card in the value table: nearer 1 waits longer for a perfect fit. */
  readonly patience: number;
  /** Weight of card capacity that the machine's CPU cannot feed. */
  readonly deficitWeight: number;
  /** The share of the mix's mean CPU a card that a machine must keep for its free cards. */
  readonly cpuShare: number;
  /** Price of a card of a model that other requests insist on. */
  readonly scarcityPrice: number;
  /** Growth is rounded to this many thousandths of a card, so that near equals tie and fill up in rank order. */
  readonly quantumMilli: number;
}

export const TIDE_DEFAULTS: TideOptions = {
  patience: 0.985,
  deficitWeight: 2.6,
  cpuShare: 0.95,
  scarcityPrice: 1.2,
  quantumMilli: 3,
};

/** Scores are growth times this, plus the order of preferred models below it. */
const PREFERENCE_STEPS = 8;

/**
 * `tide`: a pod goes where a potential grows least.
 *
 *     phi(machine) = sum over cards of wasted(card) + D max(0, filled(machine) - cpuFree / (share x kappa))
 *     plus, a placement, price x scarcity(model) x cards asked
 *
 * `wasted` and `filled` come from value tables over the live mix (value.ts); kappa is the mix's CPU a card.
 * Growth is rounded and ties go to the first in rank order, which fills machines one after the other.
 * Source: ours; it extends "waste + deficit" (shared/design/packing.md 3) to cards cut by memory and compute.
 */
export class Tide implements Policy {
  readonly name = 'tide';
  readonly randomTies: boolean;
  readonly #book: Book;
  readonly #options: TideOptions;
  readonly #mix = new RequestMix();
  readonly #scratch = new CardScratch();
  readonly #filledOn: Float64Array;
  readonly #filledAt: Float64Array;
  #values: readonly CardValue[] = [];
  #price: Float64Array;
  #cpuOfCardMilli = 0;
  #epoch = 0;
  /** Growth of the chosen card, and the card: results of the last `#bestSlice`. */
  #bestGrowth = 0;
  #bestFill = 0;

  constructor(book: Book, options: TideOptions = TIDE_DEFAULTS, randomTies = false) {
    this.#book = book;
    this.#options = options;
    this.randomTies = randomTies;
    this.#filledOn = new Float64Array(book.machines.length);
    this.#filledAt = new Float64Array(book.machines.length).fill(-2);
    this.#price = new Float64Array(book.kinds.length);
    this.#learn([]);
  }

  epoch = (): number => this.#epoch;

  observe = (requestClass: RequestClass): void => {
    if (this.#mix.observe(requestClass)) this.#learn(this.#mix.estimate());
  };

  /** Takes a mix as given, for instance from a snapshot of an earlier run. */
  learn(mix: readonly MixEntry[]): void {
    this.#learn(mix);
  }

  #learn(mix: readonly MixEntry[]): void {
    const { patience, scarcityPrice } = this.#options;
    this.#values = this.#book.kinds.map((kind) => cardValue(mix, kind, patience));
    this.#cpuOfCardMilli = cpuOfCard(this.#book, mix) * this.#options.cpuShare;
    this.#price = scarcity(this.#book, mix).map((part) => part * scarcityPrice);
    this.#filledAt.fill(-2);
    this.#epoch += 1;
  }

  score = (requestClass: RequestClass, machine: number): number => {
    const growth = this.#growth(requestClass, machine);
    if (growth === Infinity) return NOT_FIT;
    const steps = Math.round(growth / this.#options.quantumMilli);
    return -(steps * PREFERENCE_STEPS) - this.#preference(requestClass, machine);
  };

  /** By how much the potential grows if the class is placed here, in thousandths of a card; Infinity when it does not fit. */
  #growth(requestClass: RequestClass, machine: number): number {
    const cpuAfter = (this.#book.cpuFreeMilli[machine] as number) - requestClass.cpuMilli;
    const filled = this.#filled(machine);
    const before = this.#deficit(filled, this.#book.cpuFreeMilli[machine] as number);
    if (requestClass.mode === MODE.none) return this.#deficit(filled, cpuAfter) - before;
    if (tenantRefusal(this.#book, requestClass, machine) !== 0) return Infinity;
    const found =
      requestClass.mode === MODE.whole
        ? this.#wholeGrowth(requestClass, machine)
        : this.#sliceGrowth(requestClass, machine, before, cpuAfter);
    if (!found) return Infinity;
    if (requestClass.mode === MODE.whole)
      return this.#bestGrowth + this.#deficit(filled + this.#bestFill, cpuAfter) - before;
    return this.#bestGrowth;
  }

  /** Whole cards: all free cards of a kind are worth the same, so only their number matters. */
  #wholeGrowth(requestClass: RequestClass, machine: number): boolean {
    const book = this.#book;
    const { count } = requestClass;
    if ((book.cardsFree[machine] as number) < count) return false;
    let found = 0;
    let growth = 0;
    let fill = 0;
    const end = book.cardStart[machine + 1] as number;
    for (let card = book.cardStart[machine] as number; card < end && found < count; card += 1) {
      if (book.cardHolders[card] !== 0 || !cardFits(book, requestClass, card)) continue;
      const kind = book.cardKind[card] as number;
      const { wasted, filled } = this.#values[kind] as CardValue;
      const state = this.#state(card);
      growth += (wasted[0] as number) - (wasted[state] as number) + (this.#price[kind] as number) * 1000;
      fill += (filled[0] as number) - (filled[state] as number);
      found += 1;
    }
    this.#bestGrowth = growth;
    this.#bestFill = fill;
    return found === count;
  }

  #state(card: number): number {
    const book = this.#book;
    const value = this.#values[book.cardKind[card] as number] as CardValue;
    return value.stateOf(
      book.cardMemoryFreeMiB[card] as number,
      book.cardComputeFreeMilli[card] as number,
      book.cardBits[card] as number,
    );
  }

  /** The state of a card after it has taken its part of the request. */
  #stateAfter(requestClass: RequestClass, card: number): number {
    const book = this.#book;
    const kind = book.cardKind[card] as number;
    const value = this.#values[kind] as CardValue;
    const bits = requestClass.mode === MODE.mig ? migBitsAfter(book, requestClass, card) : 0;
    return value.stateOf(
      (book.cardMemoryFreeMiB[card] as number) - (requestClass.kindMemory[kind] as number),
      (book.cardComputeFreeMilli[card] as number) - (requestClass.kindCompute[kind] as number),
      bits,
    );
  }

  /** Slices: the cards whose potential grows least, each judged with the CPU term. */
  #sliceGrowth(requestClass: RequestClass, machine: number, before: number, cpuAfter: number): boolean {
    if (requestClass.count > 1) {
      const cards = this.chooseCards(requestClass, machine);
      if (cards.length < requestClass.count) return false;
      this.#bestGrowth = this.#growthOn(requestClass, machine, cards) + 0;
      return true;
    }
    const book = this.#book;
    const filledOn = this.#filled(machine);
    let best = Infinity;
    let lastState = -1;
    const end = book.cardStart[machine + 1] as number;
    for (let card = book.cardStart[machine] as number; card < end; card += 1) {
      if (!cardFits(book, requestClass, card)) continue;
      const state = this.#state(card);
      if (state === lastState) continue;
      lastState = state;
      const kind = book.cardKind[card] as number;
      const { wasted, filled } = this.#values[kind] as CardValue;
      const after = this.#stateAfter(requestClass, card);
      const fill = filledOn + (filled[after] as number) - (filled[state] as number);
      const asked = (this.#price[kind] as number) * this.#asked(requestClass, kind);
      const growth =
        (wasted[after] as number) - (wasted[state] as number) + asked + this.#deficit(fill, cpuAfter) - before;
      if (growth < best) best = growth;
    }
    this.#bestGrowth = best;
    return best !== Infinity;
  }

  /** Thousandths of a card asked for: the larger of its memory and compute parts. */
  #asked(requestClass: RequestClass, kind: number): number {
    const { memoryMiB } = this.#book.kinds[kind] as Book['kinds'][number];
    const memory = memoryMiB > 0 ? (1000 * (requestClass.kindMemory[kind] as number)) / memoryMiB : 0;
    return Math.max(memory, requestClass.kindCompute[kind] as number);
  }

  #growthOn(requestClass: RequestClass, machine: number, cards: readonly number[]): number {
    const book = this.#book;
    let growth = 0;
    let fill = this.#filled(machine);
    const before = this.#deficit(fill, book.cpuFreeMilli[machine] as number);
    for (const card of cards) {
      const kind = book.cardKind[card] as number;
      const { wasted, filled } = this.#values[kind] as CardValue;
      const state = this.#state(card);
      const after = requestClass.mode === MODE.whole ? 0 : this.#stateAfter(requestClass, card);
      growth +=
        (wasted[after] as number) -
        (wasted[state] as number) +
        (this.#price[kind] as number) * this.#asked(requestClass, kind);
      fill += (filled[after] as number) - (filled[state] as number);
    }
    return growth + this.#deficit(fill, (book.cpuFreeMilli[machine] as number) - requestClass.cpuMilli) - before;
  }

  /** Expected fill of a machine's free cards; kept until the machine is touched. */
  #filled(machine: number): number {
    const book = this.#book;
    const touch = book.touched.lastTouchOf(machine);
    if (this.#filledAt[machine] === touch) return this.#filledOn[machine] as number;
    let filled = 0;
    const end = book.cardStart[machine + 1] as number;
    for (let card = book.cardStart[machine] as number; card < end; card += 1) {
      if (book.cardUsable[card] === 0) continue;
      filled += (this.#values[book.cardKind[card] as number] as CardValue).filled[this.#state(card)] as number;
    }
    this.#filledAt[machine] = touch;
    this.#filledOn[machine] = filled;
    return filled;
  }

  /** Card capacity that the CPU left cannot feed, weighted. */
  #deficit(filled: number, cpuFreeMilli: number): number {
    if (this.#cpuOfCardMilli === 0) return 0;
    const fed = (1000 * cpuFreeMilli) / this.#cpuOfCardMilli;
    return fed >= filled ? 0 : this.#options.deficitWeight * (filled - fed);
  }

  #preference(requestClass: RequestClass, machine: number): number {
    const card = this.#book.cardStart[machine] as number;
    if (requestClass.count === 0 || card === this.#book.cardStart[machine + 1]) return 0;
    return Math.min(PREFERENCE_STEPS - 1, requestClass.kindPreference[this.#book.cardKind[card] as number] as number);
  }

  chooseCards = (requestClass: RequestClass, machine: number): number[] => {
    const { mode, count } = requestClass;
    if (mode === MODE.none) return [];
    const book = this.#book;
    const fitting = Array.from(this.#scratch.cards.subarray(0, this.#scratch.fitting(book, requestClass, machine)));
    if (mode === MODE.whole) return chooseWhole(book, fitting, count);
    const growth = new Map(fitting.map((card) => [card, this.#growthOn(requestClass, machine, [card])]));
    return fitting
      .toSorted((left, right) => (growth.get(left) as number) - (growth.get(right) as number) || left - right)
      .slice(0, count);
  };

  terms = (requestClass: RequestClass, machine: number): readonly ScoreTerm[] => {
    const cards = this.chooseCards(requestClass, machine);
    const total = this.#growthOn(requestClass, machine, cards);
    let wasted = 0;
    let price = 0;
    for (const card of cards) {
      const kind = this.#book.cardKind[card] as number;
      const table = this.#values[kind] as CardValue;
      const after = requestClass.mode === MODE.whole ? 0 : this.#stateAfter(requestClass, card);
      wasted += (table.wasted[after] as number) - (table.wasted[this.#state(card)] as number);
      price += (this.#price[kind] as number) * this.#asked(requestClass, kind);
    }
    return [
      { name: 'waste', value: wasted },
      { name: 'cpu-deficit', value: total - wasted - price },
      { name: 'scarcity', value: price },
    ];
  };
}

function migBitsAfter(book: Book, requestClass: RequestClass, card: number): number {
  const size = requestClass.demands[book.cardKind[card] as number]?.migSize ?? 0;
  return (book.cardBits[card] as number) | migMask(migStartOn(book, requestClass, card), size);
}

/** Thousandths of a card a class asks for, as a mean over the kinds it may use, weighted by their number. */
function cardsAsked(book: Book, requestClass: RequestClass, cardsOfKind: Float64Array): number {
  let cards = 0;
  let asked = 0;
  for (const kind of book.kinds) {
    if (requestClass.kindRefusal[kind.index] !== 0) continue;
    const weight = cardsOfKind[kind.index] as number;
    const memory = kind.memoryMiB > 0 ? (1000 * (requestClass.kindMemory[kind.index] as number)) / kind.memoryMiB : 0;
    cards += weight;
    asked += weight * Math.max(memory, requestClass.kindCompute[kind.index] as number);
  }
  return cards === 0 ? 0 : (requestClass.count * asked) / cards;
}

function countCards(book: Book): Float64Array {
  const counts = new Float64Array(book.kinds.length);
  for (let card = 0; card < book.cardKind.length; card += 1)
    if (book.cardUsable[card] === 1) counts[book.cardKind[card] as number]! += 1;
  return counts;
}

/** Kappa: thousandths of a core the mix asks for with each whole card's worth of cards. */
function cpuOfCard(book: Book, mix: readonly MixEntry[]): number {
  const counts = countCards(book);
  let cpu = 0;
  let cards = 0;
  for (const { requestClass, share } of mix) {
    if (requestClass.count > 0) cpu += share * requestClass.cpuMilli;
    cards += (share * cardsAsked(book, requestClass, counts)) / 1000;
  }
  return cards === 0 ? 0 : cpu / cards;
}

/**
 * For each kind, the demand of requests that name their models, per card of the kind, as a part of what the
 * whole mix would ask of a card if it were spread evenly.
 */
function scarcity(book: Book, mix: readonly MixEntry[]): Float64Array {
  const counts = countCards(book);
  const restricted = new Float64Array(book.kinds.length);
  let total = 0;
  for (const { requestClass, share } of mix) {
    const asked = share * cardsAsked(book, requestClass, counts);
    total += asked;
    const { cards } = requestClass.request;
    if (cards.kind === 'none' || cards.models === null) continue;
    let allowed = 0;
    for (const kind of book.kinds)
      if (requestClass.kindRefusal[kind.index] === 0) allowed += counts[kind.index] as number;
    for (const kind of book.kinds) {
      if (requestClass.kindRefusal[kind.index] === 0)
        restricted[kind.index]! += (asked * (counts[kind.index] as number)) / allowed;
    }
  }
  const cards = counts.reduce((sum, count) => sum + count, 0);
  return restricted.map((part, kind) =>
    total === 0 || counts[kind] === 0 ? 0 : (part / total) * (cards / (counts[kind] as number)),
  );
}
