import { expect, test } from 'vitest';
import { assert, AssertionError, fail, unreachable } from './assert.ts';

test('an assertion that holds is silent, and one that does not says what was assumed', () => {
  expect(() => assert(true, 'the sky is above')).not.toThrow();
  expect(() => assert(false, 'the sky is above')).toThrow(new AssertionError('the sky is above'));
});

test('a failure and an unreachable branch are assertions too', () => {
  expect(() => fail('pod a is held already')).toThrow(AssertionError);
  expect(() => unreachable('a new kind' as never)).toThrow('unreachable: a new kind');
});
