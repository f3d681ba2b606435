import { exists, isIn, lacks, notIn } from '@springtide/testkit/builders';
import { expect, test } from 'vitest';
import { selectorText } from './selector-text.ts';

test('a selector is written as a list takes it', () => {
  const selector = [isIn('app', 'x'), isIn('tier', 'a', 'b'), notIn('env', 'dev'), exists('gpu'), lacks('old')];
  expect(selectorText(selector)).toBe('app in (x),tier in (a,b),env notin (dev),gpu,!old');
  expect(selectorText([])).toBe('');
});
