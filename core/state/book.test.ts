import { describe, expect, test } from 'vitest';
import { aMachine, aPod, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { Book } from './book.ts';
import { type Holding, holdingOn } from './holding.ts';
import { NOBODY } from './tenancy.ts';

const machines = [
  aMachine('n2').inRack('r1', 'za').cards(PRODUCTS.a100, 2).build(),
  aMachine('n10').inRack('r1', 'zb').cards(PRODUCTS.a100, 2).build(),
  aMachine('n1').inRack('r2', 'za').cards(PRODUCTS.t4, 1).build(),
];

function holding(book: Book, id: string, machine = 0): Holding {
  const pod = aPod(id).asking(aRequest().cpuMilli(1000)).build();
  return holdingOn(book, pod, book.classOf(pod.request), { machine, cards: [] });
}

describe('a book', () => {
  test('ranks machines by id, or as the order says', () => {
    expect(new Book(machines).machines.map(({ id }) => id)).toEqual(['n1', 'n10', 'n2']);
    const order = ['n2', 'n1', 'n10'];
    expect(new Book(machines, { order }).machines.map(({ id }) => id)).toEqual(order);
    expect(() => new Book(machines, { order: ['n2', 'n1'] })).toThrow('every machine once');
    expect(() => new Book(machines, { order: ['n2', 'n1', 'n3'] })).toThrow('n3');
    expect(() => new Book(machines, { order: ['n2', 'n1', 'n1'] })).toThrow('n1');
  });

  test('finds machines and cards by id, -1 where there is none', () => {
    const book = new Book(machines);
    expect([book.machineOf('n2'), book.machineOf('n3')]).toEqual([2, -1]);
    expect([book.cardOf('n10/1'), book.cardOf('n10/2')]).toEqual([2, -1]);
    expect([...book.cardStart]).toEqual([0, 1, 3, 5]);
  });

  test('tells racks apart that have one name in two zones', () => {
    const book = new Book(machines);
    expect(new Set(book.rackOf).size).toBe(3);
    expect(book.rackCount).toBe(3);
    expect([...book.zoneOf]).toEqual([0, 1, 0]);
  });

  test('refuses machines and cards that are there twice', () => {
    expect(() => new Book([machines[0]!, machines[0]!])).toThrow('machine n2 is in the fleet twice');
    const [first] = aMachine('n2').cards(PRODUCTS.a100, 1).build().cards;
    const other = { ...aMachine('n3').build(), cards: [first!] };
    expect(() => new Book([machines[0]!, other])).toThrow('card n2/0 is in the fleet twice');
  });

  test('holds a pod once, and gives back what it holds', () => {
    const book = new Book(machines);
    const held = holding(book, 'a');
    book.hold(held);
    expect(() => book.hold(holding(book, 'a', 1))).toThrow('pod a is held already');
    expect(book.release('a')).toBe(held);
    expect(() => book.release('a')).toThrow('pod a holds nothing');
  });

  test('numbers resources as they appear, and knows one that only pods name', () => {
    const book = new Book([aMachine('n1').offering('rdma/hca', 4).build()]);
    const pod = aPod('a').asking(aRequest().other('absent', 3).other('rdma/hca', 1)).build();
    const requestClass = book.classOf(pod.request);
    book.hold(holdingOn(book, pod, requestClass, { machine: 0, cards: [] }));
    expect(requestClass.resourceColumns.map((column) => book.columnFree(column)[0])).toEqual([-3, 3]);
  });
});

describe('savepoints', () => {
  test('nest: the outer one undoes what the inner one kept', () => {
    const book = new Book(machines);
    book.hold(holding(book, 'a'));
    const outer = book.savepoint();
    book.hold(holding(book, 'b'));
    const inner = book.savepoint();
    book.release('a');
    book.hold(holding(book, 'c', 1));
    book.keep(inner);
    expect([...book.holdings.keys()]).toEqual(['b', 'c']);
    book.rollBack(outer);
    expect([...book.holdings.keys()]).toEqual(['a']);
    expect([...book.cpuFreeMilli]).toEqual([63_000, 64_000, 64_000]);
  });

  test('let a pod be released and held elsewhere, and put back', () => {
    const book = new Book(machines);
    book.hold(holding(book, 'a', 2));
    const savepoint = book.savepoint();
    book.release('a');
    book.hold(holding(book, 'a', 1));
    book.rollBack(savepoint);
    expect(book.holdings.get('a')?.machine).toBe(2);
  });

  test('close innermost first and once', () => {
    const book = new Book(machines);
    expect(() => book.rollBack(0)).toThrow('innermost first');
    const outer = book.savepoint();
    const inner = book.savepoint();
    expect(() => book.rollBack(outer)).toThrow('innermost first');
    book.keep(inner);
    book.keep(outer);
    expect(() => book.keep(outer)).toThrow('innermost first');
  });

  test('undo reservations too', () => {
    const book = new Book(machines);
    book.reserve(1, 7);
    const savepoint = book.savepoint();
    book.reserve(1, NOBODY);
    book.reserve(2, 8);
    book.reserve(2, 9);
    book.rollBack(savepoint);
    expect([...book.reservedBy]).toEqual([NOBODY, 7, NOBODY]);
  });
});
