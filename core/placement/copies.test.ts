import { aMachine, aPod, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { expect, test } from 'vitest';
import { mulberry32 } from '../base/index.ts';
import type { Request } from '../model/index.ts';
import { Book } from '../state/index.ts';
import { copiesThatFit } from './copies.ts';
import { POLICIES } from './policies/index.ts';
import { Placer } from './placer.ts';

function copies(request: Request): unknown {
  const book = new Book([
    aMachine('a').cards(PRODUCTS.t4, 4).build(),
    aMachine('b').cpuMilli(10_000).cards(PRODUCTS.t4, 8).build(),
    aMachine('c').build(),
  ]);
  const placer = new Placer({ book, policy: POLICIES.tide({ book, chance: mulberry32(1) }) });
  const found = copiesThatFit(placer, aPod('default/p').asking(request).build());
  expect(book.holdings.size).toBe(0);
  return [found.total, Object.fromEntries(found.byMachine), found.isCut];
}

test('copies are limited by what runs out first on each machine', () => {
  expect(copies(aRequest().whole(1).cpuMilli(4000).build())).toEqual([6, { 0: 4, 1: 2 }, false]);
  expect(copies(aRequest().whole(3).build())).toEqual([3, { 0: 1, 1: 2 }, false]);
  expect(copies(aRequest().whole(9).build())).toEqual([0, {}, false]);
});

test('copies of a pod with a host port are one a machine', () => {
  expect(copies(aRequest().whole(1).hostPort(80).build())).toEqual([2, { 0: 1, 1: 1 }, false]);
});
