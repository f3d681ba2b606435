import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aMachine, aPod, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { forAll } from '@springtide/testkit/property';
import { mulberry32 } from '../base/index.ts';
import { Book } from '../state/index.ts';
import { Placer } from './placer.ts';
import { POLICIES, POLICY_NAMES } from './policies/index.ts';

const COMINGS = fc.array(
  fc.record({
    isShared: fc.boolean(),
    memoryMiB: fc.constantFrom<number>(0, 1, 5000, 20_000, 40_960, 46_068, 81_920, 100_000),
    computeMilli: fc.constantFrom<number>(0, 1, 250, 500, 999, 1000),
    leaving: fc.option(fc.nat(7)),
  }),
  { minLength: 1, maxLength: 24 },
);

type Coming = NonNullable<ReturnType<typeof COMINGS.generate>['value'][number]>;

function placerOn(
  products: readonly (typeof PRODUCTS)[keyof typeof PRODUCTS][],
  policy: (typeof POLICY_NAMES)[number],
  cards = 2,
): Placer {
  const machines = products.map((product, i) => aMachine(`m${i}`).podsMax(1000).cards(product, cards).build());
  const book = new Book(machines);
  return new Placer({ book, policy: POLICIES[policy]({ book, chance: mulberry32(1) }), random: mulberry32(2) });
}

function podOf(
  { isShared, memoryMiB, computeMilli }: Coming,
  id: string,
): ReturnType<ReturnType<typeof aPod>['build']> {
  const request = isShared
    ? aRequest().sharedMiB(memoryMiB, computeMilli)
    : aRequest().sliceMiB(memoryMiB, computeMilli);
  return aPod(id).asking(request).build();
}

/** Adds up, card by card, what shared and guaranteed pods hold. */
function sums(book: Book, isShared: boolean): { memoryMiB: number[]; computeMilli: number[] } {
  const memoryMiB = book.cardIds.map(() => 0);
  const computeMilli = book.cardIds.map(() => 0);
  for (const holding of book.holdings.values()) {
    if ((holding.pod.request.cards.kind === 'shared') !== isShared) continue;
    holding.cards.forEach((card, i) => {
      memoryMiB[card]! += holding.memoryMiB[i] as number;
      computeMilli[card]! += holding.computeMilli[i] as number;
    });
  }
  return { memoryMiB, computeMilli };
}

const BOUNDED = [PRODUCTS.a100Shared, PRODUCTS.l40sShared, PRODUCTS.a100];

describe('P3: cards that are oversubscribed', () => {
  test('I1: guaranteed pods are within the card and all pods within the bound, whatever comes and goes', () => {
    forAll(fc.record({ todo: COMINGS, policy: fc.constantFrom(...POLICY_NAMES) }), ({ todo, policy }) => {
      const placer = placerOn(BOUNDED, policy);
      const { book } = placer;
      todo.forEach((coming, i) => {
        const leaving = coming.leaving === null ? undefined : [...book.holdings.keys()][coming.leaving];
        if (leaving !== undefined) book.release(leaving);
        placer.place(podOf(coming, `p${i}`));
        const [held, shared] = [sums(book, false), sums(book, true)];
        book.cardIds.forEach((_, card) => {
          const { memoryMiB, computeMilli, shared: bound } = book.kinds[book.cardKind[card] as number]!;
          const all = (held.memoryMiB[card] as number) + (shared.memoryMiB[card] as number);
          expect(held.memoryMiB[card]).toBeLessThanOrEqual(memoryMiB);
          expect(all).toBeLessThanOrEqual(bound?.memoryMiB ?? memoryMiB);
          expect(held.computeMilli[card]).toBeLessThanOrEqual(computeMilli);
          expect(shared.computeMilli[card]).toBeLessThanOrEqual(bound?.computeMilli ?? computeMilli);
        });
      });
    });
  });

  test('change nothing while they are not: a shared pod goes where the slice of its size would', () => {
    const plain = [PRODUCTS.a100, PRODUCTS.l40s, PRODUCTS.t4];
    forAll(fc.record({ todo: COMINGS, policy: fc.constantFrom(...POLICY_NAMES) }), ({ todo, policy }) => {
      const [placer, twin] = [placerOn(plain, policy), placerOn(plain, policy)];
      todo.forEach((coming, i) => {
        const cardsOf = (decision: ReturnType<Placer['place']>): unknown =>
          decision.ok ? decision.holding.cards : decision.refusals;
        const asked = placer.place(podOf(coming, `p${i}`));
        const asSlice = twin.place(podOf({ ...coming, isShared: false }, `p${i}`));
        expect(cardsOf(asked)).toEqual(cardsOf(asSlice));
      });
    });
  });

  test('compute that yields never keeps a guaranteed pod off a card that takes it without the shared ones', () => {
    forAll(COMINGS, (todo) => {
      const placer = placerOn([PRODUCTS.l40sShared], 'tide', 1);
      const without = placerOn([PRODUCTS.l40sShared], 'tide', 1);
      todo.forEach((coming, i) => {
        const pod = podOf({ ...coming, memoryMiB: 0, computeMilli: Math.min(999, coming.computeMilli) }, `p${i}`);
        const decision = placer.place(pod);
        if (coming.isShared) return;
        expect(decision.ok).toBe(without.place(pod).ok);
      });
    });
  });
});
