import { describe, expect, test } from 'vitest';
import { byAttainedService, byRemainingService, byRunTime, LAS, TIDE, type JobFacts } from './index.ts';

const HOUR_MS = 3_600_000;
const JOB: JobFacts = {
  cards: 1,
  attainedMs: 0,
  runTimeMs: Infinity,
  waitingSinceMs: 0,
  startedAtMs: null,
  evictions: 0,
};

function running(attainedMs: number, more: Partial<JobFacts> = {}): JobFacts {
  return { ...JOB, attainedMs, waitingSinceMs: null, startedAtMs: 0, ...more };
}

describe('levels by attained service (Q3)', () => {
  const las = byAttainedService(LAS);

  test('end at 1, 10 and 100 card-hours, sooner for a gang', () => {
    const ranks = [0, 1, 10, 100].map((hours) => las.rank(running(hours * HOUR_MS), 0));
    expect(ranks).toEqual([0, 1, 2, 3]);
    expect(las.rank(running(HOUR_MS / 8, { cards: 8 }), 0)).toBe(1);
    expect(las.rank(running(HOUR_MS / 8 - 1, { cards: 8 }), 0)).toBe(0);
  });

  test('change by themselves when a running job reaches the end of one, and never after the last', () => {
    expect(las.changesAtMs(running(HOUR_MS / 2), 5000)).toBe(5000 + HOUR_MS / 2);
    expect(las.changesAtMs(running(100 * HOUR_MS), 5000)).toBe(Infinity);
    expect(las.changesAtMs(JOB, 5000)).toBe(Infinity);
  });

  test('rise by one after each age of waiting, above the first if need be', () => {
    const order = byAttainedService({ ...LAS, ageMs: 10 });
    expect([9, 10, 25].map((nowMs) => order.rank(JOB, nowMs))).toEqual([0, -1, -2]);
    expect(order.changesAtMs(JOB, 25)).toBe(30);
  });

  test('protect what has just started, and for good what was displaced too often', () => {
    const tide = byAttainedService(TIDE);
    expect(tide.protectedUntilMs(running(0, { startedAtMs: 7 }))).toBe(7 + TIDE.quantumMs);
    const twice = tide.protectedUntilMs(running(0, { startedAtMs: 7, evictions: 2 }));
    expect(twice).toBe(7 + TIDE.quantumMs * TIDE.quantumGrowth ** 2);
    expect(tide.protectedUntilMs(running(0, { evictions: TIDE.evictionsMax }))).toBe(Infinity);
    expect(las.protectedUntilMs(running(0, { evictions: 1000 }))).toBe(-Infinity);
  });
});

test('orders that know run times rank by all of it, or by what is left of it on all cards', () => {
  const job = running(40, { runTimeMs: 100, cards: 4 });
  expect(byRunTime.rank(job, 0)).toBe(100);
  expect(byRemainingService.rank(job, 0)).toBe(240);
});
