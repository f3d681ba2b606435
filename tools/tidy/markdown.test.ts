import { expect, test } from 'vitest';
import { headingsOf } from './markdown.ts';

test('headings are found with level and line', () => {
  expect(headingsOf('# One\n\ntext\n\n## Two\n')).toEqual([
    { level: 1, text: 'One', line: 1 },
    { level: 2, text: 'Two', line: 5 },
  ]);
});

test('a comment in a fenced block is no heading, whichever fence is used', () => {
  expect(headingsOf('```sh\n# no\n```\n~~~~\n# no\n~~~\n# no\n~~~~\n# yes\n')).toEqual([
    { level: 1, text: 'yes', line: 9 },
  ]);
});
