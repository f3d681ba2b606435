import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aMachine, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { forAll } from '@springtide/testkit/property';
import { Book } from '../state/index.ts';
import { CardScratch, chooseFullest, chooseWhole, roomOn } from './cards.ts';

/** Cards on up to four islands, in any order, of which some fit; fewer are asked for than fit. */
const cases = fc
  .record({
    islands: fc.array(fc.nat(3), { minLength: 1, maxLength: 12 }),
    isFitting: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
    asked: fc.nat(11),
  })
  .map(({ islands, isFitting, asked }) => {
    const all = [...islands.keys()];
    const fitting = all.some((card) => isFitting[card]) ? all.filter((card) => isFitting[card]) : all;
    return { islands, fitting, count: 1 + (asked % fitting.length) };
  });

function bookOf(islands: readonly number[]): Book {
  return new Book([
    aMachine('m')
      .cards(PRODUCTS.a100, islands.length)
      .islands(...islands)
      .build(),
  ]);
}

/** Fitting cards by island, lowest island first. */
function byIsland(islands: readonly number[], fitting: readonly number[]): number[][] {
  return [0, 1, 2, 3]
    .map((island) => fitting.filter((card) => islands[card] === island))
    .filter((own) => own.length > 0);
}

describe('PL-6: whole cards', () => {
  test('are as many as asked, all of them fitting, on as few islands as can be', () => {
    forAll(cases, ({ islands, fitting, count }) => {
      const chosen = chooseWhole(bookOf(islands), fitting, count);
      expect(new Set(chosen).size).toBe(count);
      expect(chosen.every((card) => fitting.includes(card))).toBe(true);
      const sizes = byIsland(islands, fitting).map((own) => own.length);
      const falling = sizes.toSorted((left, right) => right - left);
      const fewest = falling.findIndex((_, i) => falling.slice(0, i + 1).reduce((sum, size) => sum + size) >= count);
      expect(new Set(chosen.map((card) => islands[card])).size).toBe(fewest + 1);
    });
  });

  test('are the lowest of the island that has least to spare, the lower island among equals', () => {
    forAll(cases, ({ islands, fitting, count }) => {
      const enough = byIsland(islands, fitting).filter((own) => own.length >= count);
      const tightest = enough.toSorted((left, right) => left.length - right.length)[0];
      if (tightest === undefined) return;
      expect(chooseWhole(bookOf(islands), fitting, count)).toEqual(tightest.slice(0, count));
    });
  });

  test('fill the largest islands first and the last part where least is left over', () => {
    const choose = (islands: readonly number[], count: number): number[] =>
      chooseWhole(bookOf(islands), [...islands.keys()], count);
    expect(choose([0, 0, 0, 0, 1, 1, 2, 2], 5)).toEqual([0, 1, 2, 3, 4]);
    expect(choose([0, 0, 1, 1, 1, 2], 4)).toEqual([2, 3, 4, 5]);
    expect(choose([0, 1, 1, 1, 1, 2, 2], 6)).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe('slices on the fullest cards', () => {
  test('take the least room that is enough, the lower card among equals', () => {
    const rooms = fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 6 });
    forAll(fc.record({ rooms, count: fc.integer({ min: 1, max: 3 }) }), ({ rooms: free, count }) => {
      const book = new Book([aMachine('m').cards(PRODUCTS.a100, free.length).build()]);
      free.forEach((room, card) => (book.cardMemoryFreeMiB[card] = 10_000 * room));
      const requestClass = book.classOf(aRequest().sliceMiB(20_000).count(count).build());
      const fitting = [...free.keys()].filter((card) => (free[card] as number) >= 2);
      const want = fitting.toSorted((left, right) => (free[left] as number) - (free[right] as number)).slice(0, count);
      if (fitting.length < count) return;
      expect(chooseFullest(book, new CardScratch(), requestClass, 0)).toEqual(want);
    });
  });

  test('measure room in memory, and in compute where no memory is asked for', () => {
    const book = new Book([aMachine('m').cards(PRODUCTS.a100, 1).build()]);
    const asking = (milli: number): number => {
      const request = milli > 0 ? aRequest().slice({ unit: 'none' }, milli) : aRequest().sliceMiB(1);
      return roomOn(book, book.classOf(request.build()), 0);
    };
    expect([asking(0), asking(100)]).toEqual([81_920, 1000]);
  });
});
