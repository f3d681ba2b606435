import { forAll } from '@springtide/testkit/property';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseQuantity, QUANTITY_MAX } from './quantity.ts';

const POWERS: Readonly<Record<string, bigint>> = {
  Ki: 2n ** 10n,
  Mi: 2n ** 20n,
  Gi: 2n ** 30n,
  Ti: 2n ** 40n,
  k: 1000n,
  M: 10n ** 6n,
  G: 10n ** 9n,
  T: 10n ** 12n,
  '': 1n,
};

describe('quantities', () => {
  test('a decimal with a suffix is its exact value, rounded up', () => {
    const cases = fc.record({
      whole: fc.nat(2_000_000),
      part: fc.stringMatching(/^\d{0,8}$/),
      suffix: fc.constantFrom(...Object.keys(POWERS)),
    });
    forAll(cases, ({ whole, part, suffix }) => {
      const text = part === '' ? `${whole}${suffix}` : `${whole}.${part}${suffix}`;
      const unit = 10n ** BigInt(part.length);
      const exact = BigInt(`${whole}${part}`) * (POWERS[suffix] ?? 0n);
      const expected = Number((exact + unit - 1n) / unit);
      expect(parseQuantity(text, 'unit')).toBe(expected <= QUANTITY_MAX ? expected : 'absurd');
    });
  });

  test('milli is never less than a thousand of what units round down to, nor more than they round up to', () => {
    forAll(fc.tuple(fc.nat(1_000_000), fc.constantFrom('m', 'u', 'n', '')), ([number, suffix]) => {
      const milli = Number(parseQuantity(`${number}${suffix}`, 'milli'));
      const units = Number(parseQuantity(`${number}${suffix}`, 'unit'));
      expect(Math.ceil(milli / 1000)).toBe(units);
    });
  });

  test('no text makes it throw or give anything but a whole number', () => {
    forAll(
      fc.oneof(fc.string(), fc.stringMatching(/^[-+]?\d{0,5}\.?\d{0,5}[eEkKMGTPinum]{0,2}[-+]?\d{0,3}$/)),
      (text) => {
        const value = parseQuantity(text, 'unit');
        if (typeof value === 'number') expect(Number.isSafeInteger(value) && value >= 0).toBe(true);
      },
    );
  });
});
