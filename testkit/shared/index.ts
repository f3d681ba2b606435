import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'vitest';

const repositoryRoot = resolve(import.meta.dirname, '..', '..');

/**
 * The folder with the public traces and recorded cases, which is not part of the repository:
 * SPRINGTIDE_SHARED, else `shared` next to the repository. Null where there is none.
 */
export function sharedDir(): string | null {
  const dir = process.env.SPRINGTIDE_SHARED || join(repositoryRoot, '..', 'shared');
  return existsSync(dir) ? resolve(dir) : null;
}

/**
 * A `describe` for tests that read the shared folder. Where it is absent, one skipped test stands for all of
 * them, and `fn` does not run, so it may read files at once. The file has to be in `expectedSkips`.
 */
export function describeWithShared(name: string, fn: (shared: string) => void): void {
  const shared = sharedDir();
  describe(name, () => {
    if (shared === null) test.skip('is skipped: the shared folder is absent', () => {});
    else fn(shared);
  });
}
