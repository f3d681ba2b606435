import * as fc from 'fast-check';
import { forAll } from '@springtide/testkit/property';
import { expect, test } from 'vitest';
import { plainText, valueOfText } from './index.ts';

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, Infinity, -Infinity, Number.NaN, -0),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(fc.string(), tie('value')), { maxLength: 3 }).map((entries) => new Map(entries)),
    fc.array(fc.string(), { maxLength: 3 }).map((members) => new Set(members)),
    fc.dictionary(
      fc.string().filter((key) => !key.startsWith('$') && key !== '__proto__'),
      tie('value'),
      { maxKeys: 3, noNullPrototype: true },
    ),
  ),
}));

test('plain data comes back as it was', () => {
  forAll(value, (each) => {
    expect(valueOfText(plainText(each))).toEqual(each);
  });
});
