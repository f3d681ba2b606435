import { expect, test } from 'vitest';
import { treeOf } from '../tree.ts';
import { titles } from './titles.ts';

test.each([
  ['# Title\n\n## Part\n', []],
  ['text only\n', ['1: the page has no title, a line that starts with "# "']],
  ['# Title\n\n# Another\n', ['3: a second title; the first is on line 1']],
  ['## Part\n# Title\n', ['2: the title comes after another heading']],
])('a page has one title, first: %j', async (text, want) => {
  const { findings } = await titles.inspect(treeOf({ 'docs/page.md': text }));
  expect(findings.map((finding) => `${finding.line}: ${finding.why}`)).toEqual(want);
});
