import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findGo, isGoNewEnough } from './go-command.ts';

test.each([
  ['go1.26', true],
  ['go1.26.8', true],
  ['go1.27rc1', true],
  ['go2.0', true],
  ['devel go1.27-0123abcd', true],
  ['go1.25.9', false],
  ['go1.9', false],
  ['', false],
  ['gopher', false],
])('Go that calls itself "%s" is new enough: %s', (version, want) => {
  expect(isGoNewEnough(version)).toBe(want);
});

test('a machine without Go has no Go', async () => {
  expect(await findGo(join(import.meta.dirname, 'no-such-command'))).toBeNull();
});
