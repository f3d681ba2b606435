import { describe, expect, test } from 'vitest';
import type { JobTrouble, PodFailure } from '../model/index.ts';
import { mendOf } from './mend.ts';
import { FIRST_RECORD, type ProgressRecord, withCheckpoint } from './record.ts';
import { decideRestart } from './restart.ts';

const SHA = 'ab'.repeat(32);
const STALLED: JobTrouble = { kind: 'stalled', phase: 'train', step: 5, allowedMs: 60_000 };

function failed(failure: Partial<PodFailure>): JobTrouble {
  return { kind: 'failed', failure: { reason: 'Error', exitCode: 1, message: '', ...failure } };
}

function saved(record: ProgressRecord, uri: string, step: number): ProgressRecord {
  return withCheckpoint(record, { state: 'complete', uri, bytes: 10, sha256: SHA }, { step, atMs: 0 });
}

/** Restarts it after the same trouble again and again, without any progress, until it is given up. */
function untilGivenUp(
  record: ProgressRecord,
  trouble: JobTrouble,
): { restarts: number; why: string; waitsMs: number[] } {
  const waitsMs: number[] = [];
  let at = record;
  for (;;) {
    const { decision, record: next } = decideRestart(at, 0, trouble, []);
    if (decision.kind === 'give-up') return { restarts: waitsMs.length, why: decision.why, waitsMs };
    waitsMs.push(decision.afterMs);
    at = next;
  }
}

describe('R1: a restart', () => {
  test('goes on from the last checkpoint, as the next incarnation, off the suspect machine', () => {
    const record = saved(saved(FIRST_RECORD, 'a', 100), 'b', 200);
    const { decision, record: next } = decideRestart(record, 250, STALLED, ['m']);
    expect(decision).toMatchObject({ kind: 'restart', afterMs: 10_000, from: { uri: 'b', step: 200 }, avoid: ['m'] });
    expect(next).toMatchObject({ incarnation: 2, from: { uri: 'b' }, furthestStep: 250, fruitless: 0, restarts: 1 });
  });

  test('waits twice as long after each start in vain, ten minutes at most, and ends after six', () => {
    const { restarts, why, waitsMs } = untilGivenUp(FIRST_RECORD, STALLED);
    expect({ restarts, why }).toEqual({ restarts: 6, why: 'no-progress' });
    expect(waitsMs).toEqual([20_000, 40_000, 80_000, 160_000, 320_000, 600_000]);
  });

  test('is free again once a start bore fruit', () => {
    const tired = { ...FIRST_RECORD, incarnation: 5, fruitless: 5, restarts: 5 };
    expect(decideRestart(saved(tired, 'a', 1), 1, STALLED, []).record).toMatchObject({ fruitless: 0, restarts: 6 });
  });

  test('ends at a hundred however far it comes each time', () => {
    const far = { ...FIRST_RECORD, incarnation: 101, restarts: 100 };
    expect(decideRestart(far, 1_000_000, STALLED, []).decision).toMatchObject({ why: 'too-many-restarts' });
  });

  test('takes the checkpoint before the one that failed twice', () => {
    let record = saved(saved(FIRST_RECORD, 'good', 100), 'poisoned', 200);
    record = decideRestart(record, 200, STALLED, []).record;
    expect(record.from?.uri).toBe('poisoned');
    record = decideRestart(record, 0, STALLED, []).record;
    expect(record.from?.uri).toBe('poisoned');
    record = decideRestart(record, 0, STALLED, []).record;
    expect(record.from?.uri).toBe('good');
  });
});

describe('scenario 33: a checkpoint that is torn or missing', () => {
  test('gives way to the one before, and at last to the beginning', () => {
    let record = saved(saved(FIRST_RECORD, 'a', 100), 'b', 200);
    record = decideRestart(record, 200, STALLED, []).record;
    record = withCheckpoint(record, { state: 'torn', uri: 'b' }, { step: 0, atMs: 0 });
    expect(record.from).toMatchObject({ uri: 'a', step: 100 });
    record = withCheckpoint(record, { state: 'missing', uri: 'a' }, { step: 0, atMs: 0 });
    expect(record.from).toBeNull();
    expect(decideRestart(record, 300, STALLED, []).decision).toMatchObject({ kind: 'restart', from: null });
  });

  test('one that was never told to be complete is none: a save that was cut short changes nothing', () => {
    const record = saved(FIRST_RECORD, 'a', 100);
    expect(withCheckpoint(record, { state: 'torn', uri: 'half' }, { step: 150, atMs: 0 })).toBe(record);
  });
});

describe('R1: failures that a retry cannot mend', () => {
  test.each<[string, Partial<PodFailure>]>([
    ['wrong arguments', { exitCode: 2 }],
    ['a program that is not there', { exitCode: 127 }],
    ['a program that may not run', { exitCode: 126 }],
    ['an image that no registry has', { reason: 'ImagePullBackOff', exitCode: null, message: 'repo/x:1: not found' }],
    ['an image that may not be had', { reason: 'ErrImagePull', exitCode: null, message: '401 Unauthorized' }],
    ['a Secret that is missing', { reason: 'CreateContainerConfigError', exitCode: null }],
    ['a time limit of its own', { reason: 'DeadlineExceeded', exitCode: null }],
    ['memory at once', { reason: 'OOMKilled', exitCode: 137 }],
  ])('are not retried: %s', (_, failure) => {
    expect(untilGivenUp(FIRST_RECORD, failed(failure))).toMatchObject({ restarts: 0, why: 'cannot-mend' });
  });

  test('memory that ran out after new steps is retried, for it may leak', () => {
    const leak = failed({ reason: 'OOMKilled', exitCode: 137 });
    expect(decideRestart(FIRST_RECORD, 500, leak, []).decision).toMatchObject({ kind: 'restart' });
  });

  test('a broken memory access is tried once more, elsewhere', () => {
    expect(untilGivenUp(FIRST_RECORD, failed({ exitCode: 139 }))).toMatchObject({ restarts: 1, why: 'cannot-mend' });
  });

  test.each<[string, Partial<PodFailure>, string]>([
    ['a registry that is away', { reason: 'ImagePullBackOff', exitCode: null, message: 'i/o timeout' }, 'elsewhere'],
    ['a machine that was lost', { reason: 'NodeLost', exitCode: null }, 'elsewhere'],
    ['a card that was gone when it began', { reason: 'UnexpectedAdmissionError', exitCode: null }, 'elsewhere'],
    ['an exception of Python', { exitCode: 1 }, 'elsewhere'],
    ['killed by someone', { exitCode: 137 }, 'elsewhere'],
    ['a code nobody knows', { exitCode: 77 }, 'elsewhere'],
  ])('are told from those that may pass: %s', (_, failure, mend) => {
    expect(mendOf({ reason: 'Error', exitCode: 1, message: '', ...failure })).toBe(mend);
  });
});
