import type { Random } from '../../base/index.ts';
import { MODE, type Book } from '../../state/index.ts';
import { CardScratch, slottedCards } from '../cards.ts';
import type { Policy } from '../policy.ts';
import { hasSlots } from '../slots.ts';
import { simplePolicy } from './simple.ts';

/** A random machine that fits, and a random card on it: the floor that every policy must beat. */
export function random(book: Book, chance: Random): Policy {
  const scratch = new CardScratch();
  return {
    ...simplePolicy('random', book, () => 0),
    randomTies: true,
    chooseCards: (requestClass, machine) => {
      if (hasSlots(requestClass)) return slottedCards(book, requestClass, machine);
      const fitting = scratch.list(book, requestClass, machine);
      const want = requestClass.mode === MODE.none ? 0 : requestClass.count;
      if (requestClass.mode === MODE.whole) return fitting.slice(0, want);
      const chosen: number[] = [];
      while (chosen.length < want) chosen.push(...fitting.splice(chance.below(fitting.length), 1));
      return chosen;
    },
  };
}
