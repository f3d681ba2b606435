import { FILTER_CODE, type CardChoice, type CardRequest, type Machine } from '../model/index.ts';
import type { CardKind } from './kinds.ts';

/** What a request says of the cards it wants, beyond their kind and size. */

function choiceOf(cards: CardRequest): CardChoice | undefined {
  return cards.kind === 'none' ? undefined : cards.choice;
}

/** The filter that a choice refuses a kind of card by, or 0. */
export function kindChoiceRefusal(choice: CardChoice, kind: CardKind): number {
  const { words, wordsDenied = [], slicings } = choice;
  const name = plainName(kind.model);
  const has = (word: string): boolean => word !== '' && name.includes(plainName(word));
  if (words !== undefined && !words.some(has)) return FILTER_CODE['card-model'];
  if (wordsDenied.some(has)) return FILTER_CODE['card-model'];
  return slicings === undefined || slicings.includes(kind.slicing) ? 0 : FILTER_CODE['card-slicing'];
}

function plainName(text: string): string {
  return text.toLowerCase().replaceAll(/[ -]+/g, '-');
}

/** Whether a choice names cards one by one, so that alike machines are not alike to it. */
export function namesCards(cards: CardRequest): boolean {
  const choice = choiceOf(cards);
  return choice?.ids !== undefined || choice?.idsDenied !== undefined;
}

function admitsId({ ids, idsDenied = [] }: CardChoice, id: string): boolean {
  return (ids === undefined || isNamed(ids, id)) && !isNamed(idsDenied, id);
}

/** An id that the book made unique is `machine/id`: plug-ins know the part behind the slash. */
function isNamed(names: readonly string[], id: string): boolean {
  return names.includes(id) || names.includes(id.slice(id.indexOf('/') + 1));
}

/** Whether some card of the resource on a machine is among those that a request names. */
export function hasChosenCard(cards: CardRequest, machine: Machine): boolean {
  const choice = choiceOf(cards);
  if (choice === undefined || cards.kind === 'none' || !namesCards(cards)) return true;
  return machine.cards.some((card) => card.resource === cards.resource && admitsId(choice, card.id));
}

/** By card, 1 where a request does not want it; null where it names none. O(cards). */
export function deniedCards(cards: CardRequest, machines: readonly Machine[]): Uint8Array | null {
  const choice = choiceOf(cards);
  if (choice === undefined || !namesCards(cards)) return null;
  return Uint8Array.from(
    machines.flatMap((machine) => machine.cards),
    (card) => (admitsId(choice, card.id) ? 0 : 1),
  );
}

/** By card, its NUMA node, where a request wants several cards at one; else null. O(cards). */
export function numaOfCards(cards: CardRequest, machines: readonly Machine[]): Int16Array | null {
  if (cards.kind === 'none' || cards.count < 2 || cards.choice?.isOneNuma !== true) return null;
  return Int16Array.from(
    machines.flatMap((machine) => machine.cards),
    (card) => card.numa ?? -1,
  );
}
