import { expect, test } from 'vitest';
import { compareNumber, compareText, sortedKeys } from './order.ts';

test('text is compared by code units, not as a locale would', () => {
  expect(['b', 'a10', 'B', 'a2', 'ä'].toSorted(compareText)).toEqual(['B', 'a10', 'a2', 'b', 'ä']);
  expect(compareText('same', 'same')).toBe(0);
});

test('numbers are compared as numbers', () => {
  expect([10, 9, -1].toSorted(compareNumber)).toEqual([-1, 9, 10]);
});

test('keys come sorted whatever order they were put in', () => {
  const keys = sortedKeys(
    new Map([
      ['10', 1],
      ['9', 2],
      ['a', 3],
    ]),
  );
  expect(keys).toEqual(['10', '9', 'a']);
});
