import { expect, test } from 'vitest';
import { aMachine, aPod, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import type { TopologyRequest } from '../model/index.ts';
import { Book, fillBook } from '../state/index.ts';
import { type Gang, gangCards } from './index.ts';

/** Racks r1 with two machines and r2 with one, of four cards each. */
const book = new Book(
  ['r1', 'r1', 'r2'].map((rack, i) => aMachine(`m${i}`).inRack(rack).cards(PRODUCTS.a100, 4).build()),
);
const inRack: TopologyRequest = { level: 'rack', mode: 'required', pattern: 'all-reduce' };

function gangOf(count: number, cards: number, topology: TopologyRequest | null = null): Gang {
  const pod = aPod('').asking(aRequest().whole(cards)).build();
  const members = Array.from({ length: count }, (_, i) => ({ pod: { ...pod, id: `p${i}` }, role: 'worker' as const }));
  return { id: 'g', members, topology };
}

test('P5: the cards a gang asks for, and those that pods of its size could hold in an empty fleet', () => {
  expect(gangCards(book, gangOf(1000, 1))).toEqual({ asked: 1000, there: 12, free: 12 });
  expect(gangCards(book, gangOf(4, 3))).toEqual({ asked: 12, there: 9, free: 9 });
  expect(gangCards(book, gangOf(1, 8))).toEqual({ asked: 8, there: 0, free: 0 });
});

test('P4: a required level counts its largest part, a preferred one all', () => {
  expect(gangCards(book, gangOf(3, 4, inRack))).toEqual({ asked: 12, there: 8, free: 8 });
  expect(gangCards(book, gangOf(3, 4, { ...inRack, mode: 'preferred' }))).toEqual({ asked: 12, there: 12, free: 12 });
  expect(gangCards(book, gangOf(2, 4, { ...inRack, level: 'island' }))).toEqual({ asked: 8, there: 4, free: 4 });
});

test('slices are not counted: several may share a card', () => {
  const pod = aPod('p').asking(aRequest().sliceMiB(1000)).build();
  expect(gangCards(book, { id: 'g', members: [{ pod, role: 'worker' }], topology: null })).toEqual({
    asked: 0,
    there: 0,
    free: 0,
  });
});

test('cards that are held are there, and not free', () => {
  const held = new Book(book.machines);
  const pod = aPod('held').asking(aRequest().whole(2).onMachine('m0')).build();
  fillBook(held, [{ pod, machine: 'm0', isDeleting: false, held: null, fractionGroups: [] }]);
  expect(gangCards(held, gangOf(4, 1))).toEqual({ asked: 4, there: 12, free: 10 });
  expect(gangCards(held, gangOf(4, 3))).toEqual({ asked: 12, there: 9, free: 6 });
  expect(gangCards(held, gangOf(2, 4, inRack))).toEqual({ asked: 8, there: 8, free: 4 });
});
