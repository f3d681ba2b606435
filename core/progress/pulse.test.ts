import { describe, expect, test } from 'vitest';
import type { JobPhase } from '../model/index.ts';
import { Pulse } from './pulse.ts';

const POD = { uid: 'u0', machine: 'm0' };
const SECOND = 1000;

/** A job that is heard of every `everyMs`, at its steps; the time goes on from where it was. */
class Heard {
  readonly pulse = new Pulse(0);
  nowMs = 0;
  step = 0;

  hear(afterMs: number, steps = 1, phase: JobPhase = 'train', pod = POD): this {
    this.nowMs += afterMs;
    this.step += steps;
    const report = { incarnation: 1, step: this.step, loss: null, phase, checkpoint: null };
    this.pulse.hear(this.nowMs, pod, report);
    return this;
  }

  steadily(count: number, everyMs = 30 * SECOND): this {
    for (let index = 0; index < count; index += 1) this.hear(everyMs);
    return this;
  }

  get waitsMs(): number {
    return this.pulse.deadlineMs - this.nowMs;
  }

  troubleAfter(ms: number): object | null {
    return this.pulse.trouble(this.nowMs + ms);
  }
}

describe('R1: a job that stands still', () => {
  test('is found two intervals of its steps after the last one', () => {
    const job = new Heard().steadily(10);
    expect(job.waitsMs).toBe(60 * SECOND);
    expect(job.troubleAfter(60 * SECOND - 1)).toBeNull();
  });

  test('is stalled while its heart beats, and names its machine', () => {
    const job = new Heard()
      .steadily(10)
      .hear(30 * SECOND, 0)
      .hear(25 * SECOND, 0);
    expect(job.troubleAfter(5 * SECOND)).toMatchObject({
      trouble: { kind: 'stalled', phase: 'train', step: 10, allowedMs: 60 * SECOND },
      suspects: ['m0'],
    });
  });

  test('is silent where its heart stands still too', () => {
    const job = new Heard().steadily(10);
    expect(job.troubleAfter(60 * SECOND)).toMatchObject({ trouble: { kind: 'silent' }, suspects: ['m0'] });
  });

  test('is silent after three beats, however long its steps are', () => {
    const job = new Heard();
    for (let index = 0; index < 200; index += 1) job.hear(30 * SECOND, index % 20 === 0 ? 1 : 0);
    expect(job.waitsMs).toBe(90 * SECOND);
  });

  test('of several pods the one that is behind is suspected; none where all are alike', () => {
    const other = { uid: 'u1', machine: 'm1' };
    const job = new Heard();
    for (let index = 0; index < 10; index += 1) job.hear(30 * SECOND).hear(0, 0, 'train', other);
    job.hear(30 * SECOND, 0).hear(0, 0, 'train', other);
    expect(job.troubleAfter(30 * SECOND)).toMatchObject({ trouble: { kind: 'stalled' }, suspects: [] });
    const report = { incarnation: 1, step: 9, loss: null, phase: 'train', checkpoint: null } as const;
    const behind = new Heard().steadily(10);
    behind.pulse.hear(behind.nowMs, other, report);
    expect(behind.hear(30 * SECOND, 0).troubleAfter(30 * SECOND)).toMatchObject({ suspects: ['m1'] });
  });
});

describe('R1: a job that does not stand still', () => {
  test('may take an hour to begin', () => {
    const job = new Heard().hear(0, 0, 'start');
    for (let index = 0; index < 110; index += 1) job.hear(30 * SECOND, 0, 'start');
    expect(job.troubleAfter(4 * 60 * SECOND)).not.toBeNull();
    expect(job.waitsMs).toBe(90 * SECOND);
    expect(job.troubleAfter(89 * SECOND)).toBeNull();
  });

  test('may evaluate for an hour the first time, then twice the longest it took', () => {
    const job = new Heard().steadily(10).hear(0, 0, 'evaluate');
    for (let index = 0; index < 20; index += 1) job.hear(30 * SECOND, 0, 'evaluate');
    expect(job.troubleAfter(60 * SECOND)).toBeNull();
    job.hear(0, 0, 'train').steadily(10).hear(0, 0, 'evaluate');
    for (let index = 0; index < 39; index += 1) expect(job.hear(30 * SECOND, 0, 'evaluate').troubleAfter(0)).toBeNull();
    expect(job.hear(30 * SECOND, 0, 'evaluate').troubleAfter(0)).toMatchObject({
      trouble: { kind: 'stalled', phase: 'evaluate' },
    });
  });

  test('may pause without a word where it has paused before at the same distance', () => {
    const job = new Heard();
    const evaluate = (): void => {
      for (let index = 0; index < 10; index += 1) job.hear(30 * SECOND, 0);
    };
    job.steadily(20);
    for (let round = 0; round < 2; round += 1) {
      evaluate();
      job.steadily(20);
    }
    // The third is due now: it may take twice as long as the longest, of 330 s.
    expect(job.waitsMs).toBe(90 * SECOND);
    evaluate();
    expect(job.troubleAfter(0)).toBeNull();
  });

  test('is not late for a few gaps that were long', () => {
    const job = new Heard().steadily(29);
    job
      .hear(500 * SECOND)
      .hear(400 * SECOND)
      .steadily(2);
    expect(job.waitsMs).toBe(60 * SECOND);
  });

  test('is not expected again once it says that it is done', () => {
    expect(new Heard().steadily(10).hear(0, 0, 'done').waitsMs).toBe(Number.POSITIVE_INFINITY);
  });

  test('begins anew when its container does, from an earlier step', () => {
    const job = new Heard().steadily(10);
    job.hear(45 * SECOND, -6);
    expect(job.waitsMs).toBe(60 * SECOND);
    expect(job.pulse.step).toBe(4);
  });
});
