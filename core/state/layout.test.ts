import { expect, test } from 'vitest';
import { aMachine, type MachineBuilder, PRODUCTS } from '@springtide/testkit/builders';
import { firsts, groupKey, numbered } from './layout.ts';

const plain = aMachine('m').cards(PRODUCTS.a100, 2);

test.each<[string, MachineBuilder]>([
  ['CPU', plain.cpuMilli(1)],
  ['memory', plain.memoryGiB(1)],
  ['pods', plain.podsMax(1)],
  ['another resource', plain.offering('rdma/hca', 1)],
  ['a label', plain.labelled('disk', 'ssd')],
  ['a taint', plain.tainted('gpu')],
  ['the effect of a taint', plain.tainted('gpu', '', 'NoExecute')],
  ['a pool', plain.inPool('red')],
  ['a cordon', plain.cordoned()],
  ['the health of a card', plain.health(1, 'fault')],
  ['an island', plain.islands(0, 1)],
  ['the number of cards', plain.cards(PRODUCTS.a100, 1)],
  ['a kind of card', aMachine('m').cards(PRODUCTS.a100, 1).cards(PRODUCTS.t4, 1)],
])('machines of one group do not differ in %s', (_, other) => {
  expect(groupKey(other.build())).not.toEqual(groupKey(plain.build()));
});

test('machines of one group may differ in name, in the label that repeats it, and in place', () => {
  const other = aMachine('n').inRack('r1', 'za').labelled('kubernetes.io/hostname', 'n').cards(PRODUCTS.a100, 2);
  expect(groupKey(other.build())).toEqual(groupKey(plain.build()));
});

test('keys are numbered as they appear, and the first of each number is known', () => {
  const machines = ['b', 'a', 'b', 'c', 'a'].map((rack, i) => aMachine(`m${i}`).inRack(rack).build());
  const numbers = numbered(machines, ({ location }) => [location.rack]);
  expect([...numbers]).toEqual([0, 1, 0, 2, 1]);
  expect(firsts(numbers)).toEqual([0, 1, 3]);
});
