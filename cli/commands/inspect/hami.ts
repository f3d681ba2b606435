import type { Dump } from '@springtide/adapters/kubernetes';
import { compareText } from '@springtide/core/base';
import type { Card } from '@springtide/core/model';
import type { Book } from '@springtide/core/state';

/** One card that HAMi cuts by memory and compute. */
export interface HamiCard {
  readonly model: string;
  readonly memoryMiB: number;
  /** Percent of compute that may be given out. */
  readonly cores: number;
  /** Pods at once. */
  readonly shares: number;
  readonly healthy: boolean;
  readonly usedMiB: number;
  readonly usedCores: number;
  /** Names of the pods that hold a part of it. */
  readonly pods: readonly string[];
}

/** Cards in HAMi's register by machine and id. */
export function hamiCards(dump: Dump, book: Book): Map<string, Map<string, HamiCard>> {
  const machines = new Map<string, Map<string, HamiCard>>();
  book.machines.forEach((machine, rank) => {
    const groups = (dump.cardGroups.get(machine.id) ?? []).filter(({ kind }) => kind === 'hami');
    if (groups.length === 0) return;
    const byId = new Map(machine.cards.map((card) => [card.id, card]));
    const holders = holdersByCard(book, rank);
    const cards = groups.flatMap(({ cardIds }) => cardIds.flatMap((id) => byId.get(id) ?? []));
    machines.set(machine.id, new Map(cards.map((card) => [card.id, hamiCard(book, card, holders)])));
  });
  return machines;
}

function holdersByCard(book: Book, rank: number): Map<number, string[]> {
  const holders = new Map<number, string[]>();
  for (const { pod, cards } of book.podsOn(rank)) {
    for (const card of cards) holders.set(card, [...(holders.get(card) ?? []), pod.id]);
  }
  return holders;
}

function hamiCard(book: Book, card: Card, holders: ReadonlyMap<number, readonly string[]>): HamiCard {
  const number = book.cardOf(card.id);
  return {
    model: card.model,
    memoryMiB: card.memoryMiB,
    cores: card.computeMilli / 10,
    shares: card.sharesMax ?? 0,
    healthy: card.health === 'ok',
    usedMiB: card.memoryMiB - (book.cardMemoryFreeMiB[number] as number),
    usedCores: (card.computeMilli - (book.cardComputeFreeMilli[number] as number) + yieldingMilli(book, card)) / 10,
    pods: (holders.get(number) ?? []).map(podName).toSorted(compareText),
  };
}

/** Compute that shared pods hold and that yields to the others. */
function yieldingMilli(book: Book, { id, shared }: Card): number {
  return shared === undefined ? 0 : shared.computeMilli - (book.cardSharedFreeMilli[book.cardOf(id)] as number);
}

/** Without the namespace, as HAMi's own tools print it. */
function podName(id: string): string {
  return id.slice(id.indexOf('/') + 1);
}
