import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CommandEntry } from '../commands/index.ts';
import { run } from './index.ts';

const program = join(import.meta.dirname, '..', 'springtide.js');

function springtide(words: readonly string[], nodeOptions: readonly string[] = []) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...nodeOptions, program, ...words], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('springtide', () => {
  test('says its version and explains itself', () => {
    expect(springtide(['--version'])).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    expect(springtide(['--help'])).toMatchObject({ status: 0, stdout: expect.stringContaining('Usage: springtide') });
  });

  test('answers bad input with exit code 2 and no stack trace', () => {
    const { status, stderr } = springtide(['no-such-command']);
    expect(status).toBe(2);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('tells the user of an old Node what to do, with no stack trace', () => {
    const old = "Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })";
    const { status, stdout, stderr } = springtide(['--help'], ['--import', `data:text/javascript,${old}`]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('needs Node 24 or newer; this is Node 20.20.2');
    expect(stderr).toContain('npx springtide');
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe('commands', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    process.exitCode = undefined;
  });

  test('only the one that is asked for is loaded', async () => {
    const ran: string[] = [];
    const entry = (name: string): CommandEntry => ({
      name,
      summary: `the command ${name}`,
      load: async () => {
        ran.push(`load ${name}`);
        return {
          define: (command) => void command.argument('<dump>').action((dump) => void ran.push(`${name} ${dump}`)),
        };
      },
    });
    await run(['node', 'springtide', 'inspect', 'place'], [entry('inspect'), entry('place')]);
    expect(ran).toEqual(['load inspect', 'inspect place']);
  });
});
