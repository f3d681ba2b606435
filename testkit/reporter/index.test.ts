import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

interface Run {
  readonly exitCode: number | null;
  readonly lastLine: string | undefined;
}

/** Runs vitest with our reporter over the given test files, in a process and a folder of its own. */
function runTests(texts: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}): Run {
  const root = mkdtempSync(join(tmpdir(), 'reporter-'));
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(root, name), text);
  const reporters = ['--reporter=default', `--reporter=${join(import.meta.dirname, 'index.ts')}`];
  const words = [vitest, 'run', '--root', root, '--globals', ...reporters];
  const { VITEST: _vitest, ...outer } = process.env;
  const run = spawnSync(process.execPath, words, { cwd: root, env: { ...outer, CI: '', ...env }, encoding: 'utf8' });
  rmSync(root, { recursive: true });
  return { exitCode: run.status, lastLine: run.stdout.trimEnd().split('\n').at(-1) };
}

describe('a run of the tests ends with one line', () => {
  test('that is green when all passed', () => {
    const run = runTests({ 'a.test.ts': "test('a', () => {}); test('b', () => {});" });
    expect(run).toEqual({ exitCode: 0, lastLine: '2 passed, 0 failed, 0 skipped' });
  });

  test('that counts failed tests, broken files, failed hooks and errors outside any test', () => {
    const run = runTests({
      'broken.test.ts': "throw new Error('cannot be loaded');",
      'failed.test.ts': "test('fails', () => { throw new Error('no'); }); test('passes', () => {});",
      'hook.test.ts': "describe('h', () => { beforeAll(() => { throw new Error('no'); }); test('unrun', () => {}); });",
      'unhandled.test.ts': "test('passes', async () => { Promise.reject(new Error('late')); await 0; });",
    });
    expect(run).toEqual({ exitCode: 1, lastLine: '2 passed, 4 failed, 1 skipped' });
  });

  test('that is red when there was no test', () => {
    expect(runTests({})).toEqual({ exitCode: 1, lastLine: '0 passed, 1 failed, 0 skipped' });
  });

  test('that is red in CI when a test was skipped that nobody expects', () => {
    const texts = { 'a.test.ts': "test('a', () => {}); test.skip('b', () => {});" };
    expect(runTests(texts)).toEqual({ exitCode: 0, lastLine: '1 passed, 0 failed, 1 skipped' });
    expect(runTests(texts, { CI: 'true' })).toEqual({ exitCode: 1, lastLine: '1 passed, 1 failed, 1 skipped' });
  });
});
