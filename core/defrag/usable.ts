import type { Machine } from '../model/index.ts';
import type { Book } from '../state/index.ts';

/** New work may come to the machine: it is neither cordoned nor tainted so that even running pods must leave. */
export function isMachineUsable(machine: Machine): boolean {
  return !machine.cordoned && machine.taints.every((taint) => taint.effect !== 'NoExecute');
}

/** Which cards of the book are counted: all, unless the caller knows that some lines are shares of cards. */
export type CardFilter = (card: number) => boolean;

export const EVERY_CARD: CardFilter = () => true;

/** Healthy cards of a machine that nobody holds, less the cards that its pods hold without a place. */
export function idleCards(book: Book, machine: number, isCounted: CardFilter = EVERY_CARD): number[] {
  const idle: number[] = [];
  const end = book.cardStart[machine + 1] as number;
  for (let card = book.cardStart[machine] as number; card < end; card += 1) {
    if (book.cardHolders[card] === 0 && book.cardUsable[card] === 1 && isCounted(card)) idle.push(card);
  }
  const free = Math.max(0, book.cardsFree[machine] as number);
  return idle.length > free ? idle.slice(idle.length - free) : idle;
}
