import { describe, expect, test } from 'vitest';
import { aMachine, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { Book } from '../state/index.ts';
import { copiesIn, descend, domainsAt, levelsFrom } from './domains.ts';

/** Rack r1 in two zones, cards on two islands; m4 tells no place. */
const book = new Book(
  [
    aMachine('m0').inRack('r1', 'za').cards(PRODUCTS.a100, 4, { islandSize: 2 }),
    aMachine('m1').inRack('r2', 'za').cards(PRODUCTS.a100, 4),
    aMachine('m2').inRack('r1', 'zb').cards(PRODUCTS.a100, 4),
    aMachine('m3').inRack('r1', 'zb').cards(PRODUCTS.a100, 2),
    aMachine('m4'),
  ].map((machine) => machine.build()),
);
const all = [0, 1, 2, 3, 4];

describe('the parts of a fleet', () => {
  test.each([
    ['zone', ['za: 0 1', 'zb: 2 3', ': 4']],
    ['rack', ['r1: 0', 'r2: 1', 'r1: 2 3', ': 4']],
    ['machine', ['m0: 0', 'm1: 1', 'm2: 2', 'm3: 3', 'm4: 4']],
    ['island', ['m0/island-0: 0', 'm0/island-1: 0', 'm1/island-0: 1', 'm2/island-0: 2', 'm3/island-0: 3']],
    ['fleet', [': 0 1 2 3 4']],
  ] as const)('by %s', (level, want) => {
    expect(domainsAt(book, level, all).map(({ name, machines }) => `${name}: ${machines.join(' ')}`)).toEqual(want);
  });

  test('widen from a level outwards', () => {
    expect(levelsFrom('machine')).toEqual(['machine', 'rack', 'zone', 'fleet']);
    expect(levelsFrom('island')).toHaveLength(5);
  });

  test('hold as many copies as their machines together', () => {
    const pairs = book.classOf(aRequest().whole(2).build());
    const threes = book.classOf(aRequest().whole(3).build());
    const copies = (level: 'island' | 'rack' | 'fleet', requestClass: typeof pairs): number[] =>
      domainsAt(book, level, all).map((domain) => copiesIn(book, requestClass, domain));
    expect(copies('rack', pairs)).toEqual([2, 2, 3, 0]);
    expect(copies('island', threes)).toEqual([0, 0, 1, 1, 0]);
    expect(copies('fleet', threes)).toEqual([3]);
  });
});

describe('a descent', () => {
  const one = book.classOf(aRequest().whole(1).build());
  const [fleet] = domainsAt(book, 'fleet', all);
  const shares = (count: number): string[] | null =>
    descend(book, one, fleet!, count)?.map(({ machine, copies }) => `m${machine}x${copies}`) ?? null;

  test('takes the tightest part that holds all, level by level', () => {
    expect(shares(2)).toEqual(['m3x2']);
    expect(shares(6)).toEqual(['m2x4', 'm3x2']);
  });

  test('takes the roomiest parts whole and the tightest for the rest where none holds all', () => {
    expect(shares(8)).toEqual(['m0x4', 'm1x4']);
    expect(shares(10)).toEqual(['m0x4', 'm1x4', 'm3x2']);
    expect(shares(14)).toEqual(['m0x4', 'm1x4', 'm2x4', 'm3x2']);
  });

  test('is not possible where there is too little room', () => {
    expect(shares(15)).toBeNull();
  });
});
