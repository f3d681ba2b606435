import { describe, expect, test } from 'vitest';
import { aMachine, aRequest, PRODUCTS, type RequestBuilder } from '@springtide/testkit/builders';
import { Book } from '../state/index.ts';
import { countCards, cpuOfCard } from './demand.ts';
import type { MixEntry } from './mix.ts';
import { Scarcity } from './scarcity.ts';

const { a100, l40s } = PRODUCTS;

/** 16 cards: 4 A100, 4 A100 on fast disks, 8 L40S with CPU for everybody. */
const book = new Book([
  aMachine('m0').cards(a100, 4).build(),
  aMachine('m1').cards(a100, 4).labelled('disk', 'ssd').build(),
  aMachine('m2').cpuMilli(128_000).cards(l40s, 8).build(),
]);

function mixOf(...requests: readonly RequestBuilder[]): MixEntry[] {
  return requests.map((request) => ({ requestClass: book.classOf(request.build()), share: 1 / requests.length }));
}

function pricesOf(...requests: readonly RequestBuilder[]): number[] {
  const scarcity = new Scarcity(book, { scarcityPrice: 1, slicePrice: 10 }, countCards(book));
  return [...scarcity.pricesFor(mixOf(...requests))];
}

const any = aRequest().whole(1);

describe('the price of what is scarce', () => {
  test('is nothing while every request may go anywhere, or names the machine it wants', () => {
    expect(pricesOf(any, aRequest().whole(4))).toEqual([0, 0, 0]);
    expect(pricesOf(any, any.onMachine('m0'), any.nodeSelector('kubernetes.io/hostname', 'm0'))).toEqual([0, 0, 0]);
    expect(pricesOf()).toEqual([0, 0, 0]);
  });

  test('is 1 where a class that insists on a model could just fill what it may use', () => {
    expect(pricesOf(any, any.models(a100.model))).toEqual([1, 1, 0]);
    expect(pricesOf(any.models(a100.model))).toEqual([2, 2, 0]);
  });

  test('counts labels, and the CPU and the cards that few machines have', () => {
    expect(pricesOf(any, any.nodeSelector('disk', 'ssd'))).toEqual([0, 2, 0]);
    expect(pricesOf(any.cpuMilli(100_000))).toEqual([0, 0, 2]);
    expect(pricesOf(aRequest().whole(8))).toEqual([0, 0, 2]);
  });

  test('is none for whole cards that most of the fleet could take', () => {
    const most = aRequest()
      .whole(1)
      .nodeTerm([{ key: 'disk', operator: 'DoesNotExist', values: [] }]);
    expect(pricesOf(most)).toEqual([0, 0, 0]);
  });

  test('of cards that are large enough for a slice is a price of its own', () => {
    expect(pricesOf(aRequest().sliceMiB(50_000))).toEqual([20, 20, 0]);
    expect(pricesOf(aRequest().sliceMiB(40_000))).toEqual([0, 0, 0]);
  });
});

describe('the CPU a card is asked with', () => {
  test('is what pods with cards ask for, over the cards they ask for', () => {
    expect(cpuOfCard(book, mixOf(any.cpuMilli(6000)))).toBe(6000);
    expect(cpuOfCard(book, mixOf(aRequest().cpuMilli(8000).whole(4)))).toBe(2000);
    expect(cpuOfCard(book, mixOf(any.cpuMilli(6000), aRequest().cpuMilli(64_000)))).toBe(6000);
    expect(cpuOfCard(book, mixOf(aRequest().cpuMilli(1000).slice({ unit: 'none' }, 250)))).toBe(4000);
  });

  test('takes of a slice the larger part, and the mean over the kinds it may use', () => {
    const half = aRequest().cpuMilli(3000).slice({ unit: 'milli', amount: 500 }, 100);
    expect(cpuOfCard(book, mixOf(half))).toBeCloseTo(6000);
    const onAny = 1 / (0.5 * (40_960 / a100.memoryMiB) + 0.5 * (40_960 / l40s.memoryMiB));
    expect(cpuOfCard(book, mixOf(aRequest().cpuMilli(1000).sliceMiB(40_960)))).toBeCloseTo(1000 * onAny);
  });

  test('is nothing without a mix, or without cards', () => {
    expect(cpuOfCard(book, [])).toBe(0);
    expect(cpuOfCard(book, mixOf(aRequest().cpuMilli(1000)))).toBe(0);
  });
});
