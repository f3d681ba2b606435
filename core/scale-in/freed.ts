import { type CardFilter, EVERY_CARD, isMachineUsable } from '../defrag/index.ts';
import type { Machine } from '../model/index.ts';
import type { Book } from '../state/index.ts';

/** What is free once some pods have left: numbers of the book, ascending. */
export interface Freed {
  /** Cards that somebody held and nobody holds any more, healthy and on machines that take work. */
  readonly cards: readonly number[];
  /** Usable machines on which no card is held any more. */
  readonly machines: readonly number[];
}

/**
 * Tries it on the book, which is as before afterwards. Pods on their way out count as gone already. O(pods of the
 * machines that are left).
 */
export function freedBy(book: Book, pods: Iterable<string>, isCounted: CardFilter = EVERY_CARD): Freed {
  const leaving = [...pods].flatMap((id) => book.holdings.get(id) ?? []);
  const cards = new Set<number>();
  const machines = new Set<number>();
  const savepoint = book.savepoint();
  releaseDeleting(book, new Set(leaving.map(({ machine }) => machine)));
  for (const { pod, machine, cards: held } of leaving) {
    if (book.holdings.has(pod.id)) book.release(pod.id);
    if (!takesWork(book, machine)) continue;
    for (const card of held) cards.add(card);
    if (held.length > 0) machines.add(machine);
  }
  const freed = {
    cards: ascending(cards).filter((card) => isFreeCard(book, card) && isCounted(card)),
    machines: ascending(machines).filter((machine) => book.cardsIdle(machine)),
  };
  book.rollBack(savepoint);
  return freed;
}

function ascending(numbers: ReadonlySet<number>): number[] {
  return [...numbers].toSorted((left, right) => left - right);
}

/** Takes what is being deleted off some machines. The caller has opened a savepoint. */
export function releaseDeleting(book: Book, machines: Iterable<number>): void {
  for (const machine of machines) {
    const going = book.podsOn(machine).filter(({ deleting }) => deleting);
    for (const { pod } of going) book.release(pod.id);
  }
}

export function takesWork(book: Book, machine: number): boolean {
  return isMachineUsable(book.machines[machine] as Machine);
}

function isFreeCard(book: Book, card: number): boolean {
  return book.cardHolders[card] === 0 && book.cardUsable[card] === 1;
}
