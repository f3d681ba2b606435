import { describeWithShared } from '@springtide/testkit/shared';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CAMBRICON_NODE_LOCK, HAMI_NODE_LOCK } from './keys.ts';
import { lockValue, parseLock } from './lock.ts';

interface LockVector {
  readonly name: string;
  readonly kind: string;
  readonly encoded: string;
  readonly decoded?: { readonly namespace: string; readonly pod: string; readonly unix: number };
  readonly error_class?: string;
}

test("a node's lock names the pod, and Cambricon's only the time", () => {
  const pod = { namespace: 'team-a', pod: 'pod-a' };
  expect(lockValue(HAMI_NODE_LOCK, pod, 946_684_800_999)).toBe('2000-01-01T00:00:00Z,team-a,pod-a');
  expect(lockValue(CAMBRICON_NODE_LOCK, pod, 946_684_800_000)).toBe('2000-01-01T00:00:00Z');
});

describeWithShared("HAMi's own locks", (shared) => {
  const file = readFileSync(join(shared, 'cases', 'hami', 'protocol.json'), 'utf8');
  const vectors: readonly LockVector[] = JSON.parse(file).node_lock;

  test.each(vectors.filter(({ kind }) => kind === 'parse'))('$name is read as HAMi reads it', (vector) => {
    const { encoded, decoded, error_class: error } = vector;
    const read = parseLock(encoded);
    if (decoded === undefined) return expect(read).toEqual({ ok: false, error });
    const { namespace, pod, unix } = decoded;
    const holder = { namespace, pod, sinceMs: read.ok ? read.value.sinceMs : 0 };
    expect(read).toEqual({ ok: true, value: holder });
    expect(Math.floor(holder.sinceMs / 1000)).toBe(unix);
  });

  test.each(vectors.filter(({ kind }) => kind === 'generate'))('$name is read back', ({ encoded }) => {
    expect(parseLock(encoded)).toMatchObject({ ok: true, value: { sinceMs: 946_684_800_000 } });
  });
});
