import { TraceError } from '@springtide/adapters/traces';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { answer, BadInput, languageOf, textTable } from './index.ts';

describe('an answer', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    process.exitCode = undefined;
  });

  test.each([
    [new BadInput('no such trace'), 'springtide: no such trace\n'],
    [new TraceError('pods.csv', 7, 'is cut'), 'springtide: pods.csv:7: is cut\n'],
  ])('to bad input is one line and exit code 2: %s', async (error, want) => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    await answer(() => Promise.reject(error));
    expect(write.mock.calls).toEqual([[want]]);
    expect(process.exitCode).toBe(2);
  });

  test('is the exit code', async () => {
    await answer(() => Promise.resolve(1));
    expect(process.exitCode).toBe(1);
  });

  test('does not hide a bug', async () => {
    await expect(answer(() => Promise.reject(new TypeError('bug')))).rejects.toThrow('bug');
  });
});

describe('the language', () => {
  test('is the one asked for, else that of the locale', () => {
    expect(languageOf('zh', { LANG: 'en_US.UTF-8' })).toBe('zh');
    expect(languageOf(undefined, { LC_ALL: '', LANG: 'zh_CN.UTF-8' })).toBe('zh');
    expect(languageOf(undefined, { LC_ALL: 'C', LANG: 'zh_CN.UTF-8' })).toBe('en');
    expect(() => languageOf('fr')).toThrow(new BadInput('--lang fr: expected one of en, zh'));
  });
});

describe('a text table', () => {
  test('sets numbers to the right and leaves no blanks behind, in Chinese too', () => {
    const columns = [
      { head: '策略', align: 'text' },
      { head: '已分配\n%', align: 'number' },
      { head: 'note', align: 'text' },
    ] as const;
    expect(
      textTable(columns, [
        ['tide', '95.94', 'x'],
        ['best-fit', '9.1', ''],
      ]).split('\n'),
    ).toEqual(['策略      已分配  note', '               %', 'tide       95.94  x', 'best-fit     9.1']);
  });
});
