import { type JobRecord, newRecord } from '@springtide/core/model';
import type { SeenJob, SeenProgress, SeenWorkload } from '@springtide/ports/queueing';
import { describe, expect, test } from 'vitest';
import { type Desk, isSaving, newDesk, newsOf } from './desk.ts';

const GRACE_MS = 60_000;
const FIRST = { uri: 'a', step: 5, atMs: 1000 };

/** A job that runs as its second incarnation, from a checkpoint, unless told otherwise. */
function aDesk(progress: Partial<SeenProgress> | null, record: Partial<JobRecord> = {}): Desk {
  const heard = progress === null ? null : { incarnation: 2, checkpoint: FIRST, verdict: null, ...progress };
  const seen: Partial<SeenJob> = { ended: 'no', isSuspended: false, isReady: true, progress: heard };
  const workload: Partial<SeenWorkload> = { hasSource: true };
  return {
    ...newDesk('a/job-j'),
    seen: seen as SeenJob,
    workload: workload as SeenWorkload,
    record: { ...newRecord(0), state: 'running', incarnation: 2, checkpoint: FIRST, ...record },
  };
}

const of = { job: 'a/job-j', incarnation: 2 };
const again = { incarnation: 2, isGivenUp: false, avoids: ['m'], retryAtMs: 9000 };

describe('R1: what heartbeats came to is told to admission', () => {
  test('nothing where nothing is new', () => {
    expect(newsOf(aDesk(null))).toEqual([]);
    expect(newsOf(aDesk({}))).toEqual([]);
  });

  test('another checkpoint, and that there is none any more', () => {
    const checkpoint = { ...FIRST, uri: 'b' };
    expect(newsOf(aDesk({ checkpoint }))).toEqual([{ kind: 'job-checkpointed', ...of, checkpoint }]);
    expect(newsOf(aDesk({ checkpoint: null }))).toEqual([{ kind: 'job-checkpointed', ...of, checkpoint: null }]);
  });

  test('that it failed and is to start elsewhere, or has failed for good', () => {
    const { avoids, retryAtMs } = again;
    expect(newsOf(aDesk({ verdict: again }))).toEqual([{ kind: 'job-failed', ...of, avoids, retryAtMs }]);
    const verdict = { ...again, isGivenUp: true };
    expect(newsOf(aDesk({ verdict }))).toEqual([{ kind: 'job-ended', ...of, isFailed: true }]);
  });

  test('I6: what was decided of a former start is not told of this one', () => {
    expect(newsOf(aDesk({ verdict: { ...again, incarnation: 1 } }))).toEqual([]);
  });
});

describe('Q3: a job that leaves for others is waited for', () => {
  const leaving = { state: 'suspending', leaves: 'reclaimed', sinceMs: 2000 } as const;
  const saves = (desk: Desk, wallMs = 3000): boolean => isSaving(desk, wallMs, GRACE_MS);

  test('until it has saved since it was told, or its grace is over', () => {
    expect(saves(aDesk({}, leaving))).toBe(true);
    expect(saves(aDesk({ checkpoint: { ...FIRST, atMs: 2500 } }, leaving))).toBe(false);
    expect(saves(aDesk({}, leaving), 2000 + GRACE_MS)).toBe(false);
  });

  test('not where it sends no heartbeats, has not begun to in this start, or is in trouble itself', () => {
    expect(saves(aDesk(null, leaving))).toBe(false);
    expect(saves(aDesk({ incarnation: 1 }, leaving))).toBe(false);
    expect(saves(aDesk({}, { ...leaving, leaves: 'failed' }))).toBe(false);
    expect(saves(aDesk({}))).toBe(false);
  });
});
