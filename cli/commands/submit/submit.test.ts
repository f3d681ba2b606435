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

/** `springtide submit --dry-run` on a dump. */

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

describe('Q5: springtide submit --dry-run', () => {
  const submitted = (name: string, object: Json): string => file(`${name}.yaml`, JSON.stringify(object));

  test('I15: tells flavor by flavor "now" only where a dry run placed it, else the wait; the price; the quota', async () => {
    const path = submitted('small', kubeQueuedJob('s', 'left', 1, 8));
    const { status, stdout, stderr } = await springtide('submit', '--dry-run', busy, path, '--at', QUEUES_SEEN_AT);
    expect([status, stderr]).toEqual([0, '']);
    expect(lines(stdout)).toEqual([
      'job/t/s to queue left: 1 pod, 8 cards.',
      expect.stringMatching(/^ {2}a100: waits, about \d+ min \(9 of 10: within \d+ min\): Its queue has not enough/),
      '    Place in the queue: 1 of 1.',
      expect.stringMatching(/^ {4}Price: 16 an hour, [\d.]+ for the expected run of \d+ min\.$/),
      '  h100: starts now (a dry run has just placed it)',
      "    Quota: fits in the queue's own.",
      expect.stringMatching(/^ {4}Price: 40 an hour, [\d.]+ for the expected run of \d+ min\.$/),
      '  Run times are learned from 2 runs.',
    ]);
  });

  test('tells what is borrowed, and who has it', async () => {
    const path = submitted('borrowing', kubeQueuedJob('s', 'right', 1, 8));
    const idle = dump('idle', [...QUEUES_FLEET, ...QUEUES_QUOTAS]);
    const zh = await springtide('submit', '--dry-run', idle, path, '--at', QUEUES_SEEN_AT, '--lang', 'zh');
    expect(zh.stdout).toContain('配额：需要借 h100 的卡：8，来自 left（可借出 8）。');
    const { stdout } = await springtide('submit', '--dry-run', idle, path, '--at', QUEUES_SEEN_AT, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      jobs: [
        {
          job: 'job/t/s',
          queue: 'right',
          refusal: null,
          flavors: [
            { flavor: 'a100', start: { kind: 'now' }, priceMicrosPerHour: 16_000_000, verdict: { borrows: [] } },
            {
              flavor: 'h100',
              start: { kind: 'now' },
              priceMicrosPerHour: 40_000_000,
              verdict: {
                borrows: [{ flavor: 'h100', resource: 'cards', amount: 8, lenders: [{ queue: 'left', amount: 8 }] }],
              },
            },
          ],
        },
      ],
      runsKnown: 0,
    });
  });

  test('quota that comes back by suspending who borrowed it: the place is kept, and by when', async () => {
    const path = submitted('reclaiming', kubeQueuedJob('s', 'right', 1, 8));
    const { status, stdout } = await springtide('submit', '--dry-run', busy, path, '--at', QUEUES_SEEN_AT);
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/a100: starts by 2026-12-01 08:0\d UTC, once t\/job-r\d has left/),
    ]);
  });

  test('a job larger than the whole cohort is refused at once, saying what would fit', async () => {
    const path = submitted('huge', kubeQueuedJob('s', 'right', 4, 8));
    const { status, stdout } = await springtide('submit', '--dry-run', busy, path, '--at', QUEUES_SEEN_AT);
    expect([status, lines(stdout)]).toEqual([
      1,
      [
        'job/t/s to queue right: 4 pods, 32 cards.',
        '  It can never start as it is: cards of a100: 32 asked, and its queue and cohort never have more than 16. A job of at most 16 fits.',
      ],
    ]);
  });

  test('a deadline in the past is refused with its field', async () => {
    const spec = {
      queue: 'left',
      deadline: '2026-11-30T08:00:00Z',
      podSets: [{ name: 'main', count: 1, requests: { 'nvidia.com/gpu': '1' } }],
    };
    const path = submitted('late', {
      apiVersion: 'springtide.io/v1alpha1',
      kind: 'Workload',
      metadata: { name: 'l', namespace: 't' },
      spec,
    });
    const { status, stdout } = await springtide('submit', '--dry-run', busy, path, '--at', QUEUES_SEEN_AT);
    expect([status, stdout]).toEqual([
      1,
      expect.stringContaining('deadlineMs: expected a time to come, found 17960256'),
    ]);
  });

  test('without --dry-run it is refused, and kubectl named', async () => {
    const path = submitted('real', kubeQueuedJob('s', 'left', 1, 8));
    const { status, stdout, stderr } = await springtide('submit', busy, path);
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining('kubectl create -f')]);
  });

  test.each<[string, Json, string]>([
    [
      'fewer pods than the least',
      kubeQueuedJob('s', 'left', 2, 1, {
        labels: { 'springtide.io/queue-name': 'left' },
        annotations: { 'springtide.io/min-parallelism': '3' },
      }),
      'metadata.annotations["springtide.io/min-parallelism"] (Job s): expected a number from 1 to the parallelism, 2, found "3"',
    ],
    [
      'no queue',
      kubeQueuedJob('s', 'left', 1, 1, { labels: {} }),
      'metadata.labels["springtide.io/queue-name"] (Job s): expected the name of a queue, found nothing',
    ],
    [
      'minCount above count',
      {
        apiVersion: 'springtide.io/v1alpha1',
        kind: 'Workload',
        metadata: { name: 'l' },
        spec: { queue: 'left', podSets: [{ name: 'main', count: 1, minCount: 2 }] },
      },
      'spec.podSets[0].minCount (Workload l): expected a number from 1 to count, 1, found 2',
    ],
    ['nothing to submit', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }, 'expected one of Job'],
  ])('%s: exit code 2, the field and what was expected', async (name, object, want) => {
    const path = submitted(name, object);
    const { status, stdout, stderr } = await springtide('submit', '--dry-run', busy, path, '--at', QUEUES_SEEN_AT);
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(want)]);
  });
});
