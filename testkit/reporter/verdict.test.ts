import { describe, expect, test } from 'vitest';
import type { Tally } from './tally.ts';
import { type Circumstances, verdictOf } from './verdict.ts';

const skip = { file: 'adapters/traces/openb.test.ts', name: 'openb > is read' };
const expectedSkips = [{ file: skip.file, reason: 'reads the public traces' }];
const ordinary: Circumstances = { isExitCodeSet: false, isCi: false, isSharedPresent: false, expectedSkips };

function tally(passed: number, failed = 0, skips: Tally['skips'] = []): Tally {
  return { passed, failed, skips };
}

describe('the closing line', () => {
  test('comes last and counts', () => {
    expect(verdictOf(tally(7), ordinary)).toEqual({ failed: 0, lines: ['7 passed, 0 failed, 0 skipped'] });
    expect(verdictOf(tally(7, 2, [skip]), ordinary).lines.at(-1)).toBe('7 passed, 2 failed, 1 skipped');
  });

  test('is a failure when no test ran', () => {
    expect(verdictOf(tally(0), ordinary).lines).toEqual(['FAILED: no test ran', '0 passed, 1 failed, 0 skipped']);
    expect(verdictOf(tally(0, 0, [skip]), ordinary).failed).toBe(1);
  });

  test('is a failure when vitest says so although every test passed', () => {
    expect(verdictOf(tally(7), { ...ordinary, isExitCodeSet: true }).failed).toBe(1);
  });
});

describe('a skip', () => {
  test('that is expected is said aloud, with its reason', () => {
    const { failed, lines } = verdictOf(tally(7, 0, [skip]), { ...ordinary, isCi: true });
    expect(failed).toBe(0);
    expect(lines[0]).toBe('SKIPPED adapters/traces/openb.test.ts > openb > is read: reads the public traces');
  });

  test('that nobody expects fails a CI run, and only that', () => {
    const stray = { file: 'core/state/book.test.ts', name: 'books' };
    expect(verdictOf(tally(7, 0, [stray]), ordinary).failed).toBe(0);
    const { failed, lines } = verdictOf(tally(7, 0, [stray]), { ...ordinary, isCi: true });
    expect(failed).toBe(1);
    expect(lines[0]).toMatch(/^UNEXPECTED SKIP core\/state\/book\.test\.ts > books/);
  });

  test('is never expected where the shared folder is present', () => {
    expect(verdictOf(tally(7, 0, [skip]), { ...ordinary, isCi: true, isSharedPresent: true }).failed).toBe(1);
  });
});
