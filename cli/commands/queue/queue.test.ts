import {
  kubeCohort,
  kubeList,
  kubePod,
  kubeQueue,
  kubeQueuedJob,
  kubeRunningJob,
  queueNode,
  runningStatus,
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

/** `springtide queue` of a dump: quotas, who waits, advice, and dumps that are refused. */

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

describe('Q5: springtide queue', () => {
  test('tells what queues own, use, borrow and lend, who waits, why and until when', async () => {
    const { status, stdout, stderr } = await springtide('queue', '--dump', busy, '--at', QUEUES_SEEN_AT);
    expect([status, stderr]).toEqual([0, '']);
    expect(lines(stdout)).toEqual([
      'Queue left of cohort research: 0 wait, 2 run.',
      '  Flavor  Resource  Nominal  Used  Borrowed  Lent  Available',
      '  a100    cards           8    16         8     0          0',
      '  h100    cards           8     0         0     0          8',
      'Queue right of cohort research: 1 waits, 0 run.',
      '  Flavor  Resource  Nominal  Used  Borrowed  Lent  Available',
      '  a100    cards           8     0         0     8          0',
      '  h100    cards           0     0         0     0          8',
      expect.stringMatching(
        /^ {2}1\. t\/job-w: Its queue has not enough quota: cards of a100: 16 asked, 0 available in research\. Start: about \d+ min \(9 of 10: within \d+ min\); promised by 2026-12-01 \d\d:\d\d UTC if jobs end as expected\.$/,
      ),
      'Run times are learned from 2 runs.',
    ]);
  });

  test('says the same in Chinese, of one queue', async () => {
    const { stdout } = await springtide('queue', 'right', '--dump', busy, '--at', QUEUES_SEEN_AT, '--lang', 'zh');
    expect(stdout).toContain('队列 right（cohort research）：1 个在等待，0 个在运行。');
    expect(stdout).toContain('队列的配额不够：a100 的卡：申请 16，research 里可用 0。');
    expect(stdout).not.toContain('left（');
  });

  test('as JSON: quotas in the unit of their resource, the wait as a value, the start in milliseconds', async () => {
    const { stdout } = await springtide('queue', '--dump', busy, '--at', QUEUES_SEEN_AT, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      atMs: Date.parse(QUEUES_SEEN_AT),
      queues: [
        { queue: 'left', jobs: { running: 2 }, quotas: [{ flavor: 'a100', used: 16, borrowed: 8 }, {}], waiting: [] },
        {
          queue: 'right',
          tenant: 'right',
          cohort: 'research',
          stopped: false,
          quotas: [{ flavor: 'a100', resource: 'cards', nominal: 8, used: 0, lent: 8, available: 0 }, {}],
          waiting: [
            { job: 't/job-w', position: 1, wait: { kind: 'quota', lacks: [{ asked: 16 }] }, start: { kind: 'later' } },
          ],
        },
      ],
      advice: [],
      runsKnown: 2,
      unreadable: [],
    });
  });

  test('a queue that is not there is refused with those that are', async () => {
    const { status, stderr } = await springtide('queue', 'middle', '--dump', busy);
    expect([status, stderr]).toEqual([2, 'springtide: there is no queue middle; there are left, right\n']);
  });
});

describe('bad quotas of a dump', () => {
  const first = QUEUES_QUOTAS.slice(0, 2);

  test.each<[string, Json[], string]>([
    [
      'a cycle of cohorts',
      [
        kubeCohort('research', { parent: 'b' }),
        kubeCohort('b', { parent: 'research' }),
        kubeQueue('left', { a100: 8 }),
      ],
      'cohort research: parent: it would be above itself',
    ],
    ['an unknown flavor', [kubeCohort('research'), kubeQueue('left', { v100: 8 })], 'there is no flavor v100'],
    ['an unknown cohort', [kubeQueue('left', { a100: 8 })], 'there is no cohort research'],
    [
      'a negative quantity',
      [kubeCohort('research'), kubeQueue('left', { a100: { nominal: -8 } })],
      'items[3].spec.flavors[0].resources[0].nominal (Queue left): expected a quantity that is not negative, found -8',
    ],
    [
      'a quantity beyond all bounds',
      [kubeCohort('research'), kubeQueue('left', { a100: { nominal: '1e30' } })],
      'spec.flavors[0].resources[0].nominal (Queue left): expected a quantity of at most 10^15, found "1e30"',
    ],
    [
      'a floor above the nominal quota',
      [kubeCohort('research'), kubeQueue('left', { a100: { nominal: 8, floor: 9 } })],
      'resources[0].floor (Queue left): expected no more than nominal, found 9',
    ],
    [
      'a flavor twice',
      [
        kubeCohort('research'),
        kubeQueue('left', {}, { flavors: ['a100', 'a100'].map((name) => ({ name, resources: [] })) }),
      ],
      'spec.flavors[1].name (Queue left): expected a flavor that is not named before',
    ],
    ['no queue at all', [], 'there is no Queue'],
  ])('%s: exit code 2, the field and what was expected', async (name, quotas, want) => {
    const path = dump(`bad ${name}`, [...first, ...quotas, ...QUEUES_FLEET]);
    for (const words of [
      ['queue', '--dump', path],
      ['explain', path, 'job/t/w'],
    ]) {
      const { status, stdout, stderr } = await springtide(...words);
      expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(want)]);
    }
  });
});

describe('O6: advice with its figures', () => {
  const advice = async (name: string, items: readonly Json[]): Promise<string> => {
    const { stdout } = await springtide('queue', '--dump', dump(name, items), '--at', QUEUES_SEEN_AT);
    return stdout.slice(stdout.indexOf('Advice:'));
  };

  test('a head that finds no place although as many cards are free', async () => {
    const halves = ['m0', 'm1'].map((machine) =>
      kubePod(`t/half-${machine}`, machine, {
        requests: { 'nvidia.com/gpu': '4' },
        metadata: { uid: machine },
      }),
    );
    const told = await advice('torn', [
      queueNode('m0'),
      queueNode('m1'),
      ...QUEUES_QUOTAS,
      ...halves,
      kubeQueuedJob('w', 'right', 1, 8),
    ]);
    expect(lines(told)).toEqual([
      'Advice:',
      '  - t/job-w, the head of queue right, asks for 8 cards; 8 are free on a100 and not where they have to be together (0 of 1 pods fit). A wider topology, fewer cards a pod, or moving work together (springtide inspect) would let it start.',
    ]);
  });

  test('quota unused while its cohort queues: kept by a lending limit, or not to be borrowed', async () => {
    const keeping = (left: Json, right: Json): Json[] => [
      ...QUEUES_QUOTAS.slice(0, 3),
      kubeQueue('left', { a100: { nominal: 8, ...left } }),
      kubeQueue('right', { a100: { nominal: 8, ...right } }),
    ];
    const jobs = [...kubeRunningJob('r0', 'right', 'm0', 8, 20), kubeQueuedJob('w', 'right', 1, 4)];
    const kept = await advice('kept', [...QUEUES_FLEET, ...keeping({ lendingLimit: 2 }, {}), ...jobs]);
    expect(kept).toContain(
      't/job-w, the head of queue right, lacks 2 of cards (a100), while 8 are unused in its cohort: left (6) keep them.',
    );
    const limited = await advice('limited', [...QUEUES_FLEET, ...keeping({}, { borrowingLimit: 3 }), ...jobs]);
    expect(limited).toContain('lacks 1 of cards (a100), while 8 are unused and lent in its cohort. A higher borrowing');
  });

  test('nobody waits while cards are held by jobs whose pods are not ready', async () => {
    const [object, kept] = kubeRunningJob('r0', 'left', 'm0', 8, 20);
    const status = { ...runningStatus('m0', 5), state: 'admitted' };
    const unready = { ...object, status: { active: 1, ready: 0 } };
    const told = await advice('idle-held', [...QUEUES_FLEET, ...QUEUES_QUOTAS, unready, { ...kept, status }]);
    expect(told).toContain(
      'Nobody waits, and 8 cards are held by jobs whose pods are not ready: t/job-r0 (8 for 5 min).',
    );
  });
});
