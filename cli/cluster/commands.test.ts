import { kubeList, kubeNode, kubePod } from '@springtide/testkit/kubectl';
import { type Ran, ranHere } from '@springtide/testkit/program';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { run } from '../program/index.ts';

/** The cluster owner's commands as they are run: exit codes, streams, bad input. */

const folder = mkdtempSync(join(tmpdir(), 'springtide-commands-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const gpu = (count: string) => ({ capacity: { 'nvidia.com/gpu': count } });
const LIST = kubeList([
  kubeNode('a', gpu('4')),
  kubePod('t/one', 'a', { requests: { 'nvidia.com/gpu': '1' } }),
  kubePod('t/big', null, { requests: { 'nvidia.com/gpu': '4' } }),
]);
const dump = file('dump.json', LIST);
const zipped = file('dump.json.gz', gzipSync(LIST));

function pod(cards: string, kind = 'Pod'): string {
  const container = { name: 'c', resources: { requests: { 'nvidia.com/gpu': cards } } };
  return JSON.stringify({ apiVersion: 'v1', kind, metadata: { name: 'p' }, spec: { containers: [container] } });
}

const small = file('small.yaml', pod('3'));
const large = file('large.yaml', pod('4'));

/** As a user runs it. */
function spawned(words: readonly string[], input = ''): Ran {
  const program = join(import.meta.dirname, '..', 'springtide.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    encoding: 'utf8',
    input,
    env: { ...process.env, LC_ALL: 'C' },
  });
  return { status: status ?? -1, stdout, stderr };
}

/** The same within this process, which is quicker. */
const springtide = (words: readonly string[]): Promise<Ran> => ranHere(run, words);

describe('exit codes', () => {
  test.each<[number, string[]]>([
    [0, ['inspect', dump]],
    [0, ['inspect', zipped, '--json']],
    [0, ['place', dump, small]],
    [1, ['place', dump, large]],
    [0, ['explain', dump, 'pod/t/one']],
    [1, ['explain', dump, 'pod/t/big']],
  ])('%i: springtide %j', async (want, words) => {
    const { status, stdout, stderr } = await springtide(words);
    expect([status, stderr]).toEqual([want, '']);
    expect(stdout).not.toBe('');
  });
});

test('a fraction by annotation cuts whole cards; a slice of HAMi needs cards that HAMi has registered', async () => {
  const container = (limits: object) => ({ containers: [{ name: 'c', resources: { limits } }] });
  const kai = { metadata: { name: 'f', annotations: { 'gpu-fraction': '0.5' } }, spec: container({}) };
  const hami = { metadata: { name: 'h' }, spec: container({ 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '4096' }) };
  const place = async (name: string, body: object) => {
    const path = file(name, JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...body }));
    return JSON.parse((await springtide(['place', dump, path, '--json'])).stdout) as {
      feasibleNodes: string[];
      refusals: unknown;
    };
  };
  expect((await place('kai.yaml', kai)).feasibleNodes).toEqual(['a']);
  expect(await place('hami.yaml', hami)).toMatchObject({
    feasibleNodes: [],
    refusals: [{ filter: 'card-slicing', machines: 1 }],
  });
});

test('a dump may come through a pipe, and JSON is one object', () => {
  const { status, stdout } = spawned(['inspect', '-', '--json'], LIST);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ machines: { a: { cards: 4, allocatedWhole: 1, idle: 3 } } });
});

test('a bad dump ends the program itself with exit code 2', () => {
  expect(spawned(['inspect', file('bad.json', '{}')])).toMatchObject({ status: 2, stdout: '' });
});

describe('bad input is one line on stderr, exit code 2, and nothing else', () => {
  const cases: readonly (readonly [string, string[], RegExp])[] = [
    ['no such file', ['inspect', join(folder, 'none.json')], /none\.json: expected a file or folder that can be read/],
    ['an empty file', ['inspect', file('empty.json', '')], /empty\.json: .*empty/],
    ['a cut file', ['inspect', file('cut.json', LIST.slice(0, 400))], /cut\.json:\d+:\d+:/],
    ['a cut gzip file', ['inspect', file('cut.gz', gzipSync(LIST).subarray(0, 60))], /cut\.gz: .*gzip/],
    ['no dump', ['inspect', file('other.json', '{"a": 1}')], /other\.json:1:1: kind: expected nodes and pods/],
    [
      'a negative quantity',
      ['inspect', file('negative.json', LIST.replace('"64"', '"-1"'))],
      /negative\.json:\d+:\d+: items\[0\]\.status\S* \(Node a\): expected a quantity that is not negative, found "-1"/,
    ],
    [
      'an absurd quantity',
      ['inspect', file('absurd.json', LIST.replace('"64"', '"1e30"'))],
      /absurd\.json:\d+:\d+: .*found "1e30"/,
    ],
    ['a folder without pods', ['inspect', folder], /expected a file nodes\.json/],
    [
      'an unknown policy',
      ['place', dump, small, '--policy', 'worst'],
      /unknown placement policy worst; there are random, spread/,
    ],
    ['an unknown language', ['explain', dump, 'pod/t/one', '--lang', 'fr'], /--lang fr: expected one of en, zh/],
    [
      'no workload',
      ['place', dump, file('service.yaml', pod('1', 'Service'))],
      /service\.yaml: expected one of Pod, Deployment/,
    ],
    ['no YAML', ['place', dump, file('bad.yaml', 'a: [')], /bad\.yaml:\d+:\d+: expected YAML/],
    [
      'a quantity that is none',
      ['place', dump, file('many.yaml', pod('many'))],
      /many\.yaml:\d+:\d+: spec\.containers\[0\].*expected a quantity/,
    ],
    ['a pod that is not there', ['explain', dump, 'pod/t/none'], /there is no pod t\/none/],
    ['both from one pipe', ['place', '-', '-'], /only one of the dump and the request/],
    [
      'a report that cannot be written',
      ['inspect', dump, '--html', join(folder, 'no', 'report.html')],
      /cannot write .*report\.html/,
    ],
    ['an unknown option', ['inspect', dump, '--wrong'], /unknown option '--wrong'/],
  ];

  test.each(cases)('%s', async (_, words, want) => {
    const before = readdirSync(folder);
    const { status, stdout, stderr } = await springtide(words);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(want);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(readdirSync(folder)).toEqual(before);
  });

  test('a bad value never brings the environment of its pod with it', async () => {
    const env = [{ name: 'TOKEN', value: 'hunter2' }];
    const broken = { containers: [{ name: 'c', env, resources: { requests: { cpu: 'much' } } }] };
    const path = file('secret.json', kubeList([kubeNode('a'), kubePod('t/x', 'a', { spec: broken })]));
    const { status, stderr } = await springtide(['inspect', path]);
    expect(status).toBe(2);
    expect(stderr).toContain('(Pod t/x): expected a quantity');
    expect(stderr).not.toMatch(/hunter2|TOKEN/);
  });
});
