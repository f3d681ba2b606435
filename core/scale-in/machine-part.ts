import { type CardFilter, idleCards } from '../defrag/index.ts';
import type { Book, Holding } from '../state/index.ts';
import { takesWork } from './freed.ts';
import { type Part, Table } from './part.ts';
import type { Replica } from './replica.ts';

/** A replica that may leave, and what it holds. */
export interface Candidate {
  readonly replica: Replica;
  readonly holding: Holding;
  /** A disruption budget that covers it is used up. */
  readonly isGuarded: boolean;
}

/** Replicas that hold the same of the same cards: which of them leaves makes no difference. */
interface Alike {
  readonly candidates: readonly Candidate[];
  readonly holding: Holding;
  readonly isGuarded: boolean;
}

/** One way to let some replicas of linked cards leave. */
interface Option {
  readonly leaving: number;
  readonly cardsFreed: number;
  readonly guarded: number;
  readonly freeTogether: number;
  readonly candidates: readonly Candidate[];
  /** What leaves of other cards. */
  readonly others: Option | null;
}

/** Ways that are tried in full where replicas link cards in many ways; beyond, cards are emptied one by one. */
const WAYS_MAX = 20_000;

/**
 * The candidates of one machine, all of which hold cards. What they free is found card by card (cards linked by
 * a replica together), then put together by how many leave and how many cards that frees. Of equal ones the first
 * leave. Exact, unless linked cards allow more than `WAYS_MAX` ways. The book is without those that leave anyway.
 */
export function machinePart(
  book: Book,
  machine: number,
  candidates: readonly Candidate[],
  isCounted: CardFilter,
): Part {
  const scene: Scene = { book, isCounted, isUsable: takesWork(book, machine) };
  const best = linked(candidates)
    .map((component) => optionsOf(scene, component))
    .reduce((before, options) => combined(before, options), [NONE]);
  const candidateIds = new Set(candidates.map(({ replica }) => replica.pod.id));
  const isOnlyOurs = book.podsOn(machine).every(({ pod, cards }) => cards.length === 0 || candidateIds.has(pod.id));
  const idle = scene.isUsable ? idleCards(book, machine, isCounted).length : 0;
  const table = new Table(candidates.length);
  const chosen: Option[] = [];
  for (const option of best) {
    const { leaving, cardsFreed, guarded, freeTogether } = option;
    const machinesFreed = scene.isUsable && isOnlyOurs && leaving === candidates.length && leaving > 0 ? 1 : 0;
    const idleTogether = (idle + cardsFreed) ** 2 - idle ** 2;
    const worth = [-guarded, cardsFreed, machinesFreed, idleTogether, freeTogether];
    if (table.offer(leaving, worth)) chosen[leaving] = option;
  }
  const collect = (count: number, into: Replica[]): void => {
    for (let option = chosen[count] ?? null; option !== null; option = option.others)
      for (const { replica } of option.candidates) into.push(replica);
  };
  return { table, collect };
}

interface Scene {
  readonly book: Book;
  readonly isCounted: CardFilter;
  readonly isUsable: boolean;
}

const NONE: Option = { leaving: 0, cardsFreed: 0, guarded: 0, freeTogether: 0, candidates: [], others: null };

/** Candidates in groups such that no two groups have a card in common. */
function linked(candidates: readonly Candidate[]): Candidate[][] {
  const groups: { readonly cards: Set<number>; readonly members: Candidate[] }[] = [];
  for (const candidate of candidates) {
    const { cards } = candidate.holding;
    const touching = groups.filter((group) => cards.some((card) => group.cards.has(card)));
    for (const group of touching) groups.splice(groups.indexOf(group), 1);
    groups.push({
      cards: new Set([...cards, ...touching.flatMap((group) => [...group.cards])]),
      members: [...touching.flatMap(({ members }) => members), candidate],
    });
  }
  return groups.map(({ members }) => members);
}

function optionsOf(scene: Scene, component: readonly Candidate[]): Option[] {
  const kinds = alike(component);
  const ways = kinds.reduce((product, { candidates }) => product * (candidates.length + 1), 1);
  return ways <= WAYS_MAX ? everyWay(scene, kinds) : cardByCard(scene, component);
}

function alike(component: readonly Candidate[]): Alike[] {
  const byKey = new Map<string, Candidate[]>();
  for (const candidate of component) {
    const { cards, memoryMiB, computeMilli } = candidate.holding;
    const key = [cards, memoryMiB, computeMilli, Number(candidate.isGuarded)].join(';');
    byKey.set(key, [...(byKey.get(key) ?? []), candidate]);
  }
  return [...byKey.values()].map((candidates) => {
    const { holding, isGuarded } = candidates[0] as Candidate;
    return { candidates, holding, isGuarded };
  });
}

/** Every number of each kind of replica. */
function everyWay(scene: Scene, kinds: readonly Alike[]): Option[] {
  const options = new Best();
  const counts = kinds.map(() => 0);
  for (;;) {
    options.offer(
      optionOf(
        scene,
        kinds.flatMap(({ candidates }, i) => candidates.slice(0, counts[i])),
      ),
    );
    let next = 0;
    while (next < kinds.length && counts[next] === kinds[next]?.candidates.length) counts[next++] = 0;
    if (next === kinds.length) return options.list;
    counts[next]! += 1;
  }
}

/** Replicas in an order that empties the card with fewest of them first; any number of the first may leave. */
function cardByCard(scene: Scene, component: readonly Candidate[]): Option[] {
  const options = new Best();
  const order: Candidate[] = [];
  const left = new Set(component);
  options.offer(NONE);
  while (left.size > 0) {
    const holders = new Map<number, Candidate[]>();
    for (const candidate of left)
      for (const card of candidate.holding.cards) holders.set(card, [...(holders.get(card) ?? []), candidate]);
    const fewest = [...holders].reduce((best, entry) => (entry[1].length < best[1].length ? entry : best));
    for (const candidate of fewest[1]) {
      left.delete(candidate);
      order.push(candidate);
      options.offer(optionOf(scene, order));
    }
  }
  return options.list;
}

function optionOf({ book, isCounted, isUsable }: Scene, candidates: readonly Candidate[]): Option {
  const gone = new Map<number, { holders: number; memoryMiB: number; computeMilli: number }>();
  for (const { holding } of candidates) {
    holding.cards.forEach((card, i) => {
      const sum = gone.get(card) ?? { holders: 0, memoryMiB: 0, computeMilli: 0 };
      sum.holders += 1;
      sum.memoryMiB += holding.memoryMiB[i] as number;
      sum.computeMilli += holding.computeMilli[i] as number;
      gone.set(card, sum);
    });
  }
  let [cardsFreed, freeTogether] = [0, 0];
  for (const [card, sum] of gone) {
    const isFreed = book.cardHolders[card] === sum.holders && book.cardUsable[card] === 1;
    if (isFreed && isUsable && isCounted(card)) cardsFreed += 1;
    freeTogether += freePercent(book, card, sum) ** 2 - freePercent(book, card, NOTHING) ** 2;
  }
  const guarded = candidates.filter(({ isGuarded }) => isGuarded).length;
  return { leaving: candidates.length, cardsFreed, guarded, freeTogether, candidates: [...candidates], others: null };
}

const NOTHING = { memoryMiB: 0, computeMilli: 0 };

/** The smaller of the shares of memory and compute that are free on a card once some is given back. */
function freePercent(
  book: Book,
  card: number,
  back: { readonly memoryMiB: number; readonly computeMilli: number },
): number {
  const kind = book.kinds[book.cardKind[card] as number];
  const memoryMiB = kind?.memoryMiB ?? 0;
  const compute = ((book.cardComputeFreeMilli[card] as number) + back.computeMilli) / 1000;
  const memory = memoryMiB === 0 ? 1 : ((book.cardMemoryFreeMiB[card] as number) + back.memoryMiB) / memoryMiB;
  return Math.floor(100 * Math.max(0, Math.min(compute, memory)));
}

/** The best option for each number of replicas that leave and cards that this frees. */
class Best {
  readonly #options = new Map<number, Option>();

  get list(): Option[] {
    return [...this.#options.values()];
  }

  offer(option: Option): void {
    const key = option.leaving * CARDS_MAX + option.cardsFreed;
    const had = this.#options.get(key);
    const ahead = had === undefined ? 1 : had.guarded - option.guarded || option.freeTogether - had.freeTogether;
    if (ahead > 0) this.#options.set(key, option);
  }
}

/** More than the cards of any machine. */
const CARDS_MAX = 4096;

function combined(before: readonly Option[], options: readonly Option[]): Option[] {
  const best = new Best();
  for (const left of before)
    for (const right of options)
      best.offer({
        leaving: left.leaving + right.leaving,
        cardsFreed: left.cardsFreed + right.cardsFreed,
        guarded: left.guarded + right.guarded,
        freeTogether: left.freeTogether + right.freeTogether,
        candidates: right.candidates,
        others: left,
      });
  return best.list;
}
