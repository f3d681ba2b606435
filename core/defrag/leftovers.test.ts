import { aMachine, aPod, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { expect, test } from 'vitest';
import type { Request } from '../model/index.ts';
import { Book, fillBook } from '../state/index.ts';
import { classesOf, commonRequests } from './common-requests.ts';
import { leftoversBy } from './leftovers.ts';

const slice = (mib: number, milli = 0): Request => aRequest().sliceMiB(mib, milli).build();

function left(held: readonly Request[], mix: readonly Request[]) {
  const book = new Book([aMachine('m').cards(PRODUCTS.l40s, 2).build()]);
  fillBook(
    book,
    held.map((request, i) => ({
      pod: aPod(`default/p${i}`).asking(request).build(),
      machine: 'm',
      isDeleting: false,
      held: null,
      fractionGroups: [],
    })),
  );
  const pods = mix.map((request, i) => aPod(`default/m${i}`).asking(request).build());
  return leftoversBy(book, commonRequests(classesOf(book, pods)), () => 'all').get('all');
}

test('what is left of shared cards is usable as far as one common request would fill it', () => {
  expect(left([slice(36_068, 300)], [slice(4000, 100)])).toEqual({
    cards: 1,
    freeMiB: 10_000,
    freeComputeMilli: 700,
    unusableMiB: 2000,
    unusableComputeMilli: 500,
    unusableCards: 0,
  });
});

test('a card on which no common request fits is lost with all that is free', () => {
  expect(left([slice(44_068), slice(40_000)], [slice(4000)])).toMatchObject({
    cards: 2,
    freeMiB: 2000 + 6068,
    unusableMiB: 2000 + 2068,
    unusableCards: 1,
  });
});

test('idle cards and cards held whole leave nothing', () => {
  expect(left([aRequest().whole(1).build()], [slice(4000)])).toBeUndefined();
});
