import { expect, test } from 'vitest';
import { treeOf } from '../tree.ts';
import { fileNames } from './file-names.ts';

test.each([
  ['core/state/book.ts', 0],
  ['core/state/score-cache.prop.test.ts', 0],
  ['vitest.config.ts', 0],
  ['core/state/utils.ts', 1],
  ['core/state/ScoreCache.ts', 1],
  ['core/state/score_cache.ts', 1],
])('a file is called what it is about: %s', async (path, want) => {
  expect((await fileNames.inspect(treeOf({ [path]: '' }))).findings).toHaveLength(want);
});
