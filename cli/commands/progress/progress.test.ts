import type { ProgressNews } from '@springtide/core/progress';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newsText } from './news-text.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'springtide.js');

function progress(...words: string[]) {
  const env = { ...process.env, KUBECONFIG: join(import.meta.dirname, 'none') };
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'progress', ...words], { env });
  return { status, stdout: stdout.toString(), stderr: stderr.toString() };
}

describe('springtide progress', () => {
  test('prints the helper for Python, which no cluster is needed for', () => {
    expect(progress('--helper')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('class Progress'),
      stderr: '',
    });
  });

  test.each([
    [['--lang', 'fr'], '--lang fr: expected one of en, zh'],
    [['--kubeconfig', '/nowhere/config'], '/nowhere/config'],
  ])('says in one line what is wrong with %j', (words, why) => {
    const { status, stdout, stderr } = progress(...words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^springtide: .*\n$/);
    expect(stderr).toContain(why);
  });
});

describe('a line about a job', () => {
  const about = { job: 'a/job-train', incarnation: 1 };
  const checkpoint = { uri: 's3://b/1', step: 1500, atMs: 0, bytes: 1, sha256: '', incarnation: 1 };
  const trouble = { kind: 'silent', phase: 'train', step: 1500, allowedMs: 20_000 } as const;

  test.each<[ProgressNews, string, string]>([
    [
      { kind: 'checkpointed', ...about, checkpoint },
      'a/job-train (start 1): it can go on from step 1,500 (s3://b/1)',
      'a/job-train（第 1 次启动）：可以从第 1,500 步继续（s3://b/1）',
    ],
    [
      { kind: 'checkpointed', ...about, checkpoint: null },
      'a/job-train (start 1): no checkpoint is whole any more',
      'a/job-train（第 1 次启动）：已没有完整的检查点',
    ],
    [
      { kind: 'troubled', ...about, trouble, suspects: [] },
      'a/job-train (start 1): its heart has stood still since step 1,500 (training)',
      'a/job-train（第 1 次启动）：自第 1,500 步起心跳停止（训练）',
    ],
    [
      { kind: 'recovered', ...about, afterMs: 45_000 },
      'a/job-train (start 1): it goes on, after 45 s',
      'a/job-train（第 1 次启动）：45 s 后恢复运行',
    ],
  ])('says what has changed: %j', (news, en, zh) => {
    expect([newsText('en', news), newsText('zh', news)]).toEqual([en, zh]);
  });
});
