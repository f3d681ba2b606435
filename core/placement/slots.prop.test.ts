import * as fc from 'fast-check';
import { aMachine, aPod, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { forAll } from '@springtide/testkit/property';
import { describe, expect, test } from 'vitest';
import { mulberry32 } from '../base/index.ts';
import type { Card, CardChoice, MigOffer } from '../model/index.ts';
import { Book } from '../state/index.ts';
import { copiesOn } from './capacity.ts';
import { refusalOf } from './fit.ts';
import { Placer } from './placer.ts';
import { POLICIES, type PolicyName } from './policies/index.ts';

const OFFERS: readonly MigOffer[] = [
  { name: '1g.5gb', memoryMiB: 9_000, computeMilli: 130, starts: [6, 5, 4], size: 1 },
  { name: '2g.10gb', memoryMiB: 19_000, computeMilli: 260, starts: [0, 2, 4], size: 2 },
  { name: '3g.20gb', memoryMiB: 39_000, computeMilli: 390, starts: [4, 0], size: 4 },
];

interface Sketch {
  readonly numa: number;
  readonly isMig: boolean;
  readonly sharesMax: number;
}

function cardOf({ numa, isMig, sharesMax }: Sketch, index: number): Card {
  const more = { id: `GPU-${index}`, island: 0, health: 'ok', numa, sharesMax } as const;
  return isMig ? { ...PRODUCTS.a100Mig, ...more, migProfiles: OFFERS } : { ...PRODUCTS.a100, ...more };
}

interface Ask {
  readonly memoryMiB: number;
  readonly computeMilli: number;
  readonly count: number;
  readonly choice: CardChoice;
}

const ASKS: fc.Arbitrary<Ask> = fc.record({
  memoryMiB: fc.constantFrom(5_000, 15_000, 30_000, 45_000),
  computeMilli: fc.constantFrom(0, 100, 400, 1000),
  count: fc.integer({ min: 1, max: 3 }),
  choice: fc.constantFrom<CardChoice>(
    {},
    { isStacked: true },
    { isOneNuma: true },
    { isStacked: true, isOneNuma: true },
  ),
});

const CASES = fc.record({
  cards: fc.array(fc.record({ numa: fc.nat(1), isMig: fc.boolean(), sharesMax: fc.integer({ min: 1, max: 4 }) }), {
    minLength: 1,
    maxLength: 3,
  }),
  before: fc.array(ASKS, { maxLength: 4 }),
  ask: ASKS,
  policy: fc.constantFrom<PolicyName>('tide', 'best-fit', 'fgd', 'random'),
});

/** A card as the brute force sees it. */
interface Left {
  readonly numa: number;
  readonly isMig: boolean;
  readonly memoryMiB: number;
  readonly computeMilli: number;
  readonly shares: number;
  readonly holders: number;
  readonly bits: number;
}

/** Every way to give one part of a card, as what is left afterwards. */
function ways(ask: Ask, left: Left): Left[] {
  if (left.shares < 1) return [];
  const taken = { ...left, shares: left.shares - 1, holders: left.holders + 1 };
  if (!left.isMig) {
    const { memoryMiB, computeMilli } = ask;
    const isAlone = computeMilli < 1000 || left.holders === 0;
    const hasRoom = memoryMiB <= left.memoryMiB && Math.max(1, computeMilli) <= left.computeMilli;
    const after = { memoryMiB: left.memoryMiB - memoryMiB, computeMilli: left.computeMilli - computeMilli };
    return isAlone && hasRoom ? [{ ...taken, ...after }] : [];
  }
  const offer = OFFERS.find(({ memoryMiB }) => memoryMiB >= ask.memoryMiB);
  const places = (offer?.starts ?? []).map((start) => (2 ** (offer?.size ?? 0) - 1) * 2 ** start);
  return places.flatMap((place) =>
    (left.bits & place) === 0 ? [Object.assign({ ...taken }, { bits: left.bits | place })] : [],
  );
}

/** Every way to place the parts of one pod: on cards of their own, or stacked, and at one NUMA node or anywhere. */
function* placements(ask: Ask, cards: readonly Left[], from = 0, parts = ask.count, numa = -1): Generator<Left[]> {
  if (parts === 0) {
    yield [...cards];
    return;
  }
  for (let index = from; index < cards.length; index += 1) {
    const left = cards[index] as Left;
    if (ask.choice.isOneNuma === true && numa !== -1 && left.numa !== numa) continue;
    const mayStack = ask.choice.isStacked === true || left.isMig;
    for (const after of ways(ask, left)) {
      yield* placements(ask, cards.with(index, after), mayStack ? index : index + 1, parts - 1, left.numa);
    }
  }
}

function copiesTwin(ask: Ask, cards: readonly Left[], most: number): number {
  let found = 0;
  if (most === 0) return 0;
  const ends = new Map([...placements(ask, cards)].map((after) => [JSON.stringify(after), after] as const));
  for (const after of ends.values()) {
    found = Math.max(found, 1 + copiesTwin(ask, after, most - 1));
    if (found === most) break;
  }
  return found;
}

function leftOn(book: Book, sketches: readonly Sketch[]): Left[] {
  return sketches.map(({ numa, isMig }, card) => ({
    numa,
    isMig,
    memoryMiB: book.cardMemoryFreeMiB[card] as number,
    computeMilli: book.cardComputeFreeMilli[card] as number,
    shares: book.cardSharesFree[card] as number,
    holders: book.cardHolders[card] as number,
    bits: book.cardBits[card] as number,
  }));
}

function requestOf({ memoryMiB, computeMilli, count, choice }: Ask): ReturnType<typeof aRequest> {
  return aRequest().sliceMiB(memoryMiB, computeMilli).count(count).choosing(choice);
}

const COPIES = 2;

describe('PL-45: several parts of one pod on a card, and cards at one NUMA node', () => {
  test('fit exactly where some way to place them exists, and are placed so that nothing is overdrawn', () => {
    forAll(
      CASES,
      ({ cards: sketches, before, ask, policy }) => {
        const machine = { ...aMachine('m').build(), cards: sketches.map(cardOf) };
        const book = new Book([machine]);
        const placer = new Placer({
          book,
          policy: POLICIES[policy]({ book, chance: mulberry32(1) }),
          random: mulberry32(2),
        });
        before.forEach((each, i) => placer.place(aPod(`default/before-${i}`).asking(requestOf(each).build()).build()));
        const left = leftOn(book, sketches);
        const pod = aPod('default/it').asking(requestOf(ask).build()).build();
        const requestClass = book.classOf(pod.request, pod.tenant);
        const copies = copiesTwin(ask, left, COPIES);
        expect(refusalOf(book, requestClass, 0) === 0).toBe(copies > 0);
        expect(Math.min(COPIES, copiesOn(book, requestClass, 0))).toBe(copies);
        const decision = placer.place(pod);
        expect(decision.ok).toBe(copies > 0);
        if (!decision.ok) return;
        expect(decision.holding.cards.length).toBe(ask.count);
        const after = leftOn(book, sketches);
        for (const { memoryMiB, computeMilli, shares } of after.filter(({ isMig }) => !isMig)) {
          expect(Math.min(memoryMiB, computeMilli, shares)).toBeGreaterThanOrEqual(0);
        }
        const bits = [...book.holdings.values()]
          .flatMap(({ migBits }) => migBits)
          .reduce((sum, mask) => sum + ones(mask), 0);
        expect(after.reduce((sum, card) => sum + ones(card.bits), 0)).toBe(bits);
        const nodes = new Set(decision.holding.cards.map((card) => sketches[card]?.numa));
        if (ask.choice.isOneNuma === true) expect(nodes.size).toBe(1);
        book.release(pod.id);
        expect(leftOn(book, sketches)).toEqual(left);
      },
      400,
    );
  });
});

function ones(mask: number): number {
  return [0, 1, 2, 3, 4, 5, 6, 7].filter((bit) => ((mask >> bit) & 1) === 1).length;
}
