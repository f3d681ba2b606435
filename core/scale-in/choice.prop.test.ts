import { aMachine, aPod, aRequest, evenly, PRODUCTS } from '@springtide/testkit/builders';
import { forAll } from '@springtide/testkit/property';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Book, fillBook } from '../state/index.ts';
import { chooseScaleIn, freedBy, type Replica } from './index.ts';

/** Against every subset of a small workload, judged by counting on books made anew. */

const REQUESTS = [
  aRequest().whole(1),
  aRequest().whole(2),
  aRequest().sliceMiB(20_000),
  aRequest().sliceMiB(40_000, 300),
  aRequest().sliceMiB(20_000).count(2),
];

const MAX_SKEW = 1;

const replicaCase = fc.record({
  machine: fc.nat(3),
  isReady: fc.integer({ min: 0, max: 9 }).map((die) => die > 0),
  hasCost: fc.integer({ min: 0, max: 9 }).map((die) => die === 0),
  isGuarded: fc.integer({ min: 0, max: 5 }).map((die) => die === 0),
});

const other = fc.record({
  machine: fc.nat(3),
  request: fc.constantFrom(...REQUESTS),
  isDeleting: fc.integer({ min: 0, max: 4 }).map((die) => die === 0),
});

const cases = fc.record({
  cards: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 2, maxLength: 4 }),
  cordoned: fc.integer({ min: -6, max: 3 }),
  faulty: fc.integer({ min: -6, max: 3 }),
  request: fc.constantFrom(...REQUESTS),
  isSpread: fc.boolean(),
  replicas: fc.array(replicaCase, { minLength: 3, maxLength: 9 }),
  others: fc.array(other, { maxLength: 3 }),
  percent: fc.integer({ min: 0, max: 100 }),
});
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

interface Scene {
  readonly book: Book;
  readonly replicas: readonly Replica[];
  readonly guarded: ReadonlySet<string>;
  readonly isSpread: boolean;
}

function sceneOf({ cards, cordoned, faulty, request, isSpread, replicas, others }: Case): Scene {
  const machines = cards.map((count, i) => {
    const plain = aMachine(`m${i}`)
      .labelled('zone', `z${i % 2}`)
      .cards(PRODUCTS.a100, count);
    const marked = i === cordoned ? plain.cordoned() : plain;
    return (i === faulty ? marked.health(0, 'fault') : marked).build();
  });
  const book = new Book(machines);
  const asked = isSpread ? request.spread(evenly('zone', { maxSkew: MAX_SKEW })) : request;
  const observe = (id: string, machine: number, asks: typeof request, isDeleting = false): void => {
    const pod = aPod(`default/${id}`)
      .labelled(id[0] === 'r' ? 'app' : 'other', 'x')
      .asking(asks)
      .build();
    const observed = { pod, machine: `m${machine % cards.length}`, isDeleting, held: null, fractionGroups: [] };
    fillBook(book, [observed]);
    // What the machine has no card for is not there.
    if ((book.holdings.get(pod.id)?.cardsMissing ?? 0) > 0) book.release(pod.id);
  };
  others.forEach((each, i) => observe(`o${i}`, each.machine, each.request, each.isDeleting));
  replicas.forEach(({ machine }, i) => observe(`r${i}`, machine, asked));
  const present = replicas.flatMap(({ isReady, hasCost, machine }, i): Replica[] => {
    const pod = book.holdings.get(`default/r${i}`)?.pod;
    if (pod === undefined) return [];
    const cost = hasCost ? (i % 2 === 0 ? -10 - i : 10 + i) : null;
    const times = { createdAtMs: 1000 + i, readySinceMs: 2000 + i, restarts: 0 };
    return [{ pod, uid: `u${i}`, machine: `m${machine}`, phase: 'Running', isReady, cost, ...times }];
  });
  const guarded = new Set(replicas.flatMap(({ isGuarded }, i) => (isGuarded ? [`default/r${i}`] : [])));
  return { book, replicas: present, guarded, isSpread };
}

/** Nobody stays who goes before somebody that leaves, whatever is written on either. */
function isLegal(replicas: readonly Replica[], leaving: ReadonlySet<Replica>): boolean {
  const place = ({ isReady, cost }: Replica): number => (isReady ? 1000 : 0) + (cost ?? 0);
  const stay = replicas.filter((replica) => !leaving.has(replica));
  return [...leaving].every((left) => stay.every((stays) => place(left) <= place(stays)));
}

/** Less skew, fewer guarded, more cards, more machines, idle cards together, free parts together. */
function worthOf({ book, guarded, isSpread }: Scene, leaving: ReadonlySet<Replica>): number[] {
  const gone = new Set([...leaving].map(({ pod }) => pod.id));
  const after = new Book(book.machines);
  const before = new Book(book.machines);
  for (const holding of book.holdings.values()) {
    if (holding.deleting) continue;
    before.hold(holding);
    if (!gone.has(holding.pod.id)) after.hold(holding);
  }
  const idle = after.machines.map((machine, rank) =>
    machine.cordoned ? [] : [...machine.cards.keys()].filter((i) => isIdle(after, rank, i)),
  );
  const wasIdle = idle.map((cards, rank) => cards.filter((i) => isIdle(before, rank, i)).length);
  const emptied = idle.filter(
    (_, rank) => !book.machines[rank]?.cordoned && after.cardsIdle(rank) && !before.cardsIdle(rank),
  );
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return [
    isSpread ? -skewOf(after) : 0,
    -[...gone].filter((id) => guarded.has(id)).length,
    sum(idle.map((cards, rank) => cards.length - (wasIdle[rank] as number))),
    emptied.length,
    sum(idle.map((cards) => cards.length ** 2)),
    sum([...after.cardIds.keys()].map((card) => freePercent(after, card) ** 2)),
  ];
}

function isIdle(book: Book, machine: number, card: number): boolean {
  const number = (book.cardStart[machine] as number) + card;
  return book.cardHolders[number] === 0 && book.cardUsable[number] === 1;
}

function freePercent(book: Book, card: number): number {
  const memory = (book.cardMemoryFreeMiB[card] as number) / PRODUCTS.a100.memoryMiB;
  return Math.floor(100 * Math.min(memory, (book.cardComputeFreeMilli[card] as number) / 1000));
}

/** The difference between the fullest zone and the emptiest, as far as it breaks the constraint. */
function skewOf(book: Book): number {
  const counts = new Map(book.machines.map(({ labels }) => [labels.get('zone'), 0]));
  for (const { pod, machine } of book.holdings.values()) {
    const zone = book.machines[machine]?.labels.get('zone');
    if (pod.labels.has('app')) counts.set(zone, (counts.get(zone) ?? 0) + 1);
  }
  return Math.max(MAX_SKEW, Math.max(...counts.values()) - Math.min(...counts.values()));
}

function* subsets(replicas: readonly Replica[], count: number): Generator<Set<Replica>> {
  for (let bits = 0; bits < 2 ** replicas.length; bits += 1) {
    const chosen = replicas.filter((_, i) => (bits >> i) & 1);
    if (chosen.length === count) yield new Set(chosen);
  }
}

function compare(left: readonly number[], right: readonly number[]): number {
  const i = left.findIndex((value, at) => value !== right[at]);
  return i === -1 ? 0 : (left[i] as number) - (right[i] as number);
}

test('P6: the choice is as good as the best of all that the order of deletion allows, and the book is as before', () => {
  let [steered, cards, machines] = [0, 0, 0];
  forAll(cases, (each) => {
    const scene = sceneOf(each);
    const { book, replicas, guarded } = scene;
    const count = Math.round((each.percent * replicas.length) / 100);
    const state = (): readonly number[] => [...book.cardHolders, ...book.cardMemoryFreeMiB, ...book.podsFree];
    const before = state();
    const options = { siblingsOn: new Map(), nowMs: 10_000, isGuarded: ({ pod }: Replica) => guarded.has(pod.id) };
    const { leaving, frees } = chooseScaleIn(book, replicas, count, options);
    expect(state()).toEqual(before);
    const chosen = new Set(leaving.map(({ replica }) => replica));
    expect(chosen.size).toBe(count);
    expect(isLegal(replicas, chosen)).toBe(true);
    const worth = worthOf(scene, chosen);
    expect([frees.cards.length, frees.machines.length]).toEqual(worth.slice(2, 4));
    const legal = [...subsets(replicas, count)].filter((set) => isLegal(replicas, set));
    const best = legal.map((set) => worthOf(scene, set)).reduce((one, two) => (compare(one, two) >= 0 ? one : two));
    expect(worth).toEqual(best);
    if (legal.length > 1) steered += 1;
    cards += frees.cards.length;
    machines += frees.machines.length;
    expect(
      freedBy(
        book,
        chosen.values().map(({ pod }) => pod.id),
      ),
    ).toEqual(frees);
  });
  expect([steered > 300, cards > 1000, machines > 400]).toEqual([true, true, true]);
});
