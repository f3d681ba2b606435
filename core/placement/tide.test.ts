import { describe, expect, test } from 'vitest';
import {
  aMachine,
  aPod,
  aRequest,
  type MachineBuilder,
  PRODUCTS,
  type RequestBuilder,
} from '@springtide/testkit/builders';
import { Book } from '../state/index.ts';
import { Placer } from './placer.ts';
import { Tide, TIDE_DEFAULTS } from './tide.ts';

const { a100, t4, l40s } = PRODUCTS;

interface Fixture {
  readonly book: Book;
  readonly tide: Tide;
  readonly placer: Placer;
}

function fixture(...machines: readonly MachineBuilder[]): Fixture {
  const book = new Book(machines.map((machine) => machine.build()));
  const tide = new Tide(book);
  return { book, tide, placer: new Placer({ book, policy: tide }) };
}

function learn({ book, tide }: Fixture, ...requests: readonly RequestBuilder[]): void {
  tide.learn(requests.map((request) => ({ requestClass: book.classOf(request.build()), share: 1 / requests.length })));
}

function chosen({ book, placer }: Fixture, request: RequestBuilder): string {
  const decision = placer.decide(aPod('new').asking(request).build());
  if (!decision.ok) return 'nowhere';
  return [book.machines[decision.holding.machine]?.id, ...decision.holding.cards].join(' ');
}

function put({ placer }: Fixture, id: string, request: RequestBuilder): void {
  expect(placer.place(aPod(id).asking(request).build()).ok).toBe(true);
}

describe('tide', () => {
  test('P3: promises a card beyond its memory only where no card has it left (PL-50)', () => {
    const { a100Shared } = PRODUCTS;
    const fleet = fixture(aMachine('a').cards(a100Shared, 1), aMachine('b').cards(a100Shared, 1));
    const shared = aRequest().sharedMiB(30_000);
    learn(fleet, shared, aRequest().sliceMiB(50_000, 500));
    put(fleet, 'slice', aRequest().sliceMiB(50_000, 500));
    const where = Array.from({ length: 6 }, (_, i) => {
      const place = chosen(fleet, shared);
      put(fleet, `shared-${i}`, shared);
      return place;
    });
    expect(where.toSorted()).toEqual(['a 0', 'a 0', 'b 1', 'b 1', 'b 1', 'b 1']);
    expect(where.slice(0, 3).toSorted()).toEqual(['a 0', 'b 1', 'b 1']);
    expect(chosen(fleet, shared)).toBe('nowhere');
  });

  test('keeps requests that can go elsewhere off models that others insist on', () => {
    const fleet = fixture(aMachine('a').cards(a100, 2), aMachine('b').cards(t4, 2));
    const any = aRequest().whole(1);
    expect(chosen(fleet, any)).toBe('a 0');
    learn(fleet, any, aRequest().whole(1).models(a100.model));
    expect(chosen(fleet, any)).toBe('b 2');
  });

  test('gives a preferred model among equals, best first', () => {
    const fleet = fixture(aMachine('a').cards(a100, 1), aMachine('b').cards(l40s, 1), aMachine('c').cards(t4, 1));
    expect(chosen(fleet, aRequest().whole(1).preferring(t4.model, l40s.model))).toBe('c 2');
    expect(chosen(fleet, aRequest().whole(1).preferring('no such', l40s.model))).toBe('b 1');
    expect(chosen(fleet, aRequest().whole(1))).toBe('a 0');
  });

  test('leaves CPU beside free cards to the pods that will want both', () => {
    const hungry = aRequest().cpuMilli(16_000).whole(1);
    const fleet = fixture(aMachine('a').cards(a100, 4), aMachine('b').cpuMilli(64_000));
    learn(fleet, hungry);
    expect(chosen(fleet, aRequest().cpuMilli(16_000))).toBe('b');
  });

  test('fills a started card before it starts another, where the mix fills cards exactly', () => {
    const half = aRequest().slice({ unit: 'none' }, 500);
    const fleet = fixture(aMachine('a').cards(a100, 2), aMachine('b').cards(a100, 2));
    learn(fleet, half, aRequest().whole(1));
    put(fleet, 'first', half.onMachine('b'));
    expect(chosen(fleet, half)).toBe('b 2');
    expect(chosen(fleet, aRequest().whole(2))).toBe('a 0 1');
  });

  test('leaves no rest that nobody wants: what fits a rest exactly goes there', () => {
    const [most, rest] = [aRequest().slice({ unit: 'none' }, 600), aRequest().slice({ unit: 'none' }, 400)];
    const fleet = fixture(aMachine('a').cards(a100, 1), aMachine('b').cards(a100, 1));
    learn(fleet, most, rest);
    put(fleet, 'sixty', most.onMachine('b'));
    expect(chosen(fleet, rest)).toBe('b 1');
    expect(chosen(fleet, most)).toBe('a 0');
  });

  test('PL-22: growth is rounded to the quantum, and what is equal after that goes by rank', () => {
    const [most, rest] = [aRequest().slice({ unit: 'none' }, 600), aRequest().slice({ unit: 'none' }, 400)];
    const machines = ['a', 'b'].map((id) => aMachine(id).cards(a100, 1).build());
    const choice = (quantumMilli: number): string => {
      const book = new Book(machines);
      const tide = new Tide(book, { ...TIDE_DEFAULTS, quantumMilli });
      const fleet = { book, tide, placer: new Placer({ book, policy: tide }) };
      learn(fleet, most, rest);
      put(fleet, 'sixty', most.onMachine('b'));
      return chosen(fleet, rest);
    };
    expect(choice(TIDE_DEFAULTS.quantumMilli)).toBe('b 1');
    expect(choice(1_000_000)).toBe('a 0');
  });

  test('learns from arrivals: what it would not have known at first', () => {
    const fleet = fixture(aMachine('a').podsMax(1000).cards(a100, 2), aMachine('b').cards(t4, 2));
    const insists = aRequest().whole(1).models(a100.model);
    const any = aRequest().whole(1);
    const epoch = fleet.tide.epoch();
    for (let i = 0; i < 32; i += 1)
      for (const request of [insists, any]) fleet.placer.place(aPod('p').asking(request.onMachine('none')).build());
    expect(fleet.tide.epoch()).toBeGreaterThan(epoch);
  });

  test('names the parts of its growth', () => {
    const fleet = fixture(aMachine('a').cards(a100, 2));
    const requestClass = fleet.book.classOf(aRequest().whole(1).build());
    expect(fleet.tide.terms(requestClass, 0).map(({ name }) => name)).toEqual(['waste', 'cpu-deficit', 'scarcity']);
  });
});
