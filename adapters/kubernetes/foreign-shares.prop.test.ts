import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Request } from '@springtide/core/model';
import { Placer, Tide } from '@springtide/core/placement';
import { Book, fillBook } from '@springtide/core/state';
import { aPod, aRequest } from '@springtide/testkit/builders';
import { dumpOf, type Json, kubeNode, kubePod } from '@springtide/testkit/kubectl';
import { forAll } from '@springtide/testkit/property';
import type { Dump } from './dump.ts';

const GPU = 'nvidia.com/gpu';
const GROUP = 'runai-gpu-group';
/** Each reads a whole dump. */
const RUNS = 300;

function bookOf(dump: Dump): Book {
  const book = new Book(dump.machines);
  fillBook(book, dump.pods);
  return book;
}

/** Places these as long as there is room; how many were. */
function placeOurs(book: Book, requests: readonly Request[]): number {
  const placer = new Placer({ book, policy: new Tide(book) });
  return requests.filter((request, index) => placer.place(aPod(`ours/${index}`).asking(request).build()).ok).length;
}

/** Whoever placed them: no card beyond its compute, no whole card with two holders, none held that is not there. */
function expectSound(book: Book): void {
  expect(Math.min(...book.cardsFree, ...book.cardComputeFreeMilli)).toBeGreaterThanOrEqual(0);
  const holders = new Map<number, boolean[]>();
  for (const { pod, cards } of book.holdings.values()) {
    const isWhole = pod.request.cards.kind === 'whole';
    for (const card of cards) holders.set(card, [...(holders.get(card) ?? []), isWhole]);
  }
  for (const kinds of holders.values()) expect(kinds.length === 1 || !kinds.includes(true)).toBe(true);
  expect([...book.holdings.values()].filter(({ cardsMissing }) => cardsMissing > 0)).toEqual([]);
}

describe('cards that others share, beside our own pods', () => {
  test("KAI's fractions: each group holds one card, its reservation no other, and ours are never put on top", () => {
    const cases = fc.record({
      cards: fc.integer({ min: 1, max: 5 }),
      /** Thousandths that the pods of each group hold. */
      groups: fc.array(fc.array(fc.integer({ min: 100, max: 250 }), { minLength: 1, maxLength: 4 }), { maxLength: 3 }),
      hasReservations: fc.boolean(),
      wholes: fc.nat(2),
      ours: fc.array(fc.constantFrom<'whole' | 'fraction'>('whole', 'fraction'), { maxLength: 8 }),
    });
    let fullest = 0;
    forAll(
      cases,
      ({ cards, groups, hasReservations, wholes, ours }) => {
        const held = groups.slice(0, cards);
        const foreignWholes = Math.min(wholes, cards - held.length);
        const items: Json[] = [kubeNode('n', { capacity: { [GPU]: String(cards) } })];
        held.forEach((parts, group) => {
          const labels = { [GROUP]: `g${group}` };
          if (hasReservations)
            items.push(kubePod(`kai-resource-reservation/r${group}`, 'n', { labels, requests: { [GPU]: '1' } }));
          parts.forEach((milli, part) => {
            items.push(
              kubePod(`a/g${group}-${part}`, 'n', { labels, annotations: { 'gpu-fraction': `${milli / 1000}` } }),
            );
          });
        });
        for (let i = 0; i < foreignWholes; i += 1) items.push(kubePod(`b/w${i}`, 'n', { requests: { [GPU]: '1' } }));
        const book = bookOf(dumpOf(items));
        const before = held.length + foreignWholes;
        expect(book.cardsFree[0]).toBe(cards - before);
        const fraction = aRequest().slice({ unit: 'milli', amount: 500 }, 500).build();
        const asFraction = { ...fraction, cards: { ...fraction.cards, isFraction: true } } as Request;
        placeOurs(
          book,
          ours.map((kind) => (kind === 'whole' ? aRequest().whole(1).build() : asFraction)),
        );
        expectSound(book);
        const whole = [...book.holdings.values()].filter(
          ({ pod }) => pod.id.startsWith('ours/') && pod.request.cards.kind === 'whole',
        );
        expect(before + whole.length).toBeLessThanOrEqual(cards);
        fullest = Math.max(fullest, before + whole.length);
      },
      RUNS,
    );
    expect(fullest).toBe(5);
  });

  test('time slicing: shares are given once, ours and theirs, and are no memory of a card to anybody else', () => {
    const cases = fc.record({
      cards: fc.integer({ min: 1, max: 3 }),
      replicas: fc.integer({ min: 2, max: 4 }),
      theirs: fc.array(fc.integer({ min: 1, max: 2 }), { maxLength: 5 }),
      ours: fc.array(fc.integer({ min: 1, max: 2 }), { maxLength: 8 }),
    });
    forAll(
      cases,
      ({ cards, replicas, theirs, ours }) => {
        const labels = { 'nvidia.com/gpu.product': 'Tesla-T4-SHARED', 'nvidia.com/gpu.replicas': String(replicas) };
        const shares = cards * replicas;
        const items: Json[] = [kubeNode('n', { labels, capacity: { [GPU]: String(shares) } })];
        let left = shares;
        theirs.forEach((count, index) => {
          if (count > left) return;
          left -= count;
          items.push(kubePod(`a/p${index}`, 'n', { requests: { [GPU]: String(count) } }));
        });
        const book = bookOf(dumpOf(items));
        expect(book.cardsFree[0]).toBe(left);
        const placed = placeOurs(book, [
          ...ours.map((count) => aRequest().whole(count).build()),
          aRequest().sliceMiB(1000).build(),
        ]);
        expectSound(book);
        const taken = [...book.holdings.values()].reduce((sum, holding) => sum + holding.cards.length, 0);
        expect(taken).toBeLessThanOrEqual(shares);
        // What asks for memory of a card finds none that can be cut so.
        expect(placed).toBeLessThanOrEqual(ours.length);
        expect(book.holdings.has(`ours/${ours.length}`)).toBe(false);
      },
      RUNS,
    );
  });
});
