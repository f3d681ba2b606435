import { expect, test } from 'vitest';
import { aMachine, PRODUCTS } from '@springtide/testkit/builders';
import type { Card } from '../model/index.ts';
import { CardKinds } from './kinds.ts';

const [card] = aMachine('m').cards(PRODUCTS.a100, 1).build().cards as [Card];

/** The card with a part of it changed. */
function changed(part: Partial<Card>): Card {
  return { ...card, ...part };
}

test('cards are of one kind when no request can tell them apart: id, island, health and shares do not matter', () => {
  const kinds = new CardKinds();
  const others: Partial<Card>[] = [{ id: 'x' }, { island: 3 }, { health: 'fault' }, { sharesMax: 10 }];
  expect([card, ...others.map(changed)].map((each) => kinds.indexOf(each))).toEqual([0, 0, 0, 0, 0]);
});

test('anything else makes another kind, numbered as it appears', () => {
  const kinds = new CardKinds();
  const others: Partial<Card>[] = [
    { vendor: 'amd' },
    { resource: 'amd.com/gpu' },
    { model: 'A100' },
    { memoryMiB: 1 },
    { computeMilli: 500 },
    { slicing: 'mig' },
  ];
  expect([card, ...others.map(changed), card].map((each) => kinds.indexOf(each))).toEqual([0, 1, 2, 3, 4, 5, 6, 0]);
  expect(kinds.list.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6]);
});
