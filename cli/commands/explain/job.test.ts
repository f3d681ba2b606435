import {
  kubeList,
  kubeQueuedJob,
  QUEUES_BUSY,
  QUEUES_FLEET,
  QUEUES_QUOTAS,
  QUEUES_SEEN_AT,
  type Json,
} from '@springtide/testkit/kubectl';
import { type Ran, ranHere } from '@springtide/testkit/program';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { run } from '../../program/index.ts';

/** `springtide explain job/x` of a dump. */

const folder = mkdtempSync(join(tmpdir(), 'springtide-queues-'));
afterAll(() => rmSync(folder, { recursive: true }));

const springtide = (...words: string[]): Promise<Ran> => ranHere(run, words);

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const dump = (name: string, items: readonly Json[]): string => file(`${name}.json`, kubeList(items));
const busy = dump('busy', QUEUES_BUSY);
const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

describe('Q5: springtide explain job/x', () => {
  test('tells where it is, why, what would change that, until when, and what would be quicker', async () => {
    const { status, stdout, stderr } = await springtide('explain', busy, 'job/t/w', '--at', QUEUES_SEEN_AT);
    expect([status, stderr]).toEqual([1, '']);
    expect(lines(stdout)).toEqual([
      'job/t/w waits in queue right: 1 of 1.',
      '  Why: Its queue has not enough quota: cards of a100: 16 asked, 0 available in research.',
      '  What would change that: It starts when borrowed quota comes back from left (8); more quota for research would do too.',
      expect.stringMatching(/^ {2}Until when: about \d+ min \(9 of 10: within \d+ min\); promised by .* if jobs end/),
      '  Run times are learned from 2 runs.',
      expect.stringMatching(/^ {2}By flavor: a100: about .*; h100: not foreseeable, dearer\.$/),
    ]);
  });

  test('in Chinese, and as JSON', async () => {
    const zh = await springtide('explain', busy, 'job/t/w', '--at', QUEUES_SEEN_AT, '--lang', 'zh');
    expect(zh.stdout).toContain('job/t/w 在队列 right 等待：第 1 位，共 1 个。');
    expect(zh.stdout).toContain('怎样可以改变：等 left（8）归还借用的配额就能开始');
    const { stdout } = await springtide('explain', busy, 'job/t/w', '--at', QUEUES_SEEN_AT, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      job: 'job/t/w',
      workload: 't/job-w',
      queue: 'right',
      state: 'queued',
      position: 1,
      waiting: 1,
      wait: { kind: 'quota' },
      start: { kind: 'later' },
      flavors: [
        { flavor: 'a100', verdict: { kind: 'waits' } },
        { flavor: 'h100', start: { kind: 'unforeseeable' } },
      ],
    });
  });

  test('what runs says since when and where', async () => {
    const { status, stdout } = await springtide('explain', busy, 'workload/t/job-r0', '--at', QUEUES_SEEN_AT);
    expect([status, lines(stdout)]).toEqual([
      0,
      ['job/t/r0 of queue left runs since 2026-12-01 07:40 UTC.', '  It is on m0, by flavor a100.'],
    ]);
  });

  test('what starts now says so, and what can never start says what would fit', async () => {
    const path = dump('explained', [
      ...QUEUES_FLEET,
      ...QUEUES_QUOTAS,
      kubeQueuedJob('s', 'left', 1, 8),
      kubeQueuedJob('l', 'right', 4, 8),
    ]);
    const starts = await springtide('explain', path, 'job/t/s', '--at', QUEUES_SEEN_AT);
    expect([starts.status, starts.stdout]).toEqual([
      0,
      expect.stringContaining('job/t/s of queue left starts now: quota and a place for all of it are there.'),
    ]);
    const never = await springtide('explain', path, 'job/t/l', '--at', QUEUES_SEEN_AT);
    expect([never.status, never.stdout]).toEqual([
      1,
      expect.stringContaining('cards of a100: 32 asked, and its queue and cohort never have more than 16.'),
    ]);
  });

  test.each([
    ['job/t/z', 'there is no job job/t/z that is queued; there are job/t/r0, job/t/r1, job/t/w'],
    ['job/w', 'job/w: expected job/NAMESPACE/NAME'],
  ])('%s is refused with what is there', async (target, want) => {
    const { status, stdout, stderr } = await springtide('explain', busy, target);
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(want)]);
  });

  test('a job whose queue is not there is told so', async () => {
    const path = dump('nobody', [...QUEUES_FLEET, ...QUEUES_QUOTAS, kubeQueuedJob('s', 'middle', 1, 8)]);
    const { status, stdout } = await springtide('explain', path, 'job/t/s');
    expect([status, stdout]).toEqual([1, expect.stringContaining('it names middle, which is not there')]);
  });
});
