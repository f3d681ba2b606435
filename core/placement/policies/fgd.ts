import { MODE, NOT_FIT, type Book, type RequestClass } from '../../state/index.ts';
import { CardScratch, chooseFullest, chooseWhole } from '../cards.ts';
import { cardFits, cardsRefusal } from '../fit.ts';
import { hasSlots } from '../slots.ts';
import type { Policy } from '../policy.ts';
import { simplePolicy } from './simple.ts';

/** A request class and its share of all pods; the shares of a list sum to 1. */
export interface TypicalRequest {
  readonly requestClass: RequestClass;
  readonly share: number;
}

/**
 * The most frequent requests until 95 % of the pods are covered, renormalised. Requests are told apart by CPU and
 * cards alone, as the measure reads them; ties in the count keep the order of first appearance.
 * Method: Weng et al., "Beware of Fragmentation", USENIX ATC 2023.
 */
export function typicalRequests(requests: readonly RequestClass[], coverage = 0.95): TypicalRequest[] {
  const counts = new Map<string, { readonly requestClass: RequestClass; count: number }>();
  for (const requestClass of requests) {
    const key = `${requestClass.cpuMilli} ${requestClass.cardsIndex}`;
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { requestClass, count: 1 });
    else known.count += 1;
  }
  const falling = [...counts.values()].toSorted((left, right) => right.count - left.count);
  const kept: typeof falling = [];
  let covered = 0;
  for (const entry of falling) {
    if (covered >= coverage * requests.length) break;
    kept.push(entry);
    covered += entry.count;
  }
  return kept.map(({ requestClass, count }) => ({ requestClass, share: count / covered }));
}

/** Cards of one machine as the measure sees them: compute left on each, and CPU left. */
interface MachineView {
  cpuLeftMilli: number;
  readonly left: number[];
  readonly kind: number[];
}

function viewOf(book: Book, machine: number): MachineView {
  const start = book.cardStart[machine] as number;
  const end = book.cardStart[machine + 1] as number;
  const left: number[] = [];
  const kind: number[] = [];
  for (let card = start; card < end; card += 1) {
    left.push(book.cardUsable[card] === 1 ? (book.cardComputeFreeMilli[card] as number) : 0);
    kind.push(book.cardKind[card] as number);
  }
  return { cpuLeftMilli: book.cpuFreeMilli[machine] as number, left, kind };
}

/** Idle compute of a machine, in thousandths of a card, that a typical pod could not use. */
export function fragmentationMilli(typical: readonly TypicalRequest[], view: MachineView): number {
  const { left, kind, cpuLeftMilli } = view;
  let idle = 0;
  for (const milli of left) idle += milli;
  if (idle === 0) return 0;
  let lost = 0;
  for (const { requestClass, share } of typical) lost += share * unusable(requestClass, idle);
  return lost;

  function unusable(requestClass: RequestClass, all: number): number {
    const { count, kindCompute, kindRefusal } = requestClass;
    if (count === 0 || requestClass.cpuMilli > cpuLeftMilli) return all;
    let fits = 0;
    let scraps = 0;
    for (let i = 0; i < left.length; i += 1) {
      const milli = left[i] as number;
      const kindOfCard = kind[i] as number;
      if (kindRefusal[kindOfCard] !== 0 || milli < (kindCompute[kindOfCard] as number)) scraps += milli;
      else fits += 1;
    }
    return fits >= count ? scraps : all;
  }
}

/** Fragmentation of one machine of the book. */
export function machineFragmentationMilli(book: Book, typical: readonly TypicalRequest[], machine: number): number {
  return fragmentationMilli(typical, viewOf(book, machine));
}

function points(before: number, after: number): number {
  return Math.trunc(100 / (1 + Math.exp(-(before - after) / 1000)));
}

/**
 * Fragmentation gradient descent: where the expected fragmentation grows least. Scores are whole points as in
 * the artifact, which is part of the method: one point is about 40 thousandths of a card.
 */
export function fgd(book: Book, typical: readonly TypicalRequest[]): Policy {
  const scratch = new CardScratch();
  const base = simplePolicy('fgd', book, () => 0);
  const best = (requestClass: RequestClass, machine: number): { score: number; cards: number[] } => {
    const view = viewOf(book, machine);
    const before = fragmentationMilli(typical, view);
    view.cpuLeftMilli -= requestClass.cpuMilli;
    const start = book.cardStart[machine] as number;
    const after = (cards: readonly number[]): number => {
      const saved = cards.map((card) => view.left[card - start] as number);
      for (const card of cards)
        view.left[card - start]! -= requestClass.kindCompute[book.cardKind[card] as number] as number;
      const score = points(before, fragmentationMilli(typical, view));
      cards.forEach((card, i) => (view.left[card - start] = saved[i] as number));
      return score;
    };
    const options = cardOptions(requestClass, machine);
    let chosen = { score: NOT_FIT, cards: options[0] as number[] };
    for (const cards of options) {
      const score = after(cards);
      if (score > chosen.score) chosen = { score, cards };
    }
    return chosen;
  };
  /** Every card that fits for a single slice (equal cards once); else one choice. */
  function cardOptions(requestClass: RequestClass, machine: number): number[][] {
    if (requestClass.mode === MODE.none) return [[]];
    if (requestClass.mode === MODE.whole && !hasSlots(requestClass)) {
      return [chooseWhole(book, scratch.list(book, requestClass, machine), requestClass.count)];
    }
    if (requestClass.count > 1) return [chooseFullest(book, scratch, requestClass, machine)];
    const seen = new Set<number>();
    const options: number[][] = [];
    const end = book.cardStart[machine + 1] as number;
    for (let card = book.cardStart[machine] as number; card < end; card += 1) {
      const left = book.cardComputeFreeMilli[card] as number;
      if (seen.has(left) || !cardFits(book, requestClass, card)) continue;
      seen.add(left);
      options.push([card]);
    }
    return options;
  }
  return {
    ...base,
    score: (requestClass, machine) =>
      cardsRefusal(book, requestClass, machine) === 0 ? best(requestClass, machine).score : NOT_FIT,
    chooseCards: (requestClass, machine) => best(requestClass, machine).cards,
    terms: (requestClass, machine) => [{ name: 'fgd', value: best(requestClass, machine).score }],
  };
}
