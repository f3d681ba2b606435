import { describe, expect, test } from 'vitest';
import type { JobPhase, ProgressReport } from '../model/index.ts';
import { admissionEvents, FIRST_RECORD, type ProgressNews, ProgressTracker } from './index.ts';

const SECOND = 1000;
const POD = { uid: 'u', machine: 'm', incarnation: null };

/** One job, heard of as it is told to be. */
class Scene {
  readonly tracker = new ProgressTracker();
  readonly news: ProgressNews[] = [];
  nowMs = 0;

  constructor() {
    this.tracker.follow(0, 'a/j', FIRST_RECORD);
  }

  hear(report: Partial<ProgressReport>, pod: typeof POD | { uid: string; machine: string; incarnation: number } = POD) {
    const whole = { incarnation: 1, step: 0, loss: null, phase: 'train' as JobPhase, checkpoint: null, ...report };
    const heard = this.tracker.hear({ nowMs: this.nowMs, wallMs: 1e12 + this.nowMs }, 'a/j', pod, whole);
    if (heard.ok) this.news.push(...heard.value.news);
    return heard;
  }

  train(from: number, count: number, incarnation = 1): this {
    for (let step = from; step < from + count; step += 1) {
      this.hear({ step, incarnation });
      this.pass(30 * SECOND);
    }
    return this;
  }

  pass(ms: number): this {
    this.nowMs += ms;
    this.news.push(...this.tracker.due(this.nowMs));
    return this;
  }

  get kinds(): string[] {
    return this.news.map(({ kind }) => kind);
  }
}

const SAVED = { state: 'complete', uri: 's3://b/1', bytes: 9, sha256: '' } as const;

describe('R1: the tracker', () => {
  test('tells of trouble once, and restarts after its patience from the last checkpoint, off the machine', () => {
    const scene = new Scene().train(1, 10);
    scene.hear({ step: 10, checkpoint: SAVED });
    expect(scene.pass(61 * SECOND).kinds).toEqual(['checkpointed', 'troubled']);
    for (let index = 0; index < 10; index += 1) scene.pass(10 * SECOND);
    expect(scene.kinds).toEqual(['checkpointed', 'troubled', 'decided']);
    expect(scene.news[2]).toMatchObject({
      incarnation: 1,
      decision: { kind: 'restart', from: { uri: 's3://b/1', step: 10 }, avoid: ['m'], trouble: { kind: 'silent' } },
      record: { incarnation: 2 },
    });
  });

  test('takes it back when the job does steps again', () => {
    const scene = new Scene().train(1, 10).pass(45 * SECOND);
    scene.hear({ step: 11 });
    expect(scene.kinds).toEqual(['troubled', 'recovered']);
    expect(scene.pass(59 * SECOND).kinds).toHaveLength(2);
  });

  test('says nothing of a job that is done, or forgotten', () => {
    const scene = new Scene().train(1, 10);
    scene.hear({ step: 10, phase: 'done' });
    expect(scene.tracker.knows('a/j')).toBe(false);
    scene.tracker.follow(scene.nowMs, 'a/j', FIRST_RECORD);
    scene.train(1, 10).tracker.forget('a/j');
    expect(scene.pass(1e9).news).toEqual([]);
    expect(scene.tracker.wakeAtMs).toBe(Number.POSITIVE_INFINITY);
  });

  test('passes the wish for a checkpoint on, with the time that is left', () => {
    const scene = new Scene();
    scene.tracker.askForCheckpoint('a/j', 7, 50 * SECOND);
    expect(scene.hear({})).toMatchObject({ value: { answer: { checkpointWithinMs: null } } });
    scene.tracker.askForCheckpoint('a/j', 1, 50 * SECOND);
    scene.pass(20 * SECOND);
    expect(scene.hear({})).toMatchObject({ value: { answer: { checkpointWithinMs: 30 * SECOND } } });
  });

  test('hears a pod once a second on the average', () => {
    const scene = new Scene();
    const answers = Array.from({ length: 12 }, () => scene.hear({}));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(10);
    expect(answers.at(-1)).toMatchObject({ error: { why: 'too-often', retryAfterMs: SECOND } });
    expect(scene.pass(SECOND).hear({}).ok).toBe(true);
  });
});

describe('I6: one live incarnation', () => {
  test('a former one is refused, and told which lives', () => {
    const scene = new Scene().train(1, 3);
    scene.train(3, 3, 2);
    expect(scene.hear({ step: 9 })).toEqual({ ok: false, error: { why: 'stale', incarnation: 1, live: 2 } });
  });

  test('one that was given up to be restarted is refused from the decision on', () => {
    const scene = new Scene()
      .train(1, 10)
      .pass(600 * SECOND)
      .pass(600 * SECOND);
    expect(scene.kinds).toEqual(['troubled', 'decided']);
    expect(scene.hear({ step: 11 })).toMatchObject({ error: { why: 'stale', live: 2 } });
    expect(scene.hear({ incarnation: 2 })).toMatchObject({ ok: true });
  });

  test('a pod that says to be another than it was started as is refused', () => {
    const pod = { ...POD, incarnation: 3 };
    expect(new Scene().hear({ incarnation: 4 }, pod)).toMatchObject({ error: { why: 'not-its-own', started: 3 } });
  });

  test('a failure of a former one restarts nothing', () => {
    const scene = new Scene().train(1, 2);
    const failure = { reason: 'Error', exitCode: 1, message: '' };
    expect(scene.tracker.fail(scene.nowMs, 'a/j', 1, failure, 'm')).toHaveLength(1);
    expect(scene.tracker.fail(scene.nowMs, 'a/j', 1, failure, 'm')).toEqual([]);
  });
});

describe('what admission hears', () => {
  test('a checkpoint, and where and when to try again', () => {
    const scene = new Scene().train(1, 10);
    scene.hear({ step: 10, checkpoint: SAVED });
    scene.pass(61 * SECOND).pass(120 * SECOND);
    const heard = scene.news.flatMap((news) => admissionEvents(news, 5_000_000));
    const about = { job: 'a/j', incarnation: 1 };
    expect(heard).toMatchObject([
      { kind: 'job-checkpointed', ...about, checkpoint: { uri: 's3://b/1', step: 10, atMs: 1e12 + 300 * SECOND } },
      { kind: 'job-checkpointed', ...about },
      { kind: 'job-failed', ...about, avoids: ['m'], retryAtMs: 5_010_000 },
    ]);
  });

  test('the end, where a retry cannot mend it', () => {
    const scene = new Scene().train(1, 2);
    const news = scene.tracker.fail(scene.nowMs, 'a/j', 1, { reason: '', exitCode: 127, message: '' }, '');
    expect(news.flatMap((each) => admissionEvents(each, 0))).toEqual([
      { kind: 'job-ended', job: 'a/j', incarnation: 1, isFailed: true },
    ]);
  });
});

test('R1: where no job is heard any more it may be we who hear nothing: a quarter of an hour is waited', () => {
  const scene = new Scene();
  scene.tracker.follow(0, 'a/other', FIRST_RECORD);
  scene.train(1, 10);
  for (let minute = 0; minute < 14; minute += 1) scene.pass(60 * SECOND);
  expect(scene.kinds).toEqual(['troubled']);
  scene.pass(60 * SECOND);
  expect(scene.kinds).toEqual(['troubled', 'decided']);
});
