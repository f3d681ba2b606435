import type { PodSet } from '../model/index.ts';
import type { Book } from '../state/index.ts';
import type { Candidate } from './attempt.ts';
import type { StartOption } from './start-options.ts';

/**
 * The machines that a job keeps off when it starts in one way: those that its failures are blamed on, unless what is
 * left of the fleet could not hold it even if it were empty. Then it keeps off none, or it would wait for ever (I11).
 * What may suit a machine counts by whole cards; other resources are not looked at. O(machines x pod sets), and O(1)
 * for a job that keeps off nothing.
 */
export function avoidsOf(book: Book, { workload, avoids }: Candidate, { sets }: StartOption): readonly string[] {
  if (avoids.length === 0) return avoids;
  const rooms = book.machines.map((machine) => ({ isOut: avoids.includes(machine.id), left: machine.cards.length }));
  for (const { set } of sets) {
    const { staticRefusal } = book.classOf(set.request, workload.tenant);
    let { count } = set;
    rooms.forEach((room, rank) => {
      if (room.isOut || staticRefusal[rank] !== 0 || count === 0) return;
      const held = Math.min(count, podsOn(room.left, set));
      room.left -= held * wholeCards(set);
      count -= held;
    });
    if (count > 0) return [];
  }
  return avoids;
}

function podsOn(cards: number, set: PodSet): number {
  const each = wholeCards(set);
  return each === 0 ? Infinity : Math.floor(cards / each);
}

function wholeCards({ request: { cards } }: PodSet): number {
  return cards.kind === 'whole' ? cards.count : 0;
}
