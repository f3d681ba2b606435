import { describe, expect, test } from 'vitest';
import {
  aMachine,
  aPod,
  aRequest,
  type MachineBuilder,
  PRODUCTS,
  type RequestBuilder,
} from '@springtide/testkit/builders';
import { mulberry32 } from '../../base/index.ts';
import { Book, holdingOn } from '../../state/index.ts';
import { Placer } from '../placer.ts';
import { fragmentationMilli, machineFragmentationMilli, typicalRequests } from './fgd.ts';
import { isPolicyName, POLICIES, POLICY_NAMES, type PolicyName } from './index.ts';

const { a100 } = PRODUCTS;
const half = aRequest().cpuMilli(1000).slice({ unit: 'none' }, 500);
const whole = (count: number): RequestBuilder => aRequest().cpuMilli(1000).whole(count);

interface There {
  readonly machine: number;
  readonly cards: readonly number[];
  readonly request: RequestBuilder;
}

function bookWith(machines: readonly MachineBuilder[], there: readonly There[]): Book {
  const book = new Book(machines.map((machine) => machine.build()));
  there.forEach(({ machine, cards, request }, i) => {
    const pod = aPod(`there-${i}`).asking(request).build();
    const numbers = cards.map((card) => (book.cardStart[machine] as number) + card);
    book.hold(holdingOn(book, pod, book.classOf(pod.request), { machine, cards: numbers }));
  });
  return book;
}

/** What a policy chooses where whole cards are the typical request. */
function chosen(policy: PolicyName, book: Book, request: RequestBuilder): string {
  const pod = aPod('new').asking(request).build();
  const typical = typicalRequests([book.classOf(whole(1).build())]);
  const placer = new Placer({ book, policy: POLICIES[policy]({ book, chance: mulberry32(1), typical }) });
  const decision = placer.decide(pod);
  return decision.ok ? `${book.machines[decision.holding.machine]?.id} ${decision.holding.cards.join(' ')}` : 'nowhere';
}

/** An idle machine, one with a shared card, one with a whole card taken; cards 0 1, 2 3, 4 5. */
const three = [
  aMachine('a-idle').cards(a100, 2),
  aMachine('b-shared').cards(a100, 2),
  aMachine('c-whole').cards(a100, 2),
];
const there: readonly There[] = [
  { machine: 1, cards: [1], request: half },
  { machine: 2, cards: [0], request: whole(1) },
];

describe('the published peers', () => {
  test.each<[PolicyName, string, RequestBuilder, string]>([
    ['spread', 'the machine with most left', half, 'a-idle 0'],
    ['best-fit', 'the machine with least left, and its fullest card', half, 'c-whole 5'],
    ['gpu-packing', 'a shared card first', half, 'b-shared 3'],
    ['gpu-packing', 'then a free card of a used machine', whole(1), 'b-shared 2'],
    ['gpu-packing', 'an idle machine last', whole(2), 'a-idle 0 1'],
    ['gpu-clustering', 'beside the same size class', half, 'b-shared 3'],
    ['gpu-clustering', 'beside as many whole cards', whole(1), 'c-whole 5'],
    ['fgd', 'where the typical pod loses least', half, 'b-shared 3'],
    ['tide', 'with nothing learned, the first of equals', whole(1), 'a-idle 0'],
  ])('%s chooses %s', (policy, _, request, want) => {
    expect(chosen(policy, bookWith(three, there), request)).toBe(want);
  });

  test('dot-product chooses where free amounts point least in the direction of the pod', () => {
    const two = [aMachine('a-large').cpuMilli(128_000).cards(a100, 8), aMachine('b-small').cards(a100, 8)];
    expect(chosen('dot-product', bookWith(two, []), half.cpuMilli(60_000))).toBe('b-small 8');
  });

  test('have names', () => {
    expect(POLICY_NAMES).toContain('tide');
    expect([isPolicyName('fgd'), isPolicyName('toString'), isPolicyName('')]).toEqual([true, false, false]);
  });

  test('random reaches every machine and every card that fits', () => {
    const seen = new Set<string>();
    const book = bookWith(three, there);
    const policy = POLICIES.random({ book, chance: mulberry32(1) });
    const placer = new Placer({ book, policy, random: mulberry32(2) });
    const pod = aPod('new').asking(half).build();
    for (let i = 0; i < 200; i += 1) {
      const decision = placer.decide(pod);
      if (decision.ok) seen.add(`${decision.holding.machine} ${decision.holding.cards.join(' ')}`);
    }
    expect([...seen].toSorted()).toEqual(['0 0', '0 1', '1 2', '1 3', '2 5']);
  });

  test('random needs a generator for its ties', () => {
    const book = bookWith(three, []);
    const policy = POLICIES.random({ book, chance: mulberry32(1) });
    expect(() => new Placer({ book, policy })).toThrow('random ties need a generator');
  });
});

describe('the measure of fragmentation', () => {
  test('takes the most frequent requests until 95 % are covered, in order of first appearance among equals', () => {
    const book = bookWith(three, []);
    const [one, two, shared] = [whole(1), whole(2), half].map((request) => book.classOf(request.build()));
    const arrivals = [
      ...Array(48).fill(one),
      ...Array(2).fill(two),
      ...Array(2).fill(shared),
      ...Array(48).fill(shared),
    ];
    const typical = typicalRequests(arrivals);
    expect(typical.map(({ requestClass }) => requestClass)).toEqual([shared, one]);
    expect(typical.map(({ share }) => share)).toEqual([50 / 98, 48 / 98]);
  });

  test('counts what a typical pod cannot use: small rests, too few cards, too little CPU', () => {
    const book = bookWith([aMachine('m').cpuMilli(4000).cards(a100, 3)], [{ machine: 0, cards: [0], request: half }]);
    const lost = (request: RequestBuilder): number => {
      const typical = [{ requestClass: book.classOf(request.build()), share: 1 }];
      return machineFragmentationMilli(book, typical, 0);
    };
    expect(lost(whole(2))).toBe(500);
    expect(lost(whole(3))).toBe(2500);
    expect(lost(half)).toBe(0);
    expect(lost(whole(1).cpuMilli(4000))).toBe(2500);
    expect(lost(aRequest().cpuMilli(1))).toBe(2500);
    expect(lost(whole(1).models('other'))).toBe(2500);
  });

  test('of a machine without idle cards is nothing', () => {
    expect(fragmentationMilli([], { cpuLeftMilli: 1000, left: [0, 0], kind: [0, 0] })).toBe(0);
  });
});
