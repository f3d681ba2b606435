import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aMachine, aPod, aRequest, type Product, PRODUCTS } from '@springtide/testkit/builders';
import { forAll } from '@springtide/testkit/property';
import { MIG_PLACES, type MigPlaces } from '@springtide/testkit/twin';
import { Book, holdingOn } from '../state/index.ts';
import { cardFits } from './fit.ts';
import { placeGang } from './gang.ts';
import { Placer } from './placer.ts';
import { Tide } from './tide.ts';

const SEVEN = PRODUCTS.a100Mig;
const FOUR = PRODUCTS.a30Mig;

type Profiles = readonly (readonly [name: string, places: MigPlaces])[];

function profilesOf(product: Product): Profiles {
  return Object.entries(MIG_PLACES[product.model] ?? {});
}

/** Most memory slices that some of these instances take of so many cards, every place of every one tried. */
function mostSlices(places: readonly MigPlaces[], cards: readonly number[]): number {
  const known = new Map<string, number>();
  const from = (index: number, bits: readonly number[]): number => {
    const next = places[index];
    if (next === undefined) return 0;
    const key = `${index} ${bits.join(' ')}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    let best = from(index + 1, bits);
    bits.forEach((taken, card) => {
      for (const start of next.starts) {
        const mask = ((1 << next.size) - 1) << start;
        if ((taken & mask) === 0) best = Math.max(best, next.size + from(index + 1, bits.with(card, taken | mask)));
      }
    });
    known.set(key, best);
    return best;
  };
  return from(
    0,
    cards.map(() => 0),
  );
}

/** All multisets of at most so many of these, by number. */
function multisets(kinds: number, lengthMax: number): number[][] {
  const found: number[][] = [];
  const extend = (set: number[]): void => {
    if (set.length > 0) found.push(set);
    if (set.length === lengthMax) return;
    for (let kind = set.at(-1) ?? 0; kind < kinds; kind += 1) extend([...set, kind]);
  };
  extend([]);
  return found;
}

/** Slices that these take of one card, one after the other, each at the first start that is free. */
function firstFit(product: Product, names: readonly string[]): number {
  const book = new Book([aMachine('m').podsMax(1000).cards(product, 1).build()]);
  names.forEach((name, index) => {
    const pod = aPod(`p${index}`).asking(aRequest().mig(name)).build();
    const requestClass = book.classOf(pod.request);
    if (cardFits(book, requestClass, 0)) book.hold(holdingOn(book, pod, requestClass, { machine: 0, cards: [0] }));
  });
  return (book.cardBits[0] as number).toString(2).replaceAll('0', '').length;
}

function placesGang(product: Product, names: readonly string[], cards: number): boolean {
  const book = new Book([aMachine('m').podsMax(1000).cards(product, cards).build()]);
  const placer = new Placer({ book, policy: new Tide(book) });
  const members = names.map((name, index) => {
    return { pod: aPod(`p${index}`).asking(aRequest().mig(name)).build(), role: 'worker' as const };
  });
  return placeGang(placer, { id: 'g', members, topology: null }).ok;
}

describe('MIG by profile and placement', () => {
  test.each([SEVEN, FOUR])(
    'first-fit, profiles with the fewest starts first, takes as many slices of a card as any choice of places does',
    (product) => {
      const profiles = profilesOf(product);
      for (const set of multisets(profiles.length, 6)) {
        const chosen = set.map((kind) => profiles[kind] as Profiles[number]);
        const hardFirst = chosen.toSorted(
          ([, left], [, right]) => left.starts.length - right.starts.length || right.size - left.size,
        );
        const names = hardFirst.map(([name]) => name);
        const most = mostSlices(
          chosen.map(([, places]) => places),
          [0],
        );
        expect([names, firstFit(product, names)]).toEqual([names, most]);
      }
    },
  );

  test('a gang of instances is placed exactly where some choice of cards and places has room for all', () => {
    const cases = fc.record({
      product: fc.constantFrom(SEVEN, FOUR),
      kinds: fc.array(fc.nat(5), { minLength: 1, maxLength: 8 }),
      cards: fc.integer({ min: 1, max: 2 }),
    });
    let placed = 0;
    forAll(cases, ({ product, kinds, cards }) => {
      const profiles = profilesOf(product);
      const chosen = kinds.map((kind) => profiles[kind % profiles.length] as Profiles[number]);
      const all = chosen.reduce((sum, [, { size }]) => sum + size, 0);
      const hasRoom =
        mostSlices(
          chosen.map(([, places]) => places),
          Array.from({ length: cards }, () => 0),
        ) === all;
      const names = chosen.map(([name]) => name);
      expect([names, placesGang(product, names, cards)]).toEqual([names, hasRoom]);
      placed += Number(hasRoom);
    });
    expect(placed).toBeGreaterThan(100);
  });

  test('two halves fill a card: whatever comes first, no third and no smallest goes beside them', () => {
    expect(firstFit(SEVEN, ['3g.40gb', '3g.40gb', '1g.10gb'])).toBe(8);
    expect(placesGang(SEVEN, ['3g.40gb', '3g.40gb'], 1)).toBe(true);
    expect(placesGang(SEVEN, ['1g.10gb', '3g.40gb', '3g.40gb'], 1)).toBe(false);
    expect(placesGang(SEVEN, ['1g.10gb', '3g.40gb', '3g.40gb'], 2)).toBe(true);
  });

  test('small ones that come first leave the place of the large: one at 6, 5 and 4, and 4g still fits', () => {
    expect(firstFit(SEVEN, ['1g.10gb', '1g.10gb', '1g.10gb', '4g.40gb'])).toBe(7);
    expect(firstFit(SEVEN, ['2g.20gb', '1g.10gb', '4g.40gb'])).toBe(7);
    expect(firstFit(SEVEN, ['1g.10gb', '3g.40gb', '2g.20gb'])).toBe(7);
  });

  test('a gang finds places that its members would not find in the order in which they are named', () => {
    const names = [...Array.from({ length: 6 }, () => '1g.10gb'), '1g.20gb'];
    expect(firstFit(SEVEN, names)).toBe(6);
    expect(placesGang(SEVEN, names, 1)).toBe(true);
  });
});
