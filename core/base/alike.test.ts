import { expect, test } from 'vitest';
import { isAlike } from './alike.ts';

const machine = (zone: string): object => ({
  id: 'm',
  labels: new Map([['zone', zone]]),
  cards: [{ id: 'c', memoryMiB: 1 }],
  location: { zone },
});

test('plain data is alike when every part is', () => {
  expect(isAlike(machine('a'), machine('a'))).toBe(true);
  expect(isAlike([], [])).toBe(true);
  expect(isAlike(new Map(), new Map())).toBe(true);
  expect(isAlike(Number.NaN, Number.NaN)).toBe(true);
});

test.each([
  [machine('a'), machine('b')],
  [{ a: 1 }, { b: 1 }],
  [{ a: undefined }, { b: undefined }],
  [{ a: 1 }, { a: 1, b: 2 }],
  [[1, 2], [1]],
  [
    [1, 2],
    [2, 1],
  ],
  [new Map([['a', 1]]), new Map([['a', 2]])],
  [new Map([['a', 1]]), new Map([['b', 1]])],
  [[], {}],
  [new Map(), {}],
  [{}, new Map()],
  [null, {}],
  [{}, null],
  ['1', 1],
])('%j and %j are not', (left, right) => {
  expect(isAlike(left, right)).toBe(false);
});
