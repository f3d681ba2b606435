import { describe, expect, test } from 'vitest';
import { aMachine, aPod, aRequest, PRODUCTS, type RequestBuilder } from '@springtide/testkit/builders';
import { Book } from './book.ts';
import { type Holding, holdingOn, migMask } from './holding.ts';

function heldOn(book: Book, request: RequestBuilder, cards: readonly number[]): Holding {
  const pod = aPod('p').asking(request).build();
  return holdingOn(book, pod, book.classOf(pod.request), { machine: 0, cards });
}

describe('a holding', () => {
  test('takes from each card what its kind gives', () => {
    const book = new Book([aMachine('m').cards(PRODUCTS.a100, 1).cards(PRODUCTS.l40s, 2).build()]);
    const half = aRequest().slice({ unit: 'milli', amount: 500 }, 100).count(2);
    expect(heldOn(book, half, [0, 2])).toMatchObject({
      memoryMiB: [40_960, 23_034],
      computeMilli: [100, 100],
      cpus: [],
    });
    expect(heldOn(book, half, [1, 2])).toMatchObject({ memoryMiB: [23_034, 23_034], computeMilli: [100, 100] });
    expect(heldOn(book, aRequest().whole(1), [1])).toMatchObject({ memoryMiB: [46_068], computeMilli: [1000] });
  });

  test('takes the first free place of its MIG profile, and AI CPUs with a template', () => {
    const mig = new Book([aMachine('m').cards(PRODUCTS.a100Mig, 1).build()]);
    expect(heldOn(mig, aRequest().mig('3g.40gb'), [0]).migBits).toEqual([0b1111_0000]);
    const B2 = PRODUCTS.ascend910B2;
    const cut = new Book([aMachine('m').cards(B2, 1).build()]);
    expect(heldOn(cut, aRequest().template('vir12_3c_32g', B2.resource), [0]).cpus).toEqual([3]);
  });

  test('of no cards has nothing of any', () => {
    const book = new Book([aMachine('m').build()]);
    expect(heldOn(book, aRequest().cpuMilli(1), [])).toMatchObject({ cards: [], memoryMiB: [], migBits: [], cpus: [] });
  });
});

test('a mask has as many bits as slices, from the start on', () => {
  expect([migMask(0, 8), migMask(4, 4), migMask(6, 1)]).toEqual([255, 240, 64]);
});
