import { describe, expect, test } from 'vitest';
import { aMachine, aRequest, type Product, PRODUCTS, type RequestBuilder } from '@springtide/testkit/builders';
import { Book } from './book.ts';
import type { CardDemand } from './classes.ts';

function demandOn(product: Product, request: RequestBuilder): CardDemand {
  const book = new Book([aMachine('n1').cards(product, 1).build()]);
  return book.classOf(request.build()).demands[0] as CardDemand;
}

describe('a slice asks of a card', () => {
  const { a100, unknown, ascend910B2, ascend910A } = PRODUCTS;
  const half = { unit: 'milli', amount: 500 } as const;
  const B2 = ascend910B2.resource;
  test.each<[string, Product, RequestBuilder, [memoryMiB: number, computeMilli: number, cpus: number]]>([
    ['MiB as they are', a100, aRequest().sliceMiB(5000, 300), [5000, 300, 0]],
    ['thousandths, rounded down', a100, aRequest().slice({ unit: 'milli', amount: 333 }, 0), [27_279, 0, 0]],
    ['compute alone', a100, aRequest().slice({ unit: 'none' }, 250), [0, 250, 0]],
    ['compute of a card of unknown size', unknown, aRequest().slice({ unit: 'none' }, 250), [0, 250, 0]],
    ['a template that has as much', ascend910B2, aRequest().sliceMiB(8192).resource(B2), [8192, 125, 1]],
    ['the next template by memory', ascend910B2, aRequest().sliceMiB(8193).resource(B2), [16_384, 250, 1]],
    ['the next template by compute', ascend910B2, aRequest().sliceMiB(1, 251).resource(B2), [32_768, 500, 3]],
    ['the whole card beyond all templates', ascend910B2, aRequest().slice(half, 501).resource(B2), [65_536, 1000, 6]],
    ['two thirtieths', ascend910A, aRequest().sliceMiB(2000).resource(ascend910A.resource), [2184, 66, 0]],
  ])('%s', (_, product, request, [memoryMiB, computeMilli, cpus]) => {
    expect(demandOn(product, request)).toMatchObject({ refusal: 0, memoryMiB, computeMilli, cpus });
  });

  test.each<[string, Product, RequestBuilder]>([
    ['more than a template card has', ascend910B2, aRequest().sliceMiB(65_537).resource(B2)],
    ['MiB of a card of unknown size', unknown, aRequest().sliceMiB(1)],
    ['a share of memory nobody knows, and nothing else', unknown, aRequest().slice(half, 0)],
  ])('and may not ask for %s', (_, product, request) => {
    expect(demandOn(product, request).refusal).not.toBe(0);
  });
});

describe('a class of requests', () => {
  const machines = [aMachine('n1').cards(PRODUCTS.a100, 2).cards(PRODUCTS.t4, 1).build()];

  test('is the same for equal content, whatever the objects and the order of maps', () => {
    const book = new Book(machines);
    const one = aRequest().whole(1).other('a', 1).other('b', 2);
    const same = aRequest().other('b', 2).other('a', 1).whole(1);
    expect(book.classOf(same.build())).toBe(book.classOf(one.build()));
    expect(book.classOf(structuredClone(one.build()))).toBe(book.classOf(one.build()));
  });

  test('is another one for another tenant or any other content', () => {
    const book = new Book(machines);
    const one = aRequest().whole(1);
    const all = [one, one.cpuMilli(1), one.isolated('card'), one.models('x'), one.preferring('x'), one.onMachine('n1')];
    const classes = new Set([...all.map((request) => book.classOf(request.build())), book.classOf(one.build(), 'b')]);
    expect(classes.size).toBe(all.length + 1);
    expect([...classes].map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test('survives as many request objects as come', () => {
    const book = new Book(machines);
    const first = book.classOf(aRequest().whole(1).build());
    for (let i = 0; i < 5000; i += 1) book.classOf(aRequest().whole(2).build());
    expect(book.classes.list).toHaveLength(2);
    expect(book.classOf(aRequest().whole(1).build())).toBe(first);
  });

  test('leaves out resources of which nothing is asked', () => {
    const requestClass = new Book(machines).classOf(aRequest().other('absent', 0).other('rdma/hca', 2).build());
    expect(requestClass.resourceAmounts).toEqual([2]);
  });

  test('grades machines by preferred models, node terms and soft taints, 0 best', () => {
    const book = new Book([
      aMachine('n1').cards(PRODUCTS.a100, 1).build(),
      aMachine('n2').cards(PRODUCTS.t4, 1).build(),
      aMachine('n3').cards(PRODUCTS.l40s, 1).labelled('disk', 'ssd').build(),
      aMachine('n4').cards(PRODUCTS.a100, 1).tainted('spare', '', 'PreferNoSchedule').build(),
    ]);
    const byModel = aRequest().whole(1).preferring(PRODUCTS.t4.model, 'no such', PRODUCTS.a100.model).build();
    expect([...(book.classOf(byModel).preference ?? [])]).toEqual([2, 0, 3, 3]);
    const ssd = { expressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }], fields: [], weight: 10 } as const;
    const plain = aRequest().whole(1).build();
    const byTerm = { ...plain, constraints: { ...plain.constraints, nodePreferred: [ssd] } };
    expect([...(book.classOf(byTerm).preference ?? [])]).toEqual([3, 3, 0, 4]);
  });

  test('knows no grades where nothing is preferred', () => {
    expect(new Book(machines).classOf(aRequest().whole(1).build()).preference).toBe(null);
  });

  test('must ask for a card if it asks for cards', () => {
    expect(() => new Book(machines).classOf(aRequest().whole(0).build())).toThrow('at least one card');
  });
});
