import { describe, expect, test } from 'vitest';
import { mulberry32 } from '../base/index.ts';
import { Calibration } from './calibration.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Tells 2,000 jobs, one each ten minutes; the true waits are log-uniform around P50. Share covered of the last 1,500. */
function coverage(factor: number, p90Ms: number): number {
  const calibration = new Calibration();
  const random = mulberry32(7);
  const open: { readonly id: string; readonly startsAtMs: number }[] = [];
  let covered = 0;
  for (let i = 0; i < 2000; i += 1) {
    const nowMs = i * 10 * MINUTE_MS;
    for (const job of open.filter(({ startsAtMs }) => startsAtMs <= nowMs)) {
      calibration.started(job.id, job.startsAtMs);
      open.splice(open.indexOf(job), 1);
    }
    const waitMs = HOUR_MS * factor ** (2 * random.unit() - 1);
    const raw = { p50Ms: HOUR_MS, p90Ms };
    if (i >= 500 && waitMs <= calibration.corrected(raw, nowMs).p90Ms) covered += 1;
    calibration.told(`job ${i}`, raw, nowMs);
    open.push({ id: `job ${i}`, startsAtMs: nowMs + waitMs });
  }
  return covered / 1500;
}

describe('calibration', () => {
  test('makes P90 hold nine times of ten, whether it was too short or too long', () => {
    for (const p90Ms of [1.1 * HOUR_MS, 20 * HOUR_MS]) {
      expect(coverage(10, p90Ms)).toBeGreaterThan(0.87);
      expect(coverage(10, p90Ms)).toBeLessThan(0.93);
    }
  });

  test('leaves a forecast alone until something is known', () => {
    const forecast = { p50Ms: HOUR_MS, p90Ms: 3 * HOUR_MS };
    const corrected = new Calibration().corrected(forecast, 0);
    expect(corrected.p50Ms).toBe(HOUR_MS);
    expect(corrected.p90Ms / HOUR_MS).toBeCloseTo(3, 9);
  });

  test('does not wait for the end of long waits: who waits still is known to wait longer', () => {
    const calibration = new Calibration();
    const forecast = { p50Ms: MINUTE_MS, p90Ms: 5 * MINUTE_MS };
    for (let i = 0; i < 100; i += 1) calibration.told(`job ${i}`, forecast, 0);
    expect(calibration.corrected(forecast, 10 * HOUR_MS).p90Ms).toBeGreaterThan(9 * HOUR_MS);
  });

  test('counts who left as waiting no longer than until then, and not as started', () => {
    const calibration = new Calibration();
    const forecast = { p50Ms: HOUR_MS, p90Ms: 2 * HOUR_MS };
    for (let i = 0; i < 100; i += 1) {
      calibration.told(`job ${i}`, forecast, 0);
      calibration.left(`job ${i}`, MINUTE_MS);
    }
    expect(calibration.corrected(forecast, 90 * HOUR_MS).p90Ms / HOUR_MS).toBeCloseTo(2, 9);
  });

  test('says nothing of what cannot be foreseen', () => {
    const forecast = { p50Ms: HOUR_MS, p90Ms: Infinity };
    expect(new Calibration().corrected(forecast, 0)).toEqual(forecast);
  });
});
