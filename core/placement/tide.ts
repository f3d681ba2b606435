import type { ScoreTerm } from '../model/index.ts';
import {
  type Book,
  migMask,
  migStartOn,
  MODE,
  NOT_FIT,
  PREFERENCE_GRADES,
  type RequestClass,
  SCORE_MAX,
  SCORE_MIN,
} from '../state/index.ts';
import { areAlike, CardScratch, chooseWhole, slottedCards } from './cards.ts';
import { askedOn, countCards, cpuOfCard } from './demand.ts';
import { cardFits, goesBeyond, sliceHasRoom, tenantAdmits, tenantRefusal } from './fit.ts';
import { type LearnedMix, type MixEntry, RequestMix } from './mix.ts';
import type { Policy } from './policy.ts';
import { hasSlots, takesInstance } from './slots.ts';
import { Scarcity, type ScarcityPrices } from './scarcity.ts';
import { type CardValue, cardValues, type Patience, stateOf, stepOf } from './value.ts';

/** The constants of `tide`. They were searched on other seeds than the ones figures are quoted on. */
export interface TideOptions extends Patience, ScarcityPrices {
  /** Weight of card capacity that the machine's CPU cannot feed. */
  readonly deficitWeight: number;
  /** The share of the mix's mean CPU a card that a machine must keep for its free cards. */
  readonly cpuShare: number;
  /** Growth is rounded to this many thousandths of a card, so that near equals tie and fill up in rank order. */
  readonly quantumMilli: number;
}

export const TIDE_DEFAULTS: TideOptions = {
  patience: 0.985,
  slicePatience: 0.95,
  deficitWeight: 1,
  cpuShare: 0.95,
  scarcityPrice: 0.9,
  slicePrice: 0.3,
  quantumMilli: 3,
};

/** Numbers in a machine's row. */
const ROW = 5;
/** A row that is true at no touch. */
const NEVER = -2;
const MIG_TAKEN = 255;
/** Growth where a card is promised beyond its memory: more than any card that has it would cost. */
const BEYOND = 2000;

/** Points in a step of growth where something smaller counts below it. */
const MINOR_STEPS = PREFERENCE_GRADES;

/**
 * `tide`: a pod goes where a potential grows least.
 *
 *     phi(machine) = sum over cards of wasted(card) + D max(0, filled(machine) - cpuFree / (share x kappa))
 *     plus, a placement, the scarcity of the machine (scarcity.ts) x cards asked
 *
 * `wasted` and `filled` come from value tables over the live mix (value.ts); kappa is the mix's CPU a card.
 * Growth is rounded and ties go to the first in rank order, which fills machines one after the other.
 * Source: ours; it extends "waste + deficit" (shared/design/packing.md 3) to cards cut by memory and compute.
 */
export class Tide implements Policy {
  readonly name = 'tide';
  readonly readsMemory = false;
  readonly randomTies: boolean;
  readonly #book: Book;
  readonly #options: TideOptions;
  readonly #mix = new RequestMix();
  readonly #scratch = new CardScratch();
  readonly #cardsOfKind: Float64Array;
  readonly #scarcity: Scarcity;
  /** By machine, ROW numbers each: touch, CPU left, expected fill, CPU deficit, distinct cards. */
  readonly #rows: Float64Array;
  /** By card: of each machine first one card for each distinct state with room, as many as its row says. */
  readonly #distinct: Int32Array;
  readonly #state: Int32Array;
  #values: readonly CardValue[] = [];
  #terms: (ClassTerms | undefined)[] = [];
  /** By group of machines: what a card there costs besides, in cards. */
  #price: Float64Array;
  /** Thousandths of a card that a thousandth of a core can feed; Infinity before the mix is known. */
  #fedByCpu = Infinity;
  #epoch = 0;
  /** The card that the last `#sliceScore` liked best. */
  #leastCard = -1;

  constructor(book: Book, options: TideOptions = TIDE_DEFAULTS, randomTies = false) {
    this.#book = book;
    this.#options = options;
    this.randomTies = randomTies;
    this.#rows = new Float64Array(ROW * book.machines.length);
    this.#distinct = new Int32Array(book.cardIds.length);
    this.#state = new Int32Array(book.cardIds.length);
    this.#price = new Float64Array(book.groupFirst.length);
    this.#cardsOfKind = countCards(book);
    this.#scarcity = new Scarcity(book, options, this.#cardsOfKind);
    this.learn([]);
  }

  epoch = (): number => this.#epoch;

  observe = (requestClass: RequestClass): void => {
    const mix = this.#mix.observe(requestClass);
    if (mix !== null) this.learn(mix);
  };

  /** What was learned so far, to go on from with another book. */
  learned(): LearnedMix {
    return this.#mix.snapshot(this.#book);
  }

  resume(learned: LearnedMix): void {
    const mix = this.#mix.resume(learned, this.#book);
    if (mix !== null) this.learn(mix);
  }

  /** Takes up a mix: the live one, or one from a snapshot of an earlier run. */
  learn(mix: readonly MixEntry[]): void {
    this.#values = cardValues(mix, this.#book.kinds, this.#options);
    const cpuOfCardMilli = cpuOfCard(this.#book, mix, this.#cardsOfKind) * this.#options.cpuShare;
    this.#fedByCpu = cpuOfCardMilli === 0 ? Infinity : 1000 / cpuOfCardMilli;
    this.#price = this.#scarcity.pricesFor(mix);
    this.#terms = [];
    for (let machine = 0; machine < this.#book.machines.length; machine += 1) this.#rows[ROW * machine] = NEVER;
    this.#epoch += 1;
  }

  score = (requestClass: RequestClass, machine: number): number => {
    const rows = this.#rows;
    const row = ROW * machine;
    if (rows[row] !== this.#book.touched.lastTouchOf(machine)) this.#summarise(machine);
    if (requestClass.mode === MODE.none) {
      const deficit = this.#deficit(rows[row + 2] as number, (rows[row + 1] as number) - requestClass.cpuMilli);
      return this.#points(requestClass, machine, deficit - (rows[row + 3] as number));
    }
    if (tenantRefusal(this.#book, requestClass, machine) !== 0) return NOT_FIT;
    if (requestClass.isOneSlice) return this.#sliceScore(requestClass, machine);
    if (requestClass.isAnyWhole) return this.#wholeScore(requestClass, machine);
    return this.#severalScore(requestClass, machine);
  };

  /**
   * Growth in points. Below whole steps of growth stands what a class prefers, and, where chance breaks ties,
   * the machine's expected fill in whole cards: the fullest machine first, as rank order does by itself.
   */
  #points(requestClass: RequestClass, machine: number, growth: number): number {
    const steps = Math.round(growth / this.#options.quantumMilli);
    const { preference } = requestClass;
    if (preference === null && !this.randomTies) return clamped(0 - steps);
    const cardsToFill = Math.trunc((this.#rows[ROW * machine + 2] as number) / 1000);
    const minor = preference === null ? cardsToFill : (preference[machine] as number);
    return clamped(0 - steps * MINOR_STEPS - Math.min(MINOR_STEPS - 1, minor));
  }

  /** Brings a machine's row, the states of its cards and its distinct cards up to date, once a touch. */
  #summarise(machine: number): void {
    const book = this.#book;
    const start = book.cardStart[machine] as number;
    const end = book.cardStart[machine + 1] as number;
    let filled = 0;
    let distinct = 0;
    for (let card = start; card < end; card += 1) {
      const value = this.#values[book.cardKind[card] as number] as CardValue;
      const memoryFree = book.cardMemoryFreeMiB[card] as number;
      const computeFree = book.cardComputeFreeMilli[card] as number;
      const state = stateOf(value, memoryFree, computeFree, book.cardBits[card] as number);
      this.#state[card] = state;
      if (book.cardUsable[card] === 0) continue;
      filled += value.filled[state] as number;
      if ((book.cardSharesFree[card] as number) > 0 && !this.#isKnown(card, start, distinct)) {
        this.#distinct[start + distinct] = card;
        distinct += 1;
      }
    }
    const cpuFree = book.cpuFreeMilli[machine] as number;
    const row = ROW * machine;
    this.#rows[row] = book.touched.lastTouchOf(machine);
    this.#rows[row + 1] = cpuFree;
    this.#rows[row + 2] = filled;
    this.#rows[row + 3] = this.#deficit(filled, cpuFree);
    this.#rows[row + 4] = distinct;
  }

  /** Whether a card equals one of the machine's distinct cards in all that a slice can ask for. */
  #isKnown(card: number, start: number, distinct: number): boolean {
    for (let i = start; i < start + distinct; i += 1) {
      if (areAlike(this.#book, this.#distinct[i] as number, card)) return true;
    }
    return false;
  }

  /** Whole cards: all free cards of a kind are worth the same, so only their number matters. */
  #wholeScore(requestClass: RequestClass, machine: number): number {
    const book = this.#book;
    const { count } = requestClass;
    if ((book.cardsFree[machine] as number) < count) return NOT_FIT;
    const uniform = book.uniformKind[machine] as number;
    if (uniform < 0) return this.#mixedScore(requestClass, machine);
    const { asked, wholeWaste, wholeFill, priceMin } = this.#termsOf(requestClass);
    const price = (this.#price[book.groupOf[machine] as number] as number) - priceMin;
    const rows = this.#rows;
    const row = ROW * machine;
    const fill = (rows[row + 2] as number) + count * (wholeFill[uniform] as number);
    const deficit = this.#deficit(fill, (rows[row + 1] as number) - requestClass.cpuMilli);
    const growth = count * ((wholeWaste[uniform] as number) + price * (asked[uniform] as number)) + deficit;
    return this.#points(requestClass, machine, growth - (rows[row + 3] as number));
  }

  /** Whole cards of a machine with cards of several kinds: the first that fit. */
  #mixedScore(requestClass: RequestClass, machine: number): number {
    const book = this.#book;
    const { count } = requestClass;
    const { asked, wholeWaste, wholeFill, priceMin } = this.#termsOf(requestClass);
    const price = (this.#price[book.groupOf[machine] as number] as number) - priceMin;
    const [, cpuFree = 0, filledOn = 0, before = 0] = this.#rows.subarray(ROW * machine, ROW * machine + ROW);
    let growth = 0;
    let fill = filledOn;
    let found = 0;
    const end = book.cardStart[machine + 1] as number;
    for (let card = book.cardStart[machine] as number; card < end && found < count; card += 1) {
      if (!cardFits(book, requestClass, card)) continue;
      const kind = book.cardKind[card] as number;
      growth += (wholeWaste[kind] as number) + price * (asked[kind] as number);
      fill += wholeFill[kind] as number;
      found += 1;
    }
    if (found < count) return NOT_FIT;
    return this.#points(requestClass, machine, growth + this.#deficit(fill, cpuFree - requestClass.cpuMilli) - before);
  }

  /** One slice: the least growth over the distinct cards that fit. */
  #sliceScore(requestClass: RequestClass, machine: number): number {
    const book = this.#book;
    const rows = this.#rows;
    const row = ROW * machine;
    const start = book.cardStart[machine] as number;
    const end = start + (rows[row + 4] as number);
    let least = Infinity;
    for (let i = start; i < end; i += 1) {
      const card = this.#distinct[i] as number;
      const kind = book.cardKind[card] as number;
      if (requestClass.kindRefusal[kind] !== 0) continue;
      if (!sliceHasRoom(book, requestClass, card) || !tenantAdmits(book, requestClass, card)) continue;
      const { step, asked, priceMin } = this.#termsOf(requestClass);
      const price = (this.#price[book.groupOf[machine] as number] as number) - priceMin;
      const { wasted, filled } = this.#values[kind] as CardValue;
      const state = this.#state[card] as number;
      const down = state - (step[kind] as number);
      const after = down < 0 ? 0 : down;
      const fill = (rows[row + 2] as number) + (filled[after] as number) - (filled[state] as number);
      const beyond = goesBeyond(book, requestClass, card) ? BEYOND : 0;
      const waste = beyond + (wasted[after] as number) - (wasted[state] as number);
      const deficit = this.#deficit(fill, (rows[row + 1] as number) - requestClass.cpuMilli);
      const growth = waste + price * (asked[kind] as number) + deficit;
      if (growth < least) {
        least = growth;
        this.#leastCard = card;
      }
    }
    return least === Infinity ? NOT_FIT : this.#points(requestClass, machine, least - (rows[row + 3] as number));
  }

  /** Several slices, chosen cards, and MIG: judged with the cards that would be chosen. */
  #severalScore(requestClass: RequestClass, machine: number): number {
    const cards = this.#leastCards(requestClass, machine);
    if (cards.length < requestClass.count) return NOT_FIT;
    const { waste, deficit, price } = this.#partsOn(requestClass, machine, cards);
    return this.#points(requestClass, machine, waste + deficit + price);
  }

  #termsOf(requestClass: RequestClass): ClassTerms {
    return this.#terms[requestClass.memorylessIndex] ?? this.#compile(requestClass);
  }

  #compile(requestClass: RequestClass): ClassTerms {
    const { kinds, groupFirst } = this.#book;
    const row = (): Float64Array => new Float64Array(kinds.length);
    const step = new Int32Array(kinds.length);
    const terms: ClassTerms = { step, asked: row(), wholeWaste: row(), wholeFill: row(), priceMin: Infinity };
    for (const kind of kinds) {
      const value = this.#values[kind.index] as CardValue;
      const { index } = kind;
      const full = value.isMig ? 0 : value.filled.length - 1;
      const taken = value.isMig ? MIG_TAKEN : 0;
      step[index] = stepOf(value, requestClass.kindMemory[index] as number, requestClass.kindCompute[index] as number);
      terms.asked[index] = askedOn(requestClass, kind);
      terms.wholeWaste[index] = (value.wasted[taken] as number) - (value.wasted[full] as number);
      terms.wholeFill[index] = (value.filled[taken] as number) - (value.filled[full] as number);
    }
    const { isPinned, staticRefusal } = requestClass;
    for (let group = 0; group < groupFirst.length; group += 1) {
      if (!isPinned && staticRefusal[groupFirst[group] as number] !== 0) continue;
      const price = this.#price[group] as number;
      if (price < terms.priceMin) terms.priceMin = price;
    }
    if (terms.priceMin === Infinity) terms.priceMin = 0;
    this.#terms[requestClass.memorylessIndex] = terms;
    return terms;
  }

  /** Growth of chosen cards together, term by term. */
  #partsOn(requestClass: RequestClass, machine: number, cards: readonly number[]): GrowthParts {
    const book = this.#book;
    if (this.#rows[ROW * machine] !== book.touched.lastTouchOf(machine)) this.#summarise(machine);
    const [, cpuFree = 0, filledOn = 0, before = 0] = this.#rows.subarray(ROW * machine, ROW * machine + ROW);
    const { step, asked, priceMin } = this.#termsOf(requestClass);
    let waste = 0;
    let price = 0;
    let fill = filledOn;
    for (const card of cards) {
      const kind = book.cardKind[card] as number;
      const { wasted, filled } = this.#values[kind] as CardValue;
      const state = this.#state[card] as number;
      const isMig = requestClass.hasMig && takesInstance(requestClass, kind);
      const after = isMig ? migBitsAfter(book, requestClass, card) : Math.max(0, state - (step[kind] as number));
      waste += (wasted[after] as number) - (wasted[state] as number);
      if (goesBeyond(book, requestClass, card)) waste += BEYOND;
      price += ((this.#price[this.#book.groupOf[machine] as number] as number) - priceMin) * (asked[kind] as number);
      fill += (filled[after] as number) - (filled[state] as number);
    }
    return { waste, price, deficit: this.#deficit(fill, cpuFree - requestClass.cpuMilli) - before };
  }

  /** Card capacity that the CPU left cannot feed, weighted. */
  #deficit(filled: number, cpuFreeMilli: number): number {
    if (this.#fedByCpu === Infinity) return 0;
    const unfed = filled - cpuFreeMilli * this.#fedByCpu;
    return unfed > 0 ? this.#options.deficitWeight * unfed : 0;
  }

  chooseCards = (requestClass: RequestClass, machine: number): number[] => {
    const { mode, count } = requestClass;
    if (mode === MODE.none) return [];
    if (requestClass.isAnyWhole)
      return chooseWhole(this.#book, this.#scratch.list(this.#book, requestClass, machine), count);
    if (!requestClass.isOneSlice) return this.#leastCards(requestClass, machine);
    this.score(requestClass, machine);
    return [this.#leastCard];
  };

  /** Several slices: the cards that grow least one by one. */
  #leastCards(requestClass: RequestClass, machine: number): number[] {
    if (hasSlots(requestClass)) return slottedCards(this.#book, requestClass, machine);
    const judged = this.#scratch.list(this.#book, requestClass, machine).map((card) => {
      const { waste, deficit, price } = this.#partsOn(requestClass, machine, [card]);
      return { card, growth: waste + deficit + price };
    });
    judged.sort((left, right) => left.growth - right.growth || left.card - right.card);
    return judged.slice(0, requestClass.count).map(({ card }) => card);
  }

  terms = (requestClass: RequestClass, machine: number): readonly ScoreTerm[] => {
    const parts = this.#partsOn(requestClass, machine, this.chooseCards(requestClass, machine));
    return [
      { name: 'waste', value: parts.waste },
      { name: 'cpu-deficit', value: parts.deficit },
      { name: 'scarcity', value: parts.price },
    ];
  };
}

/** An integer, and one in the engine too: V8 would box a fraction, or a zero below zero, each time it is handed on. */
function clamped(points: number): number {
  if (points < SCORE_MIN) return SCORE_MIN;
  return points > SCORE_MAX ? SCORE_MAX : points | 0;
}

/** What the growth of a class needs by kind of card, while one mix holds. */
interface ClassTerms {
  /** Steps down in the value table. */
  readonly step: Int32Array;
  /** Thousandths of a card asked for. */
  readonly asked: Float64Array;
  /** Growth of waste and fill when a free card is taken whole. */
  readonly wholeWaste: Float64Array;
  readonly wholeFill: Float64Array;
  /** The lowest price of the machines it may use: only differences count, and scores have 16 bits. */
  priceMin: number;
}

interface GrowthParts {
  readonly waste: number;
  readonly deficit: number;
  readonly price: number;
}

function migBitsAfter(book: Book, requestClass: RequestClass, card: number): number {
  const size = requestClass.demands[book.cardKind[card] as number]?.migSize ?? 0;
  return (book.cardBits[card] as number) | migMask(migStartOn(book, requestClass, card), size);
}
