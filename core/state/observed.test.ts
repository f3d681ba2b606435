import { aMachine, aPod, aRequest, NVIDIA, PRODUCTS } from '@springtide/testkit/builders';
import {
  array,
  assert,
  constant,
  constantFrom,
  integer,
  oneof,
  property,
  record,
  shuffledSubarray,
  tuple,
} from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Request } from '../model/index.ts';
import { Book } from './book.ts';
import { fillBook, type ObservedHolding } from './observed.ts';

function seen(
  id: string,
  machine: string | null,
  request: Request,
  more: Partial<ObservedHolding> = {},
): ObservedHolding {
  const pod = aPod(id).asking(request).build();
  return { pod, machine, isDeleting: false, held: null, fractionGroups: [], ...more };
}

const whole = (count: number): Request => aRequest().whole(count).build();

/** Cards by holder: `a` holds the cards listed. */
function holdings(book: Book): Record<string, readonly number[]> {
  return Object.fromEntries([...book.holdings].map(([id, holding]) => [id, holding.cards]));
}

describe('a book filled from what was observed', () => {
  test('guesses the lowest free cards, in order of pod id, and says that it guessed', () => {
    const book = new Book([aMachine('m').cards(PRODUCTS.t4, 4).build()]);
    fillBook(book, [seen('b', 'm', whole(1)), seen('a', 'm', whole(2))]);
    expect(holdings(book)).toEqual({ a: [0, 1], b: [2] });
    expect(book.holdings.get('a')?.guessed).toBe(true);
    expect(book.cardsFree[0]).toBe(1);
  });

  test('books named cards as named before it guesses', () => {
    const book = new Book([aMachine('m').cards(PRODUCTS.a100, 3).build()]);
    const slice = { cardId: 'm/0', memoryMiB: 8192, computeMilli: 300, migStart: null };
    fillBook(book, [seen('a', 'm', whole(1)), seen('z', 'm', aRequest().sliceMiB(8192).build(), { held: [slice] })]);
    expect(holdings(book)).toEqual({ z: [0], a: [1] });
    expect(book.holdings.get('z')?.guessed).toBe(false);
    expect([book.cardMemoryFreeMiB[0], book.cardComputeFreeMilli[0]]).toEqual([81_920 - 8192, 700]);
  });

  test('takes only cards of the resource, and healthy ones', () => {
    const machine = aMachine('m').cards(PRODUCTS.ascend910B3, 1).cards(PRODUCTS.t4, 3).health(1, 'fault').build();
    const book = new Book([machine]);
    fillBook(book, [seen('a', 'm', whole(1))]);
    expect(holdings(book)).toEqual({ a: [2] });
  });

  test('gives one card to the pods of a fraction group', () => {
    const book = new Book([aMachine('m').cards(PRODUCTS.a100, 4).build()]);
    const half = aRequest().slice({ unit: 'milli', amount: 500 }, 500).build();
    const group = (name: string) => ({ fractionGroups: [name] });
    fillBook(book, [
      seen('d', 'm', half, group('g1')),
      seen('c', 'm', whole(1)),
      seen('b', 'm', half, group('g2')),
      seen('a', 'm', half, group('g1')),
    ]);
    expect(holdings(book)).toEqual({ a: [0], b: [1], c: [2], d: [0] });
    expect(Array.from(book.cardComputeFreeMilli)).toEqual([0, 500, 0, 1000]);
  });

  test('puts a slice without a name where it has room, and cuts MIG cards at a free place', () => {
    const machine = aMachine('m').cards(PRODUCTS.a100, 2).cards(PRODUCTS.a100Mig, 1).build();
    const book = new Book([machine]);
    fillBook(book, [
      seen('a', 'm', aRequest().sliceMiB(50_000).build()),
      seen('b', 'm', aRequest().sliceMiB(50_000).build()),
      seen('c', 'm', aRequest().sliceMiB(20_000).build()),
      seen('d', 'm', aRequest().mig('3g.40gb').build()),
      seen('e', 'm', aRequest().mig('3g.40gb').build()),
    ]);
    expect(holdings(book)).toEqual({ a: [0], b: [1], c: [0], d: [2], e: [2] });
    expect(book.cardBits[2]).toBe(0b1111_1111);
  });

  test('books a MIG instance with a name at its place', () => {
    const book = new Book([aMachine('m').cards(PRODUCTS.a100Mig, 1).build()]);
    const instance = { cardId: 'm/0', memoryMiB: 20_480, computeMilli: 285, migStart: 2 };
    fillBook(book, [seen('a', 'm', aRequest().mig('2g.20gb').build(), { held: [instance] })]);
    expect(book.cardBits[0]).toBe(0b1100);
  });

  test('holds a card whole where the pod asks for a part and the card cannot be cut', () => {
    const book = new Book([aMachine('m').cards(PRODUCTS.t4, 2).build()]);
    fillBook(book, [seen('a', 'm', aRequest().sliceMiB(4096).build())]);
    expect(holdings(book)).toEqual({ a: [0] });
    expect(book.cardMemoryFreeMiB[0]).toBe(0);
  });

  test('counts what an overbooked machine has no card for, as Kubernetes does', () => {
    const book = new Book([aMachine('m').cards(PRODUCTS.t4, 2).build(), aMachine('n').cards(PRODUCTS.t4, 1).build()]);
    const { overbooked } = fillBook(book, [
      seen('a', 'm', whole(2)),
      seen('b', 'm', whole(1)),
      seen('c', 'n', whole(1)),
    ]);
    expect(overbooked).toEqual([{ machine: 'm', cardsMissing: 1 }]);
    expect(book.cardsFree[0]).toBe(-1);
    book.release('a');
    expect(book.cardsFree[0]).toBe(1);
  });

  test('cards of a resource that the machine has not do not make those it has any fewer', () => {
    const book = new Book([aMachine('m').cards(PRODUCTS.t4, 2).build()]);
    const ascend = aRequest().whole(2).resource('huawei.com/Ascend910').build();
    fillBook(book, [seen('a', 'm', ascend)]);
    expect([book.holdings.get('a')?.cardsMissing, book.cardsFree[0]]).toEqual([2, 2]);
  });

  test('leaves out pods that wait and pods on machines it does not know, and names the latter', () => {
    const book = new Book([aMachine('m').cards(PRODUCTS.t4, 2).build()]);
    const { strangers } = fillBook(book, [seen('a', null, whole(1)), seen('b', 'gone', whole(1))]);
    expect([book.holdings.size, strangers]).toEqual([0, ['b']]);
  });

  test('is the same in whatever order the pods come', () => {
    const machines = [aMachine('m').cards(PRODUCTS.a100, 4).build(), aMachine('n').cards(PRODUCTS.t4, 3).build()];
    const asked = oneof(
      integer({ min: 1, max: 3 }).map(whole),
      integer({ min: 1, max: 60 }).map((gib) =>
        aRequest()
          .sliceMiB(gib * 1024)
          .build(),
      ),
      constant(aRequest().cpuMilli(500).build()),
    );
    const one = record({
      machine: constantFrom('m', 'n'),
      request: asked,
      group: constantFrom<string[]>([], ['g1'], ['g2']),
    });
    const cases = array(one, { minLength: 1, maxLength: 12 }).chain((pods) => {
      const all = pods.map(({ machine, request, group }, i) =>
        seen(`${NVIDIA}-${i}`, machine, request, { fractionGroups: group }),
      );
      return tuple(constant(all), shuffledSubarray(all, { minLength: all.length }));
    });
    assert(
      property(cases, ([straight, shuffled]) => {
        const [left, right] = [new Book(machines), new Book(machines)];
        const filled = [fillBook(left, straight), fillBook(right, shuffled)];
        expect(filled[0]).toEqual(filled[1]);
        expect(holdings(left)).toEqual(holdings(right));
        expect(left.cardsFree).toEqual(right.cardsFree);
      }),
      { seed: 42, numRuns: 300 },
    );
  });
});
