import { describe, expect, test } from 'vitest';
import { aMachine, aPod, aRequest, type Product, PRODUCTS, type RequestBuilder } from '@springtide/testkit/builders';
import { mulberry32 } from '../base/index.ts';
import { Book, fillBook, holdingOn } from '../state/index.ts';
import { copiesOn } from './capacity.ts';
import { obstacleFinder } from './obstacles.ts';
import { Placer } from './placer.ts';
import { POLICIES } from './policies/index.ts';
import { refusalOf } from './fit.ts';

/** One card: 80 GiB that may be promised up to 120, compute of which shared pods may have two cards' worth. */
const CARD = PRODUCTS.a100Shared;
const SIZE = CARD.memoryMiB;

class OneCard {
  readonly book: Book;
  #pods = 0;

  constructor(product: Product = CARD) {
    this.book = new Book([aMachine('m').podsMax(1000).cards(product, 1).build()]);
  }

  fits(request: RequestBuilder): boolean {
    return refusalOf(this.book, this.book.classOf(request.build()), 0) === 0;
  }

  hold(request: RequestBuilder): void {
    this.#pods += 1;
    const pod = aPod(`p${this.#pods}`).asking(request).build();
    this.book.hold(holdingOn(this.book, pod, this.book.classOf(pod.request), { machine: 0, cards: [0] }));
  }
}

const slice = (memoryMiB: number, computeMilli = 0): RequestBuilder => aRequest().sliceMiB(memoryMiB, computeMilli);
const shared = (memoryMiB: number, computeMilli = 0): RequestBuilder => aRequest().sharedMiB(memoryMiB, computeMilli);

describe('P3: memory of a card that is oversubscribed (PL-47)', () => {
  test('is promised to shared pods up to the bound, and to guaranteed ones up to the card', () => {
    const card = new OneCard();
    card.hold(slice(SIZE / 2));
    card.hold(shared(SIZE / 2));
    expect([card.fits(slice(1)), card.fits(shared(SIZE / 2)), card.fits(shared(SIZE / 2 + 1))]).toEqual([
      false,
      true,
      false,
    ]);
    card.hold(shared(SIZE / 2));
    expect([card.fits(slice(1)), card.fits(shared(1)), card.book.cardMemoryFreeMiB[0]]).toEqual([
      false,
      false,
      0 - SIZE / 2,
    ]);
  });

  test('is not taken back for a guaranteed pod: what shared pods were promised is not there for it', () => {
    const card = new OneCard();
    card.hold(shared(SIZE - 100));
    expect([card.fits(slice(100)), card.fits(slice(101))]).toEqual([true, false]);
  });

  test('is at most one card for one pod', () => {
    expect([new OneCard().fits(shared(SIZE)), new OneCard().fits(shared(SIZE + 1))]).toEqual([true, false]);
  });

  test('names what is missing up to the bound', () => {
    const card = new OneCard();
    card.hold(shared(SIZE));
    const placer = new Placer({ book: card.book, policy: POLICIES.tide({ book: card.book, chance: mulberry32(1) }) });
    const told = obstacleFinder(
      placer,
      aPod('late')
        .asking(shared(SIZE / 2 + 7))
        .build(),
    )(0);
    expect(told).toEqual([{ filter: 'slice', resource: 'sliceMiB', missing: 7, isBeyond: false }]);
  });
});

describe('P3: compute of a card that is oversubscribed (PL-48)', () => {
  test('yields: shared pods take none of it from guaranteed ones, and are bounded by themselves', () => {
    const card = new OneCard();
    card.hold(shared(1, 1000));
    card.hold(shared(1, 700));
    expect([card.fits(slice(1, 999)), card.fits(shared(1, 300)), card.fits(shared(1, 301))]).toEqual([
      true,
      true,
      false,
    ]);
    card.hold(slice(1, 999));
    expect([card.fits(shared(1, 300)), card.fits(slice(1, 1)), card.fits(slice(1, 2))]).toEqual([true, true, false]);
  });

  test('is not shared with a pod that has all of it, nor with whole cards', () => {
    const [full, whole, beside] = [new OneCard(), new OneCard(), new OneCard()];
    full.hold(slice(1, 1000));
    whole.hold(aRequest().whole(1));
    beside.hold(shared(1, 10));
    expect([full.fits(shared(1)), whole.fits(shared(1))]).toEqual([false, false]);
    expect([beside.fits(slice(1, 1000)), beside.fits(aRequest().whole(1))]).toEqual([false, false]);
  });

  test('is counted for copies as it is for one pod after the other', () => {
    const card = new OneCard();
    const requestClass = card.book.classOf(shared(10_000, 300).build());
    expect(copiesOn(card.book, requestClass, 0)).toBe(6);
    card.hold(slice(1, 500));
    expect(copiesOn(card.book, requestClass, 0)).toBe(6);
    expect(copiesOn(card.book, card.book.classOf(shared(30_000, 100).build()), 0)).toBe(4);
  });
});

describe('P3: shared pods are judged like slices (PL-49)', () => {
  test('where nothing is oversubscribed, part by part', () => {
    const plain = new OneCard(PRODUCTS.a100);
    plain.hold(shared(SIZE / 2, 600));
    expect([plain.fits(slice(1, 401)), plain.fits(shared(1, 401)), plain.fits(shared(SIZE / 2 + 1))]).toEqual([
      false,
      false,
      false,
    ]);
    const compute = new OneCard(PRODUCTS.l40sShared);
    compute.hold(shared(46_068, 1000));
    expect([compute.fits(shared(1, 1)), compute.fits(shared(0, 1))]).toEqual([false, true]);
  });
});

describe('P3: shared pods that were observed', () => {
  test('are booked beside each other within the bound, whoever placed them', () => {
    const machine = aMachine('m').cards(CARD, 2).build();
    const book = new Book([machine]);
    const ids = ['a', 'b', 'c', 'd'];
    const pods = ids.map((id) => ({
      pod: aPod(id)
        .asking(shared(SIZE / 2, 500))
        .build(),
      machine: 'm',
      isDeleting: false,
      held: null,
      fractionGroups: [],
    }));
    expect(fillBook(book, pods).overbooked).toEqual([]);
    expect(Array.from(book.cardMemoryFreeMiB)).toEqual([0 - SIZE / 2, SIZE / 2]);
    expect(Array.from(book.cardSharedFreeMilli)).toEqual([500, 1500]);
    expect(Array.from(book.cardComputeFreeMilli)).toEqual([1000, 1000]);
  });
});
