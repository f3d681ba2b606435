import type { JobStanding, QueueOverview, QuotaUse } from '@springtide/core/model';
import { describe, expect, test } from 'vitest';
import { queueAdviceOn } from './index.ts';

const use = (part: Partial<QuotaUse> = {}): QuotaUse => ({
  flavor: 'a100',
  resource: 'cards',
  nominal: 8,
  used: 0,
  borrowed: 0,
  lent: 0,
  lendable: 0,
  kept: 0,
  available: 0,
  ...part,
});

const overview = (queue: string, part: Partial<QueueOverview> = {}): QueueOverview => ({
  queue,
  tenant: queue,
  cohort: 'c',
  root: 'c',
  isStopped: false,
  uses: [use()],
  jobs: new Map(),
  waiting: [],
  ...part,
});

function lacking(asked: number, available: number): JobStanding {
  const lack = { flavor: 'a100', resource: 'cards', node: 'c', asked, available, borrowers: [] };
  return {
    job: 'j',
    queue: 'q',
    wait: { kind: 'quota', lacks: [lack] },
    promisedStartMs: null,
    position: 1,
    waiting: 1,
  };
}

describe('O6: advice on queues', () => {
  test('nothing is said where all that is owned is used', () => {
    expect(queueAdviceOn([overview('q', { waiting: [lacking(8, 0)] }), overview('o')], [])).toEqual([]);
  });

  test('quota of another root is not spoken of', () => {
    const other = overview('o', { root: 'o', uses: [use({ kept: 8 })] });
    expect(queueAdviceOn([overview('q', { waiting: [lacking(8, 0)] }), other], [])).toEqual([]);
  });

  test('what the queue owns itself is not counted as lent to it', () => {
    const own = overview('q', { uses: [use({ lendable: 4 })], waiting: [lacking(8, 4)] });
    expect(queueAdviceOn([own, overview('o', { uses: [use({ lendable: 4 })] })], [])).toMatchObject([
      { kind: 'unused-quota', short: 4, unused: 4, keepers: [] },
    ]);
    expect(queueAdviceOn([own, overview('o', { uses: [use({ kept: 4 })] })], [])).toMatchObject([
      { kind: 'unused-quota', short: 4, unused: 4, keepers: [{ queue: 'o', amount: 4 }] },
    ]);
  });

  test('cards that are held for a short while, or while others wait, are no matter', () => {
    const holder = { job: 'h', queue: 'q', cards: 8, heldMs: 600_000 };
    expect(queueAdviceOn([overview('q')], [holder])).toMatchObject([{ kind: 'held-idle', cards: 8 }]);
    expect(queueAdviceOn([overview('q')], [{ ...holder, heldMs: 60_000 }])).toEqual([]);
    expect(queueAdviceOn([overview('q', { waiting: [lacking(8, 0)] })], [holder])).toEqual([]);
  });
});
