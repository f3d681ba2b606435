import { err, ok, type Result } from '@springtide/core/base';
import type { CheckpointNews, ProgressReport } from '@springtide/core/model';
import type { ProgressNews, ProgressRecord } from '@springtide/core/progress';
import { clusterFailure } from '@springtide/ports/cluster';
import type { JobObject, JobsInProgress, TokenAnswer } from '@springtide/ports/progress';
import { VirtualClock } from '@springtide/testkit/clock';
import { describe, expect, test } from 'vitest';
import { ProgressService, type Reply } from './index.ts';

const TRAIN: JobObject = { id: 'a/job-train', apiVersion: 'batch/v1', kind: 'Job', namespace: 'a', name: 'train' };
const AWAY = clusterFailure('unreachable', 'no connection');

/** One job of one pod, held in memory, behind an API server that can be away. */
class Scene {
  readonly clock = new VirtualClock();
  readonly told: ProgressNews[] = [];
  readonly saved: ProgressRecord[] = [];
  isAway = false;
  isRunning = true;
  readonly service: ProgressService;

  constructor(kept: ProgressRecord | null = null) {
    const owner = { pod: { uid: 'u', namespace: 'a', name: 'train-0' }, job: TRAIN, machine: 'm', incarnation: null };
    const tokens: Readonly<Record<string, TokenAnswer>> = {
      good: { answer: 'pod', owner },
      person: { answer: 'no-pod', who: 'jane' },
      old: { answer: 'gone', pod: 'a/train-0' },
      late: { answer: 'busy' },
      lost: { answer: 'failed', failure: AWAY },
    };
    if (kept !== null) this.saved.push(kept);
    const jobs: JobsInProgress = {
      audience: 'springtide.io',
      podOf: async (token) => tokens[token] ?? { answer: 'unauthenticated' },
      load: async () => (this.isAway ? err(AWAY) : ok(this.saved.at(-1) ?? null)),
      save: async (_, record) => {
        if (this.isAway) return { answer: 'failed', failure: AWAY };
        const live = this.saved.at(-1)?.incarnation ?? 0;
        if (live > record.incarnation) return { answer: 'fenced', live };
        this.saved.push(record);
        return { answer: 'saved' };
      },
      isRunning: async (): Promise<Result<boolean, typeof AWAY>> => (this.isAway ? err(AWAY) : ok(this.isRunning)),
    };
    this.service = new ProgressService({ jobs, clock: this.clock, tell: (news) => void this.told.push(news) });
    this.service.start();
  }

  send(part: Partial<ProgressReport> = {}, token = 'good', job = 'train'): Promise<Reply> {
    const report = { incarnation: 1, step: 1, loss: null, phase: 'train' as const, checkpoint: null, ...part };
    return this.service.answer(token, ok({ job, report }));
  }

  async train(steps: number, incarnation = 1): Promise<void> {
    for (let step = 1; step <= steps; step += 1) {
      await this.send({ step, incarnation });
      await this.clock.pass(10_000);
    }
  }

  get kinds(): string[] {
    return this.told.map(({ kind }) => kind);
  }
}

const WHOLE: CheckpointNews = { state: 'complete', uri: '/ckpt/1', bytes: 3, sha256: '' };

function errorOf({ body }: Reply): any {
  return (body as any).error;
}

describe('R1: a heartbeat', () => {
  test.each([
    ['', 401, 'unauthenticated'],
    ['wrong', 401, 'unauthenticated'],
    ['person', 403, 'no-pod'],
    ['old', 403, 'pod-gone'],
    ['late', 503, 'busy'],
    ['lost', 503, 'unavailable'],
    ['good', 200, 'taken'],
  ])('with the token %j is answered %i', async (token, status, outcome) => {
    expect(await new Scene().send({}, token)).toMatchObject({ status, outcome });
  });

  test('for the job of another pod is refused, in both languages', async () => {
    const reply = await new Scene().send({}, 'good', 'other');
    expect(reply.status).toBe(403);
    expect(errorOf(reply)).toMatchObject({
      code: 'other-job',
      message: { en: 'job: "other", but the token is of a pod of "train"', zh: expect.stringContaining('令牌') },
    });
  });

  test('that cannot be read is refused with the place of the fault', async () => {
    const { service } = new Scene();
    const fault = { path: 'checkpoint.bytes', expected: 'a whole number', found: '"x"' };
    const reply = await service.answer('good', err(fault));
    expect(reply.status).toBe(400);
    expect(errorOf(reply)).toMatchObject({ code: 'malformed', path: 'checkpoint.bytes' });
    expect(errorOf(await service.answer('good', err({ path: '', expected: 'JSON', found: '' }))).message.en).toBe(
      'expected an object in JSON',
    );
  });

  test('of a former incarnation is refused, and told which lives (I6)', async () => {
    const scene = new Scene();
    await scene.send({ incarnation: 2 });
    const reply = await scene.send();
    expect(reply.status).toBe(409);
    expect(errorOf(reply)).toMatchObject({ code: 'stale', live: 2 });
  });

  test('more often than once a second is refused, with the time to wait', async () => {
    const scene = new Scene();
    const replies = await Promise.all(Array.from({ length: 11 }, () => scene.send()));
    expect(replies.at(-1)).toMatchObject({ status: 429, body: { error: { retryAfterMs: 1000 } } });
  });
});

describe('R1: a checkpoint', () => {
  test('is kept before it is said to be taken, and a service that starts anew knows it', async () => {
    const scene = new Scene();
    expect(await scene.send({ step: 7, checkpoint: WHOLE })).toMatchObject({ status: 200 });
    expect(scene.saved.at(-1)?.checkpoints).toMatchObject([{ uri: '/ckpt/1', step: 7 }]);
    const next = new Scene(scene.saved.at(-1) ?? null);
    expect(await next.send({ incarnation: 2 })).toMatchObject({ body: { from: { uri: '/ckpt/1', step: 7 } } });
  });

  test('that could not be kept is not said to be taken; sent again, it is told once', async () => {
    const scene = new Scene();
    await scene.send();
    scene.isAway = true;
    expect(await scene.send({ checkpoint: WHOLE })).toMatchObject({ status: 503 });
    expect(scene.told).toEqual([]);
    scene.isAway = false;
    expect(await scene.send({ checkpoint: WHOLE })).toMatchObject({ status: 200 });
    expect(await scene.send()).toMatchObject({ status: 200 });
    expect(scene.kinds).toEqual(['checkpointed']);
  });

  test('is asked for where the job is to be stopped', async () => {
    const scene = new Scene();
    await scene.send();
    scene.service.askForCheckpoint('a/job-train', 1, 30_000);
    expect(await scene.send()).toMatchObject({ body: { checkpointWithinMs: 30_000 } });
  });

  test('is asked for also where the job is heard for the first time after that, and no more when it need not leave', async () => {
    const scene = new Scene();
    scene.service.askForCheckpoint('a/job-train', 1, 30_000);
    expect(await scene.send()).toMatchObject({ body: { checkpointWithinMs: 30_000 } });
    scene.service.callOff('a/job-train');
    expect(await scene.send()).toMatchObject({ body: { checkpointWithinMs: null } });
  });

  test('I6: where a later incarnation was written by somebody else nothing is written over it', async () => {
    const scene = new Scene();
    await scene.send();
    scene.saved.push({ ...(scene.saved.at(-1) as ProgressRecord), incarnation: 5 });
    expect(errorOf(await scene.send({ checkpoint: WHOLE }))).toMatchObject({ code: 'stale', live: 5 });
    expect(scene.saved.at(-1)?.incarnation).toBe(5);
  });
});

describe('R1: a job that stands still', () => {
  test('is told of, and its restart when it is kept', async () => {
    const scene = new Scene();
    await scene.train(10);
    await scene.clock.pass(30_000);
    expect(scene.kinds).toEqual(['troubled']);
    scene.isAway = true;
    await scene.clock.pass(120_000);
    expect(scene.kinds).toEqual(['troubled']);
    scene.isAway = false;
    await scene.clock.pass(10_000);
    expect(scene.kinds).toEqual(['troubled', 'decided']);
    expect(scene.saved.at(-1)).toMatchObject({ incarnation: 2 });
    expect(await scene.send({ step: 11 })).toMatchObject({ status: 409 });
  });

  test('is none where its pod has ended, which is seen elsewhere', async () => {
    const scene = new Scene();
    await scene.train(10);
    scene.isRunning = false;
    await scene.clock.pass(300_000);
    expect(scene.told).toEqual([]);
    expect(scene.service.count).toBe(0);
  });

  test('or that failed is restarted at once', async () => {
    const scene = new Scene();
    await scene.train(3);
    await scene.service.fail('a/job-train', 1, { reason: 'Error', exitCode: 1, message: '' }, 'm');
    expect(scene.told.at(-1)).toMatchObject({ kind: 'decided', decision: { kind: 'restart', avoid: ['m'] } });
  });
});
