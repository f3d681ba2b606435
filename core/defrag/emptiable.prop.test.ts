import { aMachine, aPod, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { forAll } from '@springtide/testkit/property';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareText, mulberry32 } from '../base/index.ts';
import type { Pod, Request } from '../model/index.ts';
import { Placer, POLICIES } from '../placement/index.ts';
import { Book, fillBook, NOBODY, type Holding } from '../state/index.ts';
import { emptiableMachines } from './emptiable.ts';

const held = ({ cards, cardsMissing }: Holding): number => cards.length + cardsMissing;

function placerOn(book: Book): Placer {
  return new Placer({ book, policy: POLICIES['best-fit']({ book, chance: mulberry32(1) }) });
}

/** The pod, bound to the models that it holds. */
function sameModel(book: Book, { pod, cards }: Holding): Pod {
  const asked = pod.request.cards;
  const models = [...new Set(cards.map((card) => book.kinds[book.cardKind[card] as number]?.model ?? ''))];
  if (asked.kind === 'none' || asked.models !== null || models.length === 0) return pod;
  return { ...pod, request: { ...pod.request, cards: { ...asked, models } } };
}

/** On a book made anew: everything but the machine's pods with cards, then those one by one, the largest first. */
function canBeEmptied(book: Book, machine: number): boolean {
  const fresh = new Book(book.machines);
  const leaving = book.podsOn(machine).filter((holding) => held(holding) > 0);
  for (const holding of book.holdings.values()) if (!leaving.includes(holding)) fresh.hold(holding);
  for (let other = 0; other < book.machines.length; other += 1) {
    const isClosed = other === machine || book.cardsIdle(other) || book.reservedBy[other] !== NOBODY;
    if (isClosed) fresh.reserve(other, 1);
  }
  const placer = placerOn(fresh);
  const order = leaving.toSorted((left, right) => held(right) - held(left) || compareText(left.pod.id, right.pod.id));
  return order.filter(({ deleting }) => !deleting).every((holding) => placer.place(sameModel(book, holding)).ok);
}

const WIDTHS = fc.array(fc.record({ cards: fc.integer({ min: 1, max: 4 }), isT4: fc.boolean() }), {
  minLength: 2,
  maxLength: 5,
});

const REQUESTS: readonly Request[] = [
  aRequest().whole(1),
  aRequest().whole(2).cpuMilli(20_000),
  aRequest().sliceMiB(20_000),
  aRequest().sliceMiB(60_000, 300),
  aRequest().whole(1).hostPort(80),
  aRequest().cpuMilli(30_000),
].map((builder) => builder.build());

const PODS = fc.array(
  fc.record({
    machine: fc.nat(4),
    request: fc.constantFrom(...REQUESTS),
    isDeleting: fc.integer({ min: 0, max: 9 }).map((die) => die === 9),
  }),
  { minLength: 2, maxLength: 9 },
);

test('a machine can be emptied exactly where its pods find places one by one on a fresh book, which stays as it was', () => {
  let found = 0;
  forAll(fc.record({ widths: WIDTHS, pods: PODS }), ({ widths, pods }) => {
    const book = new Book(
      widths.map(({ cards, isT4 }, i) =>
        aMachine(`m${i}`)
          .cards(isT4 ? PRODUCTS.t4 : PRODUCTS.a100, cards)
          .build(),
      ),
    );
    fillBook(
      book,
      pods.map(({ machine, request, isDeleting }, i) => {
        const pod = aPod(`default/p${i}`).asking(request).build();
        return { pod, machine: `m${machine % widths.length}`, isDeleting, held: null, fractionGroups: [] };
      }),
    );
    const state = (): readonly number[] => [...book.cardHolders, ...book.cpuFreeMilli, ...book.reservedBy];
    const before = state();
    const { alone, together } = emptiableMachines(placerOn(book), { canMove: () => true });
    expect(state()).toEqual(before);
    const want = [...book.machines.keys()].filter(
      (machine) => book.podsOn(machine).some((holding) => held(holding) > 0) && canBeEmptied(book, machine),
    );
    expect(alone).toEqual(want);
    expect(want).toEqual(expect.arrayContaining([...together]));
    found += alone.length;
  });
  expect(found).toBeGreaterThan(500);
});
