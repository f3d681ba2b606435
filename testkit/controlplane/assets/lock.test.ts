import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLock } from './lock.ts';

const times = { beatMs: 20, staleMs: 10_000, pollMs: 5 };
let file = '';
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'lock-')), 'lock');
});
afterEach(() => {
  rmSync(join(file, '..'), { recursive: true });
});

test('one works at a time, and the other waits and says so', async () => {
  let running = 0;
  let waits = 0;
  const work = async (): Promise<number> => {
    running += 1;
    expect(running).toBe(1);
    await sleep(30);
    running -= 1;
    return running;
  };
  await Promise.all(Array.from({ length: 3 }, () => withLock(file, work, () => (waits += 1), times)));
  expect(waits).toBe(2);
  expect(existsSync(file)).toBe(false);
});

test('the lock is given back when the work fails', async () => {
  const work = (): Promise<void> => Promise.reject(new Error('no'));
  await expect(withLock(file, work, () => {}, times)).rejects.toThrow('no');
  expect(existsSync(file)).toBe(false);
});

test('the lock of a dead holder is taken over', async () => {
  writeFileSync(file, 'somebody who died');
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(file, longAgo, longAgo);
  expect(
    await withLock(
      file,
      async () => 'done',
      () => {},
      times,
    ),
  ).toBe('done');
});

test('the lock of a living holder is not, however long it works', async () => {
  const short = { beatMs: 10, staleMs: 400, pollMs: 5 };
  const order: string[] = [];
  const slow = withLock(
    file,
    async () => void (await sleep(800), order.push('slow')),
    () => {},
    short,
  );
  const quick = withLock(
    file,
    async () => void order.push('quick'),
    () => {},
    short,
  );
  await Promise.all([slow, quick]);
  expect(order).toEqual(['slow', 'quick']);
});
