import { aMachine, aPod, aRequest, isIn, podsWith, PRODUCTS, type MachineBuilder } from '@springtide/testkit/builders';
import { describe, expect, test } from 'vitest';
import { mulberry32 } from '../base/index.ts';
import type { Machine, Request } from '../model/index.ts';
import { Placer, POLICIES } from '../placement/index.ts';
import { Book, fillBook } from '../state/index.ts';
import { emptiableMachines, type Emptiable } from './emptiable.ts';

const t4 = (id: string, count = 4): MachineBuilder => aMachine(id).labelled('host', id).cards(PRODUCTS.t4, count);
const whole = (count: number) => aRequest().whole(count);

type Row = readonly [machine: string, request: Request, isDeleting?: boolean];

function emptied(
  machines: readonly Machine[],
  rows: readonly Row[],
  canMove: (pod: string) => boolean = () => true,
): Emptiable {
  const book = new Book(machines);
  fillBook(
    book,
    rows.map(([machine, request, isDeleting = false], i) => ({
      pod: aPod(`default/p${i}`).labelled('app', 'p').asking(request).build(),
      machine,
      isDeleting,
      held: null,
      fractionGroups: [],
    })),
  );
  const before = [...book.cardHolders, ...book.cpuFreeMilli, ...book.reservedBy];
  const placer = new Placer({ book, policy: POLICIES.tide({ book, chance: mulberry32(1) }) });
  const found = emptiableMachines(placer, { canMove });
  expect([...book.cardHolders, ...book.cpuFreeMilli, ...book.reservedBy]).toEqual(before);
  expect(book.holdings.size).toBe(rows.length);
  return found;
}

const machines = ['a', 'b', 'c', 'd'].map((id) => t4(id).build());

describe('a machine can be emptied', () => {
  test('when all its pods with cards fit on machines that have work, not on empty ones', () => {
    expect(
      emptied(machines, [
        ['a', whole(2).build()],
        ['b', whole(2).build()],
      ]),
    ).toEqual({ alone: [0, 1], together: [0], moves: 1 });
    expect(
      emptied(machines, [
        ['a', whole(3).build()],
        ['b', whole(3).build()],
      ]),
    ).toEqual({ alone: [], together: [], moves: 0 });
  });

  test('with others in one go, the ones with fewest cards first', () => {
    const rows: Row[] = [
      ['a', whole(2).build()],
      ['b', whole(1).build()],
      ['c', whole(2).build()],
      ['c', whole(1).build()],
    ];
    expect(emptied(machines, rows)).toEqual({ alone: [0, 1, 2], together: [1], moves: 1 });
    const roomy: Row[] = [
      ['a', whole(1).build()],
      ['b', whole(1).build()],
      ['c', whole(1).build()],
      ['d', whole(1).build()],
    ];
    expect(emptied(machines, roomy)).toEqual({ alone: [0, 1, 2, 3], together: [0, 2, 3], moves: 3 });
  });

  test('whatever pods without cards it has, and pods on their way out', () => {
    const rows: Row[] = [
      ['a', aRequest().cpuMilli(64_000).build()],
      ['a', whole(4).build(), true],
      ['b', whole(4).build()],
    ];
    expect(emptied(machines, rows).alone).toEqual([0]);
  });

  test('unless a pod may not move, or its neighbours keep it', () => {
    const rows: Row[] = [
      ['a', whole(1).build()],
      ['b', whole(1).build()],
    ];
    expect(emptied(machines, rows, (pod) => pod !== 'default/p0').alone).toEqual([1]);
    const apart = whole(1)
      .awayFrom(podsWith('host', isIn('app', 'p')))
      .build();
    expect(
      emptied(machines, [
        ['a', apart],
        ['b', apart],
      ]).alone,
    ).toEqual([]);
  });

  test('to machines with the same model of card only', () => {
    const mixed = [t4('a').build(), aMachine('b').cards(PRODUCTS.a100, 4).build()];
    const rows: Row[] = [
      ['a', whole(1).build()],
      ['b', whole(1).build()],
    ];
    expect(emptied(mixed, rows).alone).toEqual([]);
  });

  test('but not when it is cordoned: nobody asks for it', () => {
    const cordoned = [t4('a').cordoned().build(), t4('b').build()];
    expect(
      emptied(cordoned, [
        ['a', whole(1).build()],
        ['b', whole(1).build()],
      ]).alone,
    ).toEqual([]);
  });
});
