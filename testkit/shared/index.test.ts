import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { expectedSkips } from './expected-skips.ts';
import { sharedDir } from './index.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('the shared folder is where SPRINGTIDE_SHARED says', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shared-'));
  vi.stubEnv('SPRINGTIDE_SHARED', folder);
  expect(sharedDir()).toBe(folder);
  rmSync(folder, { recursive: true });
});

test('a shared folder that is not there is null, so that tests can skip', () => {
  vi.stubEnv('SPRINGTIDE_SHARED', join(tmpdir(), 'no-such-folder'));
  expect(sharedDir()).toBeNull();
});

test('every expected skip names a test file that exists, once, and says why', () => {
  const root = resolve(import.meta.dirname, '..', '..');
  expect(expectedSkips.filter((skip) => !existsSync(join(root, skip.file)))).toEqual([]);
  expect(new Set(expectedSkips.map((skip) => skip.file)).size).toBe(expectedSkips.length);
  expect(expectedSkips.filter((skip) => skip.reason.trim() === '')).toEqual([]);
});
