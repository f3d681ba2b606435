import { describe, expect, test } from 'vitest';
import { aCardJob, aCardQueue, Desk, kinds } from '@springtide/testkit/admission';

const MINUTE_MS = 60_000;

describe('Q4: backfill', () => {
  const HOUR_MS = 60 * MINUTE_MS;

  test('a job starts before a blocked one if it ends before that can start, or leaves it its place', () => {
    const desk = new Desk([aCardQueue('q', 64)], { machines: 2 });
    desk.submit(
      aCardJob('long', 8, { expectedRunMs: 10 * HOUR_MS }),
      aCardJob('wide', 16, { submittedAtMs: 1, expectedRunMs: HOUR_MS }),
    );
    expect(desk.admission.standing('wide')).toMatchObject({ promisedStartMs: 10 * HOUR_MS });
    expect(kinds(desk.submit(aCardJob('short', 4, { submittedAtMs: 2, expectedRunMs: HOUR_MS })))).toEqual([
      'admit short',
    ]);
    expect(kinds(desk.submit(aCardJob('slow', 4, { submittedAtMs: 3, expectedRunMs: 11 * HOUR_MS })))).toEqual([]);
    expect(desk.admission.standing('slow')?.wait).toEqual({ kind: 'would-delay', job: 'wide', startMs: 10 * HOUR_MS });
  });

  test('34: an endless stream of small jobs does not keep a large one from starting', () => {
    const desk = new Desk([aCardQueue('q', 64)], { machines: 1 });
    desk.submit(
      aCardJob('s0', 4, { expectedRunMs: HOUR_MS }),
      aCardJob('large', 8, { submittedAtMs: 1, expectedRunMs: HOUR_MS }),
    );
    for (let i = 1; i < 5; i += 1)
      desk.submit(aCardJob(`s${i}`, 4, { submittedAtMs: 1 + i, expectedRunMs: 2 * HOUR_MS }));
    expect(desk.state('s1')).toBeUndefined();
    desk.wait(HOUR_MS);
    desk.end('s0');
    expect(desk.state('large')).toBe('running');
  });
});
