import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { forAll } from '@springtide/testkit/property';
import { Machines } from './index.ts';

/** The rule by looking at every machine. */
function findByLooking(free: readonly number[], cards: number): string | null {
  const whole = Math.floor(cards / 8);
  const rest = cards % 8;
  const empty = free.flatMap((each, machine) => (each === 8 ? [machine] : [])).slice(0, whole);
  if (empty.length < whole) return null;
  const fits = free.flatMap((each, machine) => (each >= rest && !empty.includes(machine) ? [machine] : []));
  const tightest = fits.toSorted((left, right) => (free[left] as number) - (free[right] as number) || left - right)[0];
  if (rest > 0 && tightest === undefined) return null;
  return [...empty.map((machine) => [machine, 8]), ...(rest > 0 ? [[tightest, rest]] : [])].join(';');
}

test('a job goes on wholly free machines and the tightest one for the rest, as by looking at all of them', () => {
  const free = fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 6 });
  forAll(fc.tuple(free, fc.integer({ min: 1, max: 40 })), ([cards, asked]) => {
    const machines = new Machines(cards.length);
    cards.forEach((each, machine) => machines.setFree(machine, each));
    const shares = machines.find(asked);
    expect(shares?.map((share) => [share.machine, share.cards]).join(';') ?? null).toBe(findByLooking(cards, asked));
    expect(machines.fits(asked)).toBe(shares !== null);
  });
});
