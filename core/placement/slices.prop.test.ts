import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aMachine, aPod, aRequest, type Product, PRODUCTS, type RequestBuilder } from '@springtide/testkit/builders';
import { forAll } from '@springtide/testkit/property';
import { MIG_PLACES, migStarts, TEMPLATES } from '@springtide/testkit/twin';
import { Book, holdingOn, migStartOn } from '../state/index.ts';
import { cardFits } from './fit.ts';

const MIG = [PRODUCTS.a100Mig, PRODUCTS.h100Mig, PRODUCTS.a30Mig, PRODUCTS.rtxPro6000Mig];
const CUT = [
  PRODUCTS.ascend310P,
  PRODUCTS.ascend910A,
  PRODUCTS.ascend910B2,
  PRODUCTS.ascend910B3,
  PRODUCTS.ascend910B4,
];

/** A card alone on a machine with CPU for everybody, and pods that come and go on it. */
class OneCard {
  readonly book: Book;

  constructor(product: Product) {
    this.book = new Book([aMachine('m').podsMax(1000).cards(product, 1).build()]);
  }

  fits(request: RequestBuilder): boolean {
    return cardFits(this.book, this.book.classOf(request.build()), 0);
  }

  hold(id: string, request: RequestBuilder): void {
    const pod = aPod(id).asking(request).build();
    this.book.hold(holdingOn(this.book, pod, this.book.classOf(pod.request), { machine: 0, cards: [0] }));
  }
}

/** Requests by number of their kind, and releases of a pod that is there. */
const comings = fc.array(fc.record({ kind: fc.nat(5), gone: fc.option(fc.nat(9)) }), { minLength: 1, maxLength: 16 });

describe('MIG', () => {
  test('finds a place exactly where there is one, on memory slices that are free and may be started on', () => {
    forAll(fc.record({ product: fc.constantFrom(...MIG), todo: comings }), ({ product, todo }) => {
      const profiles = Object.entries(MIG_PLACES[product.model] ?? {});
      const card = new OneCard(product);
      const taken = new Map<string, number[]>();
      todo.forEach(({ kind, gone }, i) => {
        const [leaving] = gone === null ? [] : [[...taken.keys()][gone]];
        if (leaving !== undefined) {
          card.book.release(leaving);
          taken.delete(leaving);
        }
        const [name, places] = profiles[kind % profiles.length] as (typeof profiles)[number];
        const request = aRequest().mig(name);
        const free = migStarts(places, [...taken.values()].flat());
        expect(card.fits(request)).toBe(free.length > 0);
        if (free.length === 0) return;
        const start = migStartOn(card.book, card.book.classOf(request.build()), 0);
        expect(free).toContain(start);
        card.hold(`p${i}`, request);
        taken.set(
          `p${i}`,
          Array.from({ length: places.size }, (_, slice) => start + slice),
        );
      });
      expect(card.book.cardBits[0]).toBe([...taken.values()].flat().reduce((bits, slice) => bits + 2 ** slice, 0));
    });
  });

  test('leaves the low half free for 4g while anything smaller has a place in the high one', () => {
    for (const product of [PRODUCTS.a100Mig, PRODUCTS.h100Mig]) {
      for (const profiles of [['1g.10gb', '1g.10gb', '1g.10gb'], ['1g.20gb', '2g.20gb'], ['3g.40gb']]) {
        const card = new OneCard(product);
        profiles.forEach((profile, i) => card.hold(`p${i}`, aRequest().mig(profile)));
        expect(card.fits(aRequest().mig('4g.40gb'))).toBe(true);
      }
    }
  });

  test('serves seven of the smallest, two of the halves, and one of the whole', () => {
    for (const product of [PRODUCTS.a100Mig, PRODUCTS.h100Mig]) {
      const fill = (profile: string): number => {
        const card = new OneCard(product);
        let count = 0;
        for (; card.fits(aRequest().mig(profile)); count += 1) card.hold(`p${count}`, aRequest().mig(profile));
        return count;
      };
      expect(['1g.10gb', '1g.20gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb'].map(fill)).toEqual([7, 4, 3, 2, 1, 1]);
    }
  });
});

describe('templates', () => {
  test('fit exactly while memory, cores and AI CPUs of the card are enough for all of them', () => {
    forAll(fc.record({ product: fc.constantFrom(...CUT), todo: comings }), ({ product, todo }) => {
      const table = TEMPLATES[product.model] as (typeof TEMPLATES)[string];
      const templates = Object.entries(table.templates);
      const card = new OneCard(product);
      const there = new Map<string, (typeof templates)[number][1]>();
      todo.forEach(({ kind, gone }, i) => {
        const leaving = gone === null ? undefined : [...there.keys()][gone];
        if (leaving !== undefined) {
          card.book.release(leaving);
          there.delete(leaving);
        }
        const [name, sizes] = templates[kind % templates.length] as (typeof templates)[number];
        const all = [...there.values(), sizes];
        const total = (part: 'memoryMiB' | 'cores' | 'cpus'): number => all.reduce((sum, each) => sum + each[part], 0);
        const isEnough =
          total('memoryMiB') <= table.card.memoryMiB &&
          total('cores') <= table.card.cores &&
          (table.card.cpus === 0 || total('cpus') <= table.card.cpus);
        const request = aRequest().template(name, product.resource);
        expect(card.fits(request)).toBe(isEnough);
        if (!isEnough) return;
        card.hold(`p${i}`, request);
        there.set(`p${i}`, sizes);
      });
    });
  });
});
