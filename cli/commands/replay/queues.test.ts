import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'springtide-queues-'));
const philly = join(folder, 'traces', 'philly');

/** A job of all eight cards is blocked by one of a single card, and a short one could pass it. */
const JOBS = [
  '2017-10-01 00:00:00,1000.0,1,1000.0,ee9e8c',
  '2017-10-01 00:00:10,100.0,8,800.0,ee9e8c',
  '2017-10-01 00:00:20,50.4,1,50.4,ee9e8c',
  '2017-10-01 00:00:20,5,9,45,ee9e8c',
  '2017-10-01 00:00:20,5,1,5,other',
];

mkdirSync(philly, { recursive: true });
writeFileSync(join(philly, 'philly_jobs.csv'), ['timestamp,duration,num_gpus,gpu_time,cluster', ...JOBS].join('\n'));

afterAll(() => rmSync(folder, { recursive: true }));

function replay(...words: readonly string[]) {
  const program = join(import.meta.dirname, '..', '..', 'springtide.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'replay', '--data', folder, ...words], {
    encoding: 'utf8',
    cwd: folder,
    env: { ...process.env, LC_ALL: 'C' },
  });
  return { status, stdout, stderr };
}

describe('springtide replay --queue', () => {
  const asked = ['--trace', 'philly:ee9e8c', '--machines', '1', '--queue', 'fifo,easy'];

  test('prints one line of JSON for each trace and queue policy (issue 6, JSON)', () => {
    const { status, stdout, stderr } = replay(...asked, '--json');
    expect([status, stderr]).toEqual([0, '']);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    // The gang waits for 1,000 s under both; the short job behind it ends after 1,130 or 50 s.
    const same = { trace: 'philly:ee9e8c', machines: 1, jobs: 3, preemptionsPerJob: 0, maxPreemptions: 0 };
    expect(lines[0]).toMatchObject({ ...same, queue: 'fifo', meanJctSeconds: 1073.333, largeGangDelaySeconds: 990 });
    expect(lines[1]).toMatchObject({ ...same, queue: 'easy', meanJctSeconds: 713.333, p95JctSeconds: 1090 });
    expect(lines[1]).toMatchObject({ meanDelaySeconds: 330, largeGangDelaySeconds: 990, utilisation: 0.125 });
  });

  test('prints a table and writes a report in both languages', () => {
    const { status, stdout } = replay(...asked, '--lang', 'zh', '--html', 'q.html');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^philly:ee9e8c：3 个作业，1 台 8 卡机器/);
    const report = readFileSync(join(folder, 'q.html'), 'utf8');
    expect(report).toContain('Mean JCT against the delay of large gangs');
    expect(report).toContain('平均 JCT 与大作业延误');
  });

  test.each([
    [['--trace', 'philly:none'], /unknown job trace philly:none; .* has philly:seven-weeks/],
    [['--trace', 'philly:ee9e8c', '--queue', 'x'], /unknown queue policy x; there are fifo, greedy/],
    [['--trace', 'philly:ee9e8c', '--machines', '0'], /--machines 0: expected a whole number from 1/],
    [['--trace', 'philly:ee9e8c', '--seeds', '1'], /--seeds does not go with/],
    [['--trace', 'philly:6c71a0'], /philly:6c71a0 has no job/],
    [['--queue', 'fifo'], /need --trace/],
    [['--trace', 'philly:ee9e8c', '--data', '/nowhere'], /holds no job trace/],
  ])('refuses %j with code 2 and one line', (words, want) => {
    const { status, stdout, stderr } = replay(...words);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(want);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});
