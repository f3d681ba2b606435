import { describe, expect, test } from 'vitest';
import { aMachine, aPod, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { mulberry32 } from '../base/index.ts';
import type { TopologyLevel } from '../model/index.ts';
import { Book, NOBODY } from '../state/index.ts';
import { type Gang, placeGang } from './gang.ts';
import { Placer } from './placer.ts';
import { POLICIES } from './policies/index.ts';
import { RESERVATIONS_MAX, Reservations } from './reservations.ts';

interface Fixture {
  readonly book: Book;
  readonly placer: Placer;
  readonly reservations: Reservations;
}

/** Two racks of two machines of four cards; the first card of each machine of rack r1 is taken. */
function fixture(): Fixture {
  const machines = ['m0', 'm1', 'm2', 'm3'].map((id, i) =>
    aMachine(id)
      .inRack(i < 2 ? 'r1' : 'r2')
      .cards(PRODUCTS.a100, 4)
      .build(),
  );
  const book = new Book(machines);
  const placer = new Placer({ book, policy: POLICIES.tide({ book, chance: mulberry32(1) }) });
  for (const machine of ['m0', 'm1']) {
    placer.place(aPod(`on-${machine}`).asking(aRequest().whole(1).onMachine(machine)).build());
  }
  return { book, placer, reservations: new Reservations(book) };
}

function gangOf(count: number, cards: number, level: TopologyLevel, id = 'gang'): Gang {
  const pod = aPod('').asking(aRequest().whole(cards)).build();
  const members = Array.from({ length: count }, (_, i) => ({
    pod: { ...pod, id: `${id}-${i}` },
    role: 'worker' as const,
  }));
  return { id, members, topology: { level, mode: 'required', pattern: 'all-reduce' } };
}

describe('a reservation', () => {
  test('keeps the part of the fleet with most free cards, and closes it to everybody else', () => {
    const { book, placer, reservations } = fixture();
    const gang = gangOf(2, 4, 'rack');
    expect(reservations.open(gang, 1000)).toEqual({ gang: 'gang', domain: 'r2', machines: [2, 3], expiresAtMs: 1000 });
    expect([...book.reservedBy]).toEqual([NOBODY, NOBODY, 0, 0]);
    const decision = placer.decide(aPod('other').asking(aRequest().whole(4)).build());
    expect(!decision.ok && decision.refusals).toEqual([
      { filter: 'reserved', machines: 2 },
      { filter: 'cards', machines: 2 },
    ]);
  });

  test('is open to its own gang, which starts there and gives it back', () => {
    const { book, placer, reservations } = fixture();
    const gang = gangOf(2, 4, 'rack');
    reservations.open(gang, 1000);
    expect(placeGang(placer, gang).ok).toBe(false);
    const decision = placeGang(placer, gang, reservations.of('gang'));
    expect(decision.ok && decision.domain.name).toBe('r2');
    reservations.close('gang');
    expect(reservations.list).toEqual([]);
    expect([...book.reservedBy]).toEqual(Array(4).fill(NOBODY));
  });

  test('survives a try that fails, and does not count as an obstacle to its own gang', () => {
    const { book, placer, reservations } = fixture();
    const gang = gangOf(2, 4, 'rack');
    reservations.open(gang, 1000);
    placer.book.hold(heldBeside(book));
    const decision = placeGang(placer, gang, reservations.of('gang'));
    expect(decision.ok).toBe(false);
    if (!decision.ok) expect(decision.refusal.refusals.map(({ filter }) => filter)).not.toContain('reserved');
    expect([...book.reservedBy]).toEqual([NOBODY, NOBODY, 0, 0]);
  });

  test('times out at its time, not before', () => {
    const { book, reservations } = fixture();
    reservations.open(gangOf(2, 4, 'rack'), 1000);
    expect(reservations.expire(999)).toEqual([]);
    expect(reservations.expire(1000)).toEqual(['gang']);
    expect([...book.reservedBy]).toEqual(Array(4).fill(NOBODY));
    expect(reservations.of('gang')).toBe(NOBODY);
  });

  test('is one for each gang, and no two keep one machine', () => {
    const { reservations } = fixture();
    expect(reservations.open(gangOf(2, 4, 'rack'), 1)).not.toBeNull();
    expect(reservations.open(gangOf(2, 4, 'rack'), 1)).toBeNull();
    expect(reservations.open(gangOf(2, 4, 'rack', 'next'), 1)?.domain).toBe('r1');
    expect(reservations.open(gangOf(1, 1, 'machine', 'last'), 1)).toBeNull();
  });

  test('is not made where even the empty part could not hold the gang', () => {
    const { reservations } = fixture();
    expect(reservations.open(gangOf(3, 4, 'rack'), 1)).toBeNull();
    expect(reservations.open({ ...gangOf(5, 4, 'rack'), topology: null }, 1)).toBeNull();
    expect(reservations.open({ ...gangOf(1, 5, 'rack'), topology: null }, 1)).toBeNull();
  });

  test('without a topology keeps the machines with most free cards, as few as could hold the gang', () => {
    const { reservations } = fixture();
    const anywhere = (count: number, cards: number, id: string): Gang => ({
      ...gangOf(count, cards, 'rack', id),
      topology: null,
    });
    // Three cards a member leave one of each machine unused.
    expect(reservations.open(anywhere(3, 3, 'a'), 1)?.machines).toEqual([2, 3, 0]);
    expect(reservations.open(anywhere(2, 3, 'b'), 1)).toBeNull();
    expect(reservations.open(anywhere(1, 3, 'c'), 1)?.machines).toEqual([1]);
  });

  test('of an island keeps its machine', () => {
    const { reservations } = fixture();
    expect(reservations.open(gangOf(1, 4, 'island'), 1)?.machines).toEqual([2]);
  });

  test('is refused when there are as many as are allowed', () => {
    const machines = Array.from({ length: RESERVATIONS_MAX + 1 }, (_, i) =>
      aMachine(`m${i}`).cards(PRODUCTS.a100, 1).build(),
    );
    const reservations = new Reservations(new Book(machines));
    const opened = machines.map((_, i) => reservations.open(gangOf(1, 1, 'machine', `g${i}`), 1));
    expect(opened.filter((reservation) => reservation !== null)).toHaveLength(RESERVATIONS_MAX);
  });
});

/** A pod that somebody else has put on machine m2 although it is kept. */
function heldBeside(book: Book) {
  const pod = aPod('beside').asking(aRequest().whole(1)).build();
  return {
    pod,
    machine: 2,
    cards: [book.cardStart[2] as number],
    memoryMiB: [81_920],
    computeMilli: [1000],
    cpus: [],
    migBits: [],
    cardsMissing: 0,
    guessed: false,
    deleting: false,
  };
}
