import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { BadInput } from '../../terminal/index.ts';
import { requestOf, type ReplayOptions } from './request.ts';
import { parseSeeds, seedsText } from './seeds.ts';

const folder = mkdtempSync(join(tmpdir(), 'springtide-replay-'));
const data = join(folder, 'data');
const openb = join(data, 'traces', 'openb-2023');

const NODES = 'sn,cpu_milli,memory_mib,gpu,model';
const PODS = 'name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec';
const machines = Array.from({ length: 6 }, (_, i) => `m${i},64000,262144,8,T4`);
const pods = Array.from({ length: 40 }, (_, i) => `p${i},${4000 + 1000 * (i % 5)},4096,1,${i % 3 === 0 ? 1000 : 400},`);

mkdirSync(openb, { recursive: true });
writeFileSync(join(openb, 'openb_node_list_gpu_node.csv'), [NODES, ...machines].join('\n'));
writeFileSync(join(openb, 'openb_pod_list_default.csv'), [PODS, ...pods].join('\n'));
writeFileSync(join(openb, 'openb_pod_list_broken.csv'), [PODS, ...pods, 'p,1,-5,1,1000,'].join('\n'));

afterAll(() => rmSync(folder, { recursive: true }));

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function replay(...words: readonly string[]): Ran {
  const program = join(import.meta.dirname, '..', '..', 'springtide.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'replay', ...words], {
    encoding: 'utf8',
    cwd: folder,
    env: { ...process.env, LC_ALL: 'C' },
  });
  return { status, stdout, stderr };
}

describe('springtide replay', () => {
  const asked = ['--data', data, '--trace', 'openb:default', '--placement', 'tide,fgd', '--seeds', '42-43'];

  test('prints one line of JSON for each trace, placement and seed, in the order asked for (issue 3, JSON)', () => {
    const { status, stdout, stderr } = replay(...asked, '--json');
    expect([status, stderr]).toEqual([0, '']);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ trace, placement, seed }) => [trace, placement, seed])).toEqual([
      ['openb:default', 'tide', 42],
      ['openb:default', 'tide', 43],
      ['openb:default', 'fgd', 42],
      ['openb:default', 'fgd', 43],
    ]);
    for (const line of lines) {
      expect(line).toMatchObject({ order: 'own', ties: 'rank', machines: 6, cards: 48, decisions: expect.any(Number) });
      expect(Object.keys(line.allocatedAt as object)).toEqual(['90', '95', '100', '130']);
      expect((line.allocatedAt as Record<string, unknown>)['130']).toEqual(expect.any(Number));
      expect(line.microsecondsPerDecision).toBeGreaterThanOrEqual(0);
    }
  });

  test('prints a table with units, in the language asked for', () => {
    const english = replay(...asked);
    expect([english.status, english.stderr]).toEqual([0, '']);
    expect(english.stdout).toContain('openb:default: 6 machines, 48 cards; 2 seeds (42-43)');
    expect(english.stdout).toMatch(/^tide +\d+\.\d\d ±\d+\.\d\d /m);
    const chinese = replay(...asked, '--lang', 'zh');
    expect(chinese.stdout).toContain('6 台机器，48 张卡；2 个种子（42-43）');
    expect(chinese.stdout).toMatch(/放置策略/);
  });

  test('takes the two files of a trace of your own', () => {
    const [nodes, own] = [join(openb, 'openb_node_list_gpu_node.csv'), join(openb, 'openb_pod_list_default.csv')];
    const { status, stdout } = replay('--nodes', nodes, '--pods', own, '--seeds', '1', '--placement', 'tide', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ trace: 'openb_pod_list_default', placement: 'tide', seed: 1 });
  });

  test('refuses a broken file with one line, exit code 2 and no report, before any result (issue 3, bad input)', () => {
    const report = join(folder, 'report.html');
    const words = ['--data', data, '--trace', 'openb:default,openb:broken', '--seeds', '1', '--json', '--html', report];
    const { status, stdout, stderr } = replay(...words);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^springtide: \S+openb_pod_list_broken\.csv:42: memory_mib is "-5": expected a whole number from 0 to 1000000000\n$/,
    );
    expect(readdirSync(folder).filter((name) => name.includes('report'))).toEqual([]);
  });
});

describe('what is asked for', () => {
  const trace = { data, trace: 'openb:default' };

  test('has defaults: three policies, the published seeds, ties by rank', () => {
    const request = requestOf(trace, 'en');
    expect(request.placements).toEqual(['spread', 'fgd', 'tide']);
    expect(request.seeds).toEqual([42, 43, 44, 45, 46, 47, 48, 49, 50, 51]);
    expect(request.ties).toBe('rank');
    expect(requestOf({ ...trace, placement: 'all' }, 'en').placements).toContain('gpu-packing');
  });

  test.each<[string, ReplayOptions]>([
    ['say what to replay', {}],
    ['exclude each other', { ...trace, pods: 'p.csv' }],
    ['--nodes and --pods belong together', { nodes: 'n.csv' }],
    ['unknown trace openb:x; ', { ...trace, trace: 'openb:x' }],
    ['openb:broken, openb:default', { ...trace, trace: 'openb:default,nothing' }],
    ['holds no trace', { ...trace, data: join(folder, 'none') }],
    ['unknown placement policy worst; there are random, spread,', { ...trace, placement: 'tide,worst' }],
    ['--seeds 3-1: expected', { ...trace, seeds: '3-1' }],
    ['--ties x: expected rank or random', { ...trace, ties: 'x' }],
  ])('is refused with what there is: %s', (want, options) => {
    expect(() => requestOf(options, 'en')).toThrow(BadInput);
    expect(() => requestOf(options, 'en')).toThrow(want);
    expect(() => requestOf(options, 'zh')).toThrow(/\p{Script=Han}/u);
  });
});

describe('seeds', () => {
  test.each([
    ['42-44', [42, 43, 44]],
    ['42,43', [42, 43]],
    ['50, 42-43,42', [50, 42, 43]],
    ['0', [0]],
  ])('%s are read', (text, want) => {
    expect(parseSeeds(text, 'en')).toEqual(want);
  });

  test.each(['', 'x', '1-', '-1', '1.5', '5-4', '99999999999', '1-2000', '1,,2'])('%j are refused', (text) => {
    expect(() => parseSeeds(text, 'en')).toThrow(BadInput);
  });

  test('are written as ranges', () => {
    expect(seedsText([42, 43, 44, 7, 9, 10])).toBe('42-44, 7, 9-10');
  });
});

describe('the report of a replay', () => {
  test('stands alone, in both languages, with charts and the remainder (issue 3, HTML)', () => {
    const file = join(folder, 'own.html');
    const words = ['--data', data, '--trace', 'openb:default', '--placement', 'tide,random', '--seeds', '1-2'];
    const { status, stderr } = replay(...words, '--html', file, '--lang', 'zh');
    expect([status, stderr]).toEqual([0, `报告：${file}\n`]);
    const text = readFileSync(file, 'utf8');
    expect(text.match(/<svg/g)).toHaveLength(6);
    expect(text).toContain('剩下的容量在哪里');
    expect(text).toContain('Where the remainder sits');
    expect(text).not.toMatch(/NaN|undefined|<script|https?:/);
  });

  test('is refused before the work when its folder is not there', () => {
    const { status, stderr } = replay(
      '--data',
      data,
      '--trace',
      'openb:default',
      '--html',
      join(folder, 'no', 'r.html'),
    );
    expect([status, stderr]).toEqual([2, expect.stringContaining('there is no folder')]);
  });
});

describe('springtide replay --sample', () => {
  test('tells the difference in plain words and writes the report, with no shared folder (issue 3, the sample)', () => {
    const { status, stdout, stderr } = replay('--sample', '--lang', 'en');
    const file = join(folder, 'springtide-report.html');
    expect([status, stderr]).toEqual([0, `report: ${file}\n`]);
    expect(stdout).toContain('180 machines with 1,184 cards of 7 models in 2 regions');
    expect(stdout).toMatch(/^- tide keeps \d+ more of the 1,184 cards at work/m);
    const text = readFileSync(file, 'utf8');
    expect(text.match(/<svg/g)).toHaveLength(10);
    expect(text).toContain('混合机群的一天');
    expect(text).not.toMatch(/NaN|undefined|Infinity|<script|https?:/);
  });

  test.each([
    [['--trace', 'openb:default'], '--trace does not go with --sample'],
    [['--placement', 'fgd'], '--placement does not go with --sample'],
    [['--seeds', '1-2'], '--sample takes one seed'],
  ])('refuses %j', (words, want) => {
    const { status, stdout, stderr } = replay('--sample', ...words);
    expect([status, stdout, stderr]).toEqual([2, '', `springtide: ${want}\n`]);
  });
});
