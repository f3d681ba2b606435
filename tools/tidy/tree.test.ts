import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTree, treeOf } from './tree.ts';

test('a tree holds tracked and new files, and neither ignored nor removed ones', () => {
  const root = mkdtempSync(join(tmpdir(), 'tidy-tree-'));
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: root, encoding: 'utf8' });
  mkdirSync(join(root, 'core'));
  for (const name of ['tracked.ts', 'removed.ts', 'new.ts', 'ignored.ts']) writeFileSync(join(root, 'core', name), '');
  writeFileSync(join(root, '.gitignore'), 'ignored.ts\n');
  git('init', '--quiet');
  git('add', '.gitignore', 'core/tracked.ts', 'core/removed.ts');
  rmSync(join(root, 'core', 'removed.ts'));
  expect(readTree(root).files.map((file) => file.path)).toEqual(['.gitignore', 'core/new.ts', 'core/tracked.ts']);
  rmSync(root, { recursive: true });
});

test('a file knows its folder, its subject and what it is', () => {
  const paths = ['core/state/book.ts', 'core/state/book.prop.test.ts', 'core/package.json', 'README.md'];
  const { files } = treeOf(Object.fromEntries(paths.map((path) => [path, ''])));
  expect(files.map((file) => [file.folder, file.subject, file.isCode, file.isTest])).toEqual([
    ['core', 'state', true, false],
    ['core', 'state', true, true],
    ['core', '', false, false],
    ['', '', false, false],
  ]);
});

test('an offset is turned into a line that starts at 1', () => {
  const file = treeOf({ 'a.ts': 'one\ntwo\n' }).files[0];
  expect([file?.lineAt(0), file?.lineAt(3), file?.lineAt(4)]).toEqual([1, 1, 2]);
});
