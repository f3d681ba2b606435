import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readPhillyJobs } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'philly-'));
const file = join(folder, 'jobs.csv');

afterAll(() => rmSync(folder, { recursive: true }));

function jobsOf(...lines: readonly string[]) {
  writeFileSync(file, ['timestamp,duration,num_gpus,gpu_time,cluster', ...lines].join('\n'));
  return readPhillyJobs(file);
}

describe('jobs of Philly', () => {
  test('are sorted by submission, run time and cards; a run time is a whole second at least', () => {
    const jobs = jobsOf(
      '2017-10-01 00:00:01,2.4,8,0,a',
      '2017-10-01 00:00:01,0.0,1,0,b',
      '2017-10-01 00:00:00,9,2,0,a',
    );
    expect(jobs.map(({ runTimeMs, cards, tenant }) => [runTimeMs, cards, tenant])).toEqual([
      [9000, 2, 'a'],
      [1000, 1, 'b'],
      [2000, 8, 'a'],
    ]);
    expect(jobs[1]?.submittedAtMs).toBe(Date.parse('2017-10-01T00:00:01Z'));
  });

  test.each([
    ['yesterday,1,1,0,a', /jobs\.csv:2: timestamp is "yesterday": expected 2017-10-09 07:01:55/],
    ['2017-13-01 00:00:00,1,1,0,a', /timestamp is/],
    ['2017-10-01 00:00:00,-1,1,0,a', /duration is "-1": expected a number from 0/],
    ['2017-10-01 00:00:00,1,0,0,a', /num_gpus is 0/],
    ['2017-10-01 00:00:00,1,1.5,0,a', /num_gpus is "1\.5": expected a whole number/],
  ])('with %s are refused', (line, want) => {
    expect(() => jobsOf(line)).toThrow(want);
  });
});
