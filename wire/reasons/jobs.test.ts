import { JOB_LEAVES, type JobRefusal, type JobWait } from '@springtide/core/model';
import { describe, expect, test } from 'vitest';
import { jobChangeText, jobLeaveText, jobRefusalText, jobWaitText, moneyText, quotaAmountText } from './jobs.ts';

const AT = Date.parse('2026-12-01T08:00:00Z');
const PLACE = { cardsAsked: 16, cardsFree: 20, podsPlaced: 1, pods: 2, nearest: 'rack r1', refusals: [] };

const WAITS: readonly JobWait[] = [
  {
    kind: 'quota',
    lacks: [
      {
        flavor: 'a100',
        resource: 'cards',
        node: 'research',
        asked: 16,
        available: 4,
        borrowers: [{ queue: 'left', amount: 8 }],
      },
    ],
  },
  {
    kind: 'quota',
    lacks: [{ flavor: 'a', resource: 'memoryBytes', node: 'n', asked: 2 ** 31, available: 0, borrowers: [] }],
  },
  { kind: 'place', flavor: 'a100', ...PLACE },
  { kind: 'place', flavor: '', ...PLACE, cardsFree: 3, nearest: '' },
  { kind: 'behind', job: 't/a' },
  { kind: 'would-delay', job: 't/a', startMs: AT },
  { kind: 'eviction', jobs: ['t/a', 't/b', 't/c', 't/d'], untilMs: AT },
  { kind: 'back-off', untilMs: AT, cause: 'not-ready' },
  { kind: 'flavor', there: ['a100', 'h100'] },
  { kind: 'no-queue', queue: 'left' },
  { kind: 'turn' },
];

const REFUSALS: readonly JobRefusal[] = [
  { kind: 'larger-than-cohort', flavor: 'a100', resource: 'cards', asked: 32, most: 16 },
  { kind: 'no-flavor', asked: ['b200'], there: ['a100'] },
  { kind: 'no-flavor', asked: [], there: ['a100'] },
  { kind: 'no-quota', resource: 'cards' },
  { kind: 'field', path: 'podSets[0].count', given: '0', expected: 'a whole number' },
  { kind: 'duplicate', job: 't/a' },
];

describe('every reason is a sentence in both languages, and says what would change it', () => {
  test.each(WAITS)('wait %o', (wait) => {
    for (const text of [jobWaitText('en', wait), jobChangeText('en', wait)]) {
      expect(text).toMatch(/^[A-Z].*[.)]$/);
      expect(text).not.toMatch(/[{}]|undefined|NaN/);
    }
    for (const text of [jobWaitText('zh', wait), jobChangeText('zh', wait)]) {
      expect(text).toMatch(/\p{Script=Han}.*。$/u);
      expect(text).not.toMatch(/[{}]|undefined|NaN/);
    }
  });

  test.each(REFUSALS)('refusal %o', (refusal) => {
    expect(jobRefusalText('en', refusal)).not.toMatch(/[{}]|undefined|NaN|\p{Script=Han}/u);
    expect(jobRefusalText('zh', refusal)).toMatch(/\p{Script=Han}/u);
  });

  test.each(JOB_LEAVES)('leave %s', (leave) => {
    expect(jobLeaveText('en', leave)).toMatch(/^[a-z]/);
    expect(jobLeaveText('zh', leave)).toMatch(/\p{Script=Han}/u);
  });
});

test('a lack is told with its amounts in the unit of the resource', () => {
  expect(jobWaitText('en', WAITS[0] as JobWait)).toBe(
    'Its queue has not enough quota: cards of a100: 16 asked, 4 available in research.',
  );
  expect(jobChangeText('en', WAITS[0] as JobWait)).toContain('from left (8)');
  expect(jobWaitText('zh', WAITS[1] as JobWait)).toContain('a 的内存：申请 2 GiB，n 里可用 0 B');
});

test('a place that is missing although cards are free is told as topology', () => {
  expect(jobChangeText('en', WAITS[2] as JobWait)).toContain('wider topology');
  expect(jobChangeText('en', WAITS[3] as JobWait)).toContain('when work on any machine ends');
});

test('amounts and money', () => {
  expect(
    ['cpuMilli', 'cardMemoryMiB', 'computeMilli', 'priceMicrosPerHour', 'x.io/rdma'].map((each) =>
      quotaAmountText(each, 1500),
    ),
  ).toEqual(['1.5', '1,500 MiB', '150 %', '0', '1,500']);
  expect([moneyText(16_000_000), moneyText(3_770_000), moneyText(1_234_500_000)]).toEqual(['16', '3.77', '1,234.5']);
});
