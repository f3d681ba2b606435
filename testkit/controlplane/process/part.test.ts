import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../fixtures/until.ts';
import { Part } from './part.ts';
import { Watch } from './watch.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'part-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function shell(script: string, watch: Watch): Part {
  const logFile = join(folder, 'log');
  return new Part({ name: 'it', command: '/bin/sh', flags: ['-c', script], logFile, watch });
}

describe('a part', () => {
  test('starts, stops and starts again', async () => {
    const watch = new Watch();
    const part = shell('echo begun; exec sleep 60', watch);
    for (let round = 0; round < 2; round += 1) {
      part.start();
      expect(part.isRunning).toBe(true);
      await part.stop();
      expect(part.isRunning).toBe(false);
    }
    await part.stop();
    await watch.end();
  });

  test('that does not listen is killed', async () => {
    const watch = new Watch();
    const part = shell('trap "" TERM; echo deaf; while :; do sleep 0.05; done', watch);
    part.start();
    await part.untilReady(async () => readFileSync(join(folder, 'log'), 'utf8').includes('deaf'));
    await part.stop('SIGTERM', 100);
    expect(part.isRunning).toBe(false);
    await watch.end();
  });

  test('that ends instead of getting ready says what its log says', async () => {
    const watch = new Watch();
    const part = shell('echo the port is taken; exit 1', watch);
    part.start();
    await expect(part.untilReady(async () => false)).rejects.toThrow('it has ended:\nthe port is taken');
    await watch.end();
  });

  test('that ends unasked is started again, so often and no more', async () => {
    const watch = new Watch();
    const log = join(folder, 'log');
    const flags = ['-c', 'echo begun; exit 1'];
    const part = new Part({ name: 'it', command: '/bin/sh', flags, logFile: log, watch, restartsMax: 2 });
    part.start();
    await expect(part.untilReady(async () => false)).rejects.toThrow('it has ended');
    expect(readFileSync(log, 'utf8')).toBe('begun\nbegun\nbegun\n');
    await watch.end();
  });

  test('that never gets ready is given up', async () => {
    const watch = new Watch();
    const part = shell('echo thinking; exec sleep 60', watch);
    part.start();
    await expect(part.untilReady(async () => false, 200)).rejects.toThrow('it is not ready after 200 ms');
    await watch.end();
  });

  test('whose program is not there has ended', async () => {
    const watch = new Watch();
    const logFile = join(folder, 'log');
    const part = new Part({ name: 'it', command: join(folder, 'nothing'), flags: [], logFile, watch });
    part.start();
    await expect(part.untilReady(async () => false)).rejects.toThrow('it has ended');
    await watch.end();
  });
});

describe('the guard', () => {
  test('kills what still runs, with all that it started, and removes the folder', async () => {
    const watch = new Watch();
    watch.remove(folder);
    const part = shell(`sleep 60 & echo $! > '${folder}/pid'; wait`, watch);
    part.start();
    await until('there is a grandchild', async () => existsSync(join(folder, 'pid')) && pidIn('pid') > 0);
    const [child, grandchild] = [part.pid ?? 0, pidIn('pid')];
    expect([child, grandchild].map(isAlive)).toEqual([true, true]);
    await watch.end();
    await until('both are gone', async () => !isAlive(child) && !isAlive(grandchild));
    expect(existsSync(folder)).toBe(false);
  });

  test('does so when the process that started everything is killed', async () => {
    const script = join(folder, 'owner.ts');
    writeFileSync(script, ownerScript);
    const owner = spawn(process.execPath, [script], { stdio: 'ignore' });
    await until('the part runs', async () => existsSync(join(folder, 'pid')) && pidIn('pid') > 0);
    const pid = pidIn('pid');
    expect(isAlive(pid)).toBe(true);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    await until('the part is gone', async () => !isAlive(pid));
    await until('the folder is gone', async () => !existsSync(folder));
  });
});

function pidIn(name: string): number {
  return Number(readFileSync(join(folder, name), 'utf8'));
}

/** A process that starts a part and then waits to be killed. */
const ownerScript = `
import { writeFileSync } from 'node:fs';
import { Part } from '${join(import.meta.dirname, 'part.ts')}';
import { Watch } from '${join(import.meta.dirname, 'watch.ts')}';

const folder = import.meta.dirname;
const watch = new Watch();
watch.remove(folder);
const part = new Part({ name: 'it', command: '/bin/sleep', flags: ['60'], logFile: folder + '/log', watch });
part.start();
writeFileSync(folder + '/pid', String(part.pid));
setInterval(() => {}, 1000);
`;
