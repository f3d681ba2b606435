import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scenes } from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import { bookStates, twinStates } from '@springtide/testkit/twin';
import { mulberry32, shuffle } from '../base/index.ts';
import type { SliceHeld } from '../model/index.ts';
import { Book } from './book.ts';
import { fillBook, type ObservedHolding } from './observed.ts';

const names = { tenants: ['', 'a', 'b'], resources: ['rdma/hca', 'absent'] };

/** Where the cluster says a pod is: on a machine (one may be unknown), with cards named or not. */
const sightings = fc.array(
  fc.record({
    machine: fc.option(fc.nat(5)),
    isDeleting: fc.boolean(),
    held: fc.option(
      fc.array(
        fc.record({
          card: fc.nat(9),
          isAstray: fc.boolean(),
          memoryMiB: fc.constantFrom(1000, 40_960),
          computeMilli: fc.constantFrom(0, 300),
        }),
        { maxLength: 2 },
      ),
    ),
    group: fc.constantFrom([], [], ['g1'], ['g2']),
  }),
  { minLength: 12, maxLength: 12 },
);

const cases = fc.record({ scene: scenes(), seen: sightings, seed: fc.nat() });

type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

function observedOf({ scene: { machines, pods }, seen }: Case): ObservedHolding[] {
  return pods.map((pod, i): ObservedHolding => {
    const { machine, isDeleting, held, group } = seen[i] as (typeof seen)[number];
    const slices = held?.map((part): SliceHeld => {
      const at = part.isAstray ? 0 : (machine ?? 0);
      const cards = machines[at % machines.length]?.cards ?? [];
      const { memoryMiB, computeMilli } = part;
      return { cardId: cards[part.card]?.id ?? 'gone', memoryMiB, computeMilli, migStart: null };
    });
    const on = machine === null ? null : (machines[machine]?.id ?? 'unknown');
    return { pod, machine: on, isDeleting, held: slices ?? null, fractionGroups: group };
  });
}

describe('a cluster as it was observed', () => {
  test('gives one book, in whatever order it was listed', () => {
    forAll(cases, (each) => {
      const books = [observedOf(each), shuffle(observedOf(each), mulberry32(each.seed))].map((observed) => {
        const book = new Book(each.scene.machines);
        const filled = fillBook(book, observed);
        return { filled, states: bookStates(book, names), cards: cardsHeld(book) };
      });
      expect(books[1]).toEqual(books[0]);
    });
  });

  test('is booked whole: every pod on a known machine, every card it has or is missing, and sums that agree', () => {
    forAll(cases, (each) => {
      const book = new Book(each.scene.machines);
      const observed = observedOf(each);
      const { strangers, overbooked } = fillBook(book, observed);
      const holdings = [...book.holdings.values()];
      const there = observed.filter(({ machine }) => machine !== null && machine !== 'unknown');
      expect(holdings.map(({ pod }) => pod.id).toSorted()).toEqual(there.map(({ pod }) => pod.id).toSorted());
      expect(strangers).toEqual(
        observed
          .filter(({ machine }) => machine === 'unknown')
          .map(({ pod }) => pod.id)
          .toSorted(),
      );
      for (const { pod, held } of there) {
        const holding = book.holdings.get(pod.id);
        const asked = pod.request.cards.kind === 'none' ? 0 : pod.request.cards.count;
        expect((holding?.cards.length ?? 0) + (holding?.cardsMissing ?? 0)).toBe(held?.length ?? asked);
        expect(holding?.cards.every((card) => book.cardMachine[card] === holding.machine)).toBe(true);
      }
      const missing = holdings.reduce((sum, { cardsMissing }) => sum + cardsMissing, 0);
      expect(overbooked.reduce((sum, { cardsMissing }) => sum + cardsMissing, 0)).toBe(missing);
      const world = { machines: book.machines, holdings, reserved: new Set<string>() };
      expect(bookStates(book, names)).toEqual(twinStates(world, names));
    });
  });
});

function cardsHeld(book: Book): unknown {
  return new Map([...book.holdings].map(([pod, { cards, cardsMissing }]) => [pod, [cards, cardsMissing]]));
}
