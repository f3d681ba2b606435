import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LockTimes {
  /** How often the holder shows that it is alive. */
  readonly beatMs: number;
  /** A lock without a sign of life for so long has lost its holder. */
  readonly staleMs: number;
  readonly pollMs: number;
}

const ordinaryTimes: LockTimes = { beatMs: 5_000, staleMs: 30_000, pollMs: 500 };

/**
 * Runs `work` while this process holds the lock file. A holder that died is recognised by the age of the file, not
 * by its process id, which says nothing in another container. Two processes that find the same dead lock in the same
 * moment may both run: what they do has to end in one atomic step anyway.
 */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  onWait: () => void,
  times = ordinaryTimes,
): Promise<T> {
  const token = randomUUID();
  for (let tries = 0; !tryLock(file, token); tries += 1) {
    if (tries === 0) onWait();
    if (isStale(file, times.staleMs)) rmSync(file, { force: true });
    else await sleep(times.pollMs);
  }
  const beat = setInterval(() => touch(file), times.beatMs);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    if (holderOf(file) === token) rmSync(file, { force: true });
  }
}

function tryLock(file: string, token: string): boolean {
  try {
    writeFileSync(file, token, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isStale(file: string, staleMs: number): boolean {
  const changedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return changedMs !== undefined && Date.now() - changedMs > staleMs;
}

function touch(file: string): void {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // Somebody took the lock for dead and removed it; the atomic step at the end decides.
  }
}

function holderOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
