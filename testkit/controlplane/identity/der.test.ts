import { expect, test } from 'vitest';
import { der, integer, objectId, utcTime } from './der.ts';

test('a long content has a long length', () => {
  expect(der(0x04, Buffer.alloc(127)).subarray(0, 2).toString('hex')).toBe('047f');
  expect(der(0x04, Buffer.alloc(128)).subarray(0, 3).toString('hex')).toBe('048180');
  expect(der(0x04, Buffer.alloc(256)).subarray(0, 4).toString('hex')).toBe('04820100');
});

test('a number stays positive', () => {
  expect(integer(Buffer.from([0x7f])).toString('hex')).toBe('02017f');
  expect(integer(Buffer.from([0x80])).toString('hex')).toBe('02020080');
});

test('an object identifier has seven bits a byte', () => {
  expect(objectId('1.2.840.10045.4.3.2').toString('hex')).toBe('06082a8648ce3d040302');
});

test('a moment has two digits for its year', () => {
  expect(
    utcTime(Date.UTC(2026, 10, 30, 1, 2, 3))
      .subarray(2)
      .toString(),
  ).toBe('261130010203Z');
});
