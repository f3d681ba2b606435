import { ok } from '@springtide/core/base';
import { clusterFailure } from '@springtide/ports/cluster';
import type { Clock } from '@springtide/ports/clock';
import { describe, expect, test } from 'vitest';
import type { Client, Finding } from './finding.ts';
import { checkLeader } from './installation.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
/** Waiting takes no time. */
const clock: Clock = {
  wallMs: () => NOW_MS,
  nowMs: () => 0,
  after: (_, callback) => {
    queueMicrotask(callback);
    return () => {};
  },
};

interface Seen {
  readonly agoMs: number;
  readonly holder?: string;
  /** Another number: it was renewed. */
  readonly version?: string;
}

/** An API server whose lease is seen like this, one after the other; the last stays. */
function clientOf(seen: readonly Seen[]): Client {
  const rest = [...seen];
  const request: Client['request'] = () => {
    const now = rest.length > 1 ? rest.shift() : rest[0];
    if (now === undefined) return Promise.resolve({ ok: false, error: clusterFailure('not-found', 'no lease') });
    const { agoMs, holder = 'pod-1', version = '1' } = now;
    const metadata = { name: 'springtide-scheduler-springtide', uid: 'u', resourceVersion: version };
    const renewTime = new Date(NOW_MS - agoMs).toISOString();
    return Promise.resolve(ok({ metadata, spec: { holderIdentity: holder, leaseDurationSeconds: 15, renewTime } }));
  };
  return { request };
}

function found(seen: readonly Seen[], options = { aheadMs: 0, namespace: 'springtide-system' }): Promise<Finding> {
  return checkLeader(clientOf(seen), { clock, ...options });
}

describe('who leads', () => {
  test.each([
    ['a lease renewed in time', [{ agoMs: 4000 }], 'ok', 'held'],
    ['none', [], 'problem', 'none'],
    ['one that was given up', [{ agoMs: 4000, holder: '' }], 'problem', 'none'],
    ['one that nobody renews', [{ agoMs: 90_000 }], 'problem', 'lost'],
    [
      'one renewed by a clock five minutes behind',
      [{ agoMs: 300_000 }, { agoMs: 296_000, version: '2' }],
      'warning',
      'skewed',
    ],
    [
      'one renewed by a clock five minutes ahead',
      [{ agoMs: -300_000 }, { agoMs: -304_000, version: '2' }],
      'warning',
      'skewed',
    ],
  ] as const)('%s: %#', async (_, seen, level, id) => {
    expect(await found(seen)).toMatchObject({ level, found: { key: `doctor.leader.${id}` } });
  });

  test('this machine’s own clock is not held against the leader', async () => {
    const options = { aheadMs: -300_000, namespace: 'springtide-system' };
    expect(await found([{ agoMs: 304_000 }], options)).toMatchObject({ level: 'ok' });
  });

  test('where nothing is installed nobody has to lead', async () => {
    expect(await found([], { aheadMs: 0, namespace: '' })).toMatchObject({ level: 'ok' });
  });
});
