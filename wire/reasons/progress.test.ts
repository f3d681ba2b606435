import type { JobTrouble, PodFailure, ProgressRefusal, RestartDecision } from '@springtide/core/model';
import { describe, expect, test } from 'vitest';
import { LANGUAGES, saidIn } from '../messages/index.ts';
import { progressRefusalSaid, restartText, troubleText } from './index.ts';

const STALLED: JobTrouble = { kind: 'stalled', phase: 'train', step: 1200, allowedMs: 90_000 };

function failed(failure: Partial<PodFailure>): JobTrouble {
  return { kind: 'failed', failure: { reason: '', exitCode: null, message: '', ...failure } };
}

describe('R1: what is said of a running job', () => {
  test('that it stands still, or its heart does, or how it ended', () => {
    expect(troubleText('en', STALLED)).toBe(
      'its heart beats, but since step 1,200 nothing was done for 90 s (training)',
    );
    expect(troubleText('zh', { ...STALLED, kind: 'silent' })).toBe('自第 1,200 步起心跳停止（训练）');
    expect(troubleText('en', failed({ exitCode: 1, reason: 'Error' }))).toBe('it ended with exit code 1');
    expect(troubleText('zh', failed({ exitCode: 137, reason: 'OOMKilled' }))).toBe('以 OOMKilled，退出码 137 结束');
  });

  test('when and from where it starts again', () => {
    const from = { uri: 's3://b/1', step: 1000, atMs: 0, bytes: 1, sha256: '', incarnation: 1 };
    const restart = { kind: 'restart', afterMs: 20_000, from, avoid: ['gpu-3'], trouble: STALLED } as const;
    expect(restartText('en', restart)).toBe(
      `${troubleText('en', STALLED)}. It starts again in 20 s, from the checkpoint of step 1,000 (s3://b/1), not on gpu-3`,
    );
    expect(restartText('zh', { ...restart, from: null, avoid: [] })).toBe(
      `${troubleText('zh', STALLED)}。20 s 后从头开始（没有完整的检查点）重新启动`,
    );
  });

  test.each<[Partial<PodFailure>, string]>([
    [{ reason: 'ImagePullBackOff' }, '镜像'],
    [{ reason: 'CreateContainerConfigError' }, 'ConfigMap'],
    [{ reason: 'OOMKilled', exitCode: 137 }, '内存'],
    [{ reason: 'DeadlineExceeded' }, 'activeDeadlineSeconds'],
    [{ exitCode: 127 }, '命令'],
    [{ exitCode: 139 }, '程序'],
  ])('what would have to change where a retry mends nothing: %j', (failure, word) => {
    const decision = { kind: 'give-up', why: 'cannot-mend', fruitless: 1, trouble: failed(failure) } as const;
    expect(restartText('zh', decision)).toContain(word);
    expect(restartText('en', decision)).toContain('It is not started again: ');
  });

  test('that it was started often enough', () => {
    const decision = (why: 'no-progress' | 'too-many-restarts'): RestartDecision => ({
      kind: 'give-up',
      why,
      fruitless: 7,
      trouble: STALLED,
    });
    expect(restartText('en', decision('no-progress'))).toContain('it came no further 7 times');
    expect(restartText('zh', decision('too-many-restarts'))).toContain('上限');
  });

  test.each<[ProgressRefusal, string]>([
    [{ why: 'stale', incarnation: 1, live: 2 }, '2'],
    [{ why: 'not-its-own', incarnation: 1, started: 3 }, '3'],
    [{ why: 'too-often', retryAfterMs: 1500 }, '2 s'],
    [{ why: 'full', what: 'jobs', most: 50_000 }, '50,000'],
    [{ why: 'full', what: 'pods', most: 4096 }, '4,096'],
  ])('why a heartbeat is not taken: %j', (refusal, word) => {
    const texts = LANGUAGES.map((language) => saidIn(language, progressRefusalSaid(refusal)));
    for (const text of texts) expect(text).toContain(word);
    expect(new Set(texts).size).toBe(2);
  });
});
