import { type Book, MODE, type RequestClass } from '../state/index.ts';
import { domainsAt } from './domains.ts';
import type { Gang } from './gang.ts';

/** Whole cards that a gang asks for, and what the parts of the fleet that it may use have of them at most. */
export interface GangCards {
  readonly asked: number;
  /** Held or not. */
  readonly there: number;
  readonly free: number;
}

/**
 * What the fleet, or even an empty one, cannot give is known by counting cards, before anything is tried (P5). Members that
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
  const level = topology?.mode === 'required' ? topology.level : 'fleet';
  const parts = domainsAt(book, level === 'island' ? 'machine' : level, Array.from(book.machines.keys()));
  let there = 0;
  let free = 0;
  for (const { machines } of parts) {
    const ofPart = cardsIn(book, classes, machines);
    there = Math.max(there, ofPart.there);
    free = Math.max(free, ofPart.free);
  }
  return { asked, there, free };
}

function cardsIn(
  book: Book,
  classes: ReadonlySet<RequestClass>,
  machines: readonly number[],
): Pick<GangCards, 'there' | 'free'> {
  let there = 0;
  let free = 0;
  for (const machine of machines) {
    let most = 0;
    let mostFree = 0;
    for (const requestClass of classes) {
      const cards = cardsFor(book, requestClass, machine);
      const left = Math.min(cards, Math.max(0, book.cardsFree[machine] as number));
      most = Math.max(most, cards);
      mostFree = Math.max(mostFree, left - (left % requestClass.count));
    }
    there += most;
    free += mostFree;
  }
  return { there, free };
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
