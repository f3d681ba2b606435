import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'springtide-estimates-'));
const philly = join(folder, 'traces', 'philly');

/** Jobs of all eight cards that run 1,000 s each, submitted 500 s apart. */
const JOBS = [...Array(30).keys()].map((i) => {
  const submitted = new Date(Date.UTC(2017, 9, 1) + i * 500_000).toISOString();
  return `${submitted.slice(0, 10)} ${submitted.slice(11, 19)},1000.0,8,8000.0,ee9e8c`;
});

mkdirSync(philly, { recursive: true });
writeFileSync(join(philly, 'philly_jobs.csv'), ['timestamp,duration,num_gpus,gpu_time,cluster', ...JOBS].join('\n'));

afterAll(() => rmSync(folder, { recursive: true }));

function replay(...words: readonly string[]) {
  const program = join(import.meta.dirname, '..', '..', 'springtide.js');
  const asked = ['replay', '--data', folder, '--trace', 'philly:ee9e8c', '--machines', '1', '--estimates', ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...asked], {
    encoding: 'utf8',
    cwd: folder,
    env: { ...process.env, LC_ALL: 'C' },
  });
  return { status, stdout, stderr };
}

describe('springtide replay --estimates', () => {
  test('adds the scores to the lines of policies under which waits are told (issue 6, line 3)', () => {
    const { status, stdout, stderr } = replay('--queue', 'greedy,shortest', '--json');
    expect([status, stderr]).toEqual([0, '']);
    const [greedy, shortest] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { estimates?: object });
    expect(greedy?.estimates).toMatchObject({ every: 1, told: 30, waited: 29, nowRightShare: 1 });
    expect(shortest).not.toHaveProperty('estimates');
  });

  test('says them below the table and draws them in the report, in both languages', () => {
    const { status, stdout } = replay('--queue', 'greedy', '--html', 'report.html', '--lang', 'zh');
    expect(status).toBe(0);
    expect(stdout).toContain('在 29 个等待过的作业中');
    const report = readFileSync(join(folder, 'report.html'), 'utf8');
    expect(report).toContain('Waits told and waits true (philly:ee9e8c, greedy)');
    expect(report).toContain('预报的等待与实际的等待');
    expect(report).not.toContain('NaN');
  });

  test('refuses policies under which no wait is told', () => {
    const { status, stdout, stderr } = replay('--queue', 'las');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--queue');
  });
});
