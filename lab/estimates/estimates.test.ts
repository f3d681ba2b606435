import { describe, expect, test } from 'vitest';
import { describeWithShared } from '@springtide/testkit/shared';
import { loadQueueTrace, type QueueJob, type QueueTrace } from '../queues/index.ts';
import { groupsByTold } from './groups.ts';
import { scoresOf } from './scores.ts';
import { tellWaits, type ToldWait } from './told.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function aJob(index: number, submittedAtMs: number, cards: number, runTimeMs = HOUR_MS): QueueJob {
  return { index, submittedAtMs, runTimeMs, cards, tenant: 'vision' };
}

function aWait(waitedMs: number, p50Ms: number, p90Ms = p50Ms, isNow = false): ToldWait {
  return { job: aJob(0, 0, 1), isNow, told: { p50Ms, p90Ms }, waitedMs };
}

describe('waits told on a trace', () => {
  // Two machines. Jobs of 16 cards run an hour each, submitted a quarter of an hour apart.
  const jobs = [...Array(40).keys()].map((i) => aJob(i, i * 15 * MINUTE_MS, 16));
  const trace: QueueTrace = { name: 'jobs alike', jobs, machines: 2 };

  test('are right once run times that never differ are known', () => {
    const waits = tellWaits(trace, 'greedy', 1);
    expect(waits.filter(({ isNow }) => isNow)).toHaveLength(1);
    const late = waits.slice(20);
    for (const { told, waitedMs } of late) expect(Math.abs(told.p50Ms - waitedMs)).toBeLessThan(HOUR_MS / 2);
  });

  test('use nothing that comes later: what was told does not change when the trace ends earlier', () => {
    const other = jobs
      .slice(0, 20)
      .map((job) => (job.index < 12 ? job : aJob(job.index, job.submittedAtMs, 1, 9 * HOUR_MS)));
    const toldOf = (some: readonly QueueJob[]): unknown[] =>
      tellWaits({ ...trace, jobs: some }, 'greedy', 1)
        .filter(({ job }) => job.index < 12)
        .toSorted((left, right) => left.job.index - right.job.index)
        .map(({ told }) => told);
    expect(toldOf(other)).toEqual(toldOf(jobs));
  });

  test('I15: those told "now" start at once', () => {
    for (const queue of ['fifo', 'greedy'] as const) {
      const mixed = jobs.map(({ index, submittedAtMs }) => aJob(index, submittedAtMs, 1 + ((index * 5) % 16)));
      const now = tellWaits({ ...trace, jobs: mixed }, queue, 1).filter(({ isNow }) => isNow);
      expect(now.length).toBeGreaterThan(1);
      expect(now.every(({ waitedMs }) => waitedMs === 0)).toBe(true);
    }
  });
});

describe('scores', () => {
  test('are shares of the right jobs', () => {
    const waits = [
      aWait(0, 0, 0, true),
      aWait(HOUR_MS, HOUR_MS + 10 * MINUTE_MS),
      aWait(HOUR_MS, HOUR_MS - 16 * MINUTE_MS, 3 * HOUR_MS),
      aWait(10 * HOUR_MS, 12 * HOUR_MS),
    ];
    const scores = scoresOf(waits, 1);
    expect(scores).toMatchObject({ told: 4, waited: 3, nowRightShare: 1, p90CoverageOfAll: 1 });
    expect(scores.withinShare).toBeCloseTo(2 / 3, 9);
    expect(scores.biasSeconds).toBeCloseTo((10 - 16 + 120) * 15, 6);
    expect(scores.meanWaitSeconds).toBe(3 * 3600);
  });

  test('count each of those asked for all whom it stands for', () => {
    const scores = scoresOf([aWait(0, 0, 0, true), aWait(HOUR_MS, 0.9 * HOUR_MS)], 9);
    expect(scores.p90Coverage).toBe(0);
    expect(scores.p90CoverageOfAll).toBeCloseTo(0.1, 9);
  });

  test('of groups are by what was told', () => {
    const waits = [...Array(20).keys()].map((i) => aWait(i * MINUTE_MS, i * MINUTE_MS + (i < 10 ? 1 : -1)));
    const groups = groupsByTold([...waits, aWait(0, 0, 0, true)], 2);
    expect(groups.map(({ jobs, p50Coverage, p90Coverage }) => [jobs, p50Coverage, p90Coverage])).toEqual([
      [10, 1, 1],
      [10, 0, 0],
    ]);
    expect(groups[1]?.waitedMs).toEqual([11 * MINUTE_MS, 15 * MINUTE_MS, 19 * MINUTE_MS]);
    expect(groupsByTold([], 10)).toEqual([]);
  });
});

describeWithShared('waits told on a virtual cluster of Philly', (shared) => {
  test('Q5: hold as issue 6 asks, on 160 cards with greedy', { timeout: 300_000 }, () => {
    const trace = loadQueueTrace(shared, 'philly:ee9e8c', 20) as QueueTrace;
    const scores = scoresOf(tellWaits(trace, 'greedy', 1), 1);
    expect(scores.withinShare).toBeGreaterThanOrEqual(0.35);
    expect(scores.nowRightShare).toBeGreaterThanOrEqual(0.995);
    expect(scores.p90Coverage).toBeGreaterThanOrEqual(0.85);
    expect(scores.p90CoverageOfAll).toBeLessThanOrEqual(0.95);
    expect(Math.abs(scores.biasSeconds)).toBeLessThan(0.1 * scores.meanWaitSeconds);
  });
});
