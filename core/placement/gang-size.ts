import { type Book, MODE, type RequestClass } from '../state/index.ts';
import { domainsAt } from './domains.ts';
import type { Gang } from './gang.ts';

/** Whole cards that a gang asks for, and those of the largest part of the fleet that it may use, held or not. */
export interface GangCards {
  readonly asked: number;
  readonly there: number;
}

/**
 * What even an empty fleet could not give is known by counting cards, before anything is tried (P5). Members that
 * ask for slices, or for none, count nothing. A required level counts the largest part of that level.
 * O(cards x classes).
 */
export function gangCards(book: Book, { members, topology }: Gang): GangCards {
  const classes = new Set<RequestClass>();
  let asked = 0;
  for (const { pod } of members) {
    const requestClass = book.classOf(pod.request, pod.tenant);
    if (requestClass.mode !== MODE.whole) continue;
    classes.add(requestClass);
    asked += requestClass.count;
  }
  const cards = book.machines.map((_, machine) =>
    Math.max(0, ...[...classes].map((requestClass) => cardsFor(book, requestClass, machine))),
  );
  const level = topology?.mode === 'required' ? topology.level : 'fleet';
  const whole = level === 'island' ? 'machine' : level;
  const sums = domainsAt(book, whole, Array.from(book.machines.keys())).map(({ machines }) =>
    machines.reduce((sum, machine) => sum + (cards[machine] as number), 0),
  );
  return { asked, there: sums.reduce((most, sum) => Math.max(most, sum), 0) };
}

/** Cards of a machine that pods of a class could hold if it were empty: whole pods of them. */
function cardsFor(book: Book, requestClass: RequestClass, machine: number): number {
  if (requestClass.staticRefusal[machine] !== 0) return 0;
  let cards = 0;
  const end = book.cardStart[machine + 1] as number;
  for (let card = book.cardStart[machine] as number; card < end; card += 1) {
    if (requestClass.kindRefusal[book.cardKind[card] as number] === 0) cards += 1;
  }
  return cards - (cards % requestClass.count);
}
