import { forAll } from '@springtide/testkit/property';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage } from './index.ts';

const LEAST = { job: 'train', incarnation: 1, step: 0 };
const SHA = 'Ab'.repeat(32);

test('a heartbeat says at least whose it is, which incarnation and how many steps are done', () => {
  expect(readMessage(JSON.stringify(LEAST))).toEqual({
    ok: true,
    value: { job: 'train', report: { incarnation: 1, step: 0, loss: null, phase: 'train', checkpoint: null } },
  });
});

test('and may tell a loss, a phase, and news of a checkpoint', () => {
  const checkpoint = { uri: 's3://b/1', bytes: 7, sha256: SHA };
  expect(readMessage(JSON.stringify({ ...LEAST, loss: -1.5, phase: 'save', checkpoint }))).toMatchObject({
    value: {
      report: { loss: -1.5, phase: 'save', checkpoint: { state: 'complete', bytes: 7, sha256: SHA.toLowerCase() } },
    },
  });
  expect(readMessage(JSON.stringify({ ...LEAST, checkpoint: { state: 'missing', uri: '/c/1' } }))).toMatchObject({
    value: { report: { checkpoint: { state: 'missing', uri: '/c/1' } } },
  });
});

test.each<[unknown, string, string]>([
  [[], '', 'an object'],
  [{ ...LEAST, job: '' }, 'job', 'a name'],
  [{ ...LEAST, job: 'a\nb' }, 'job', 'at most 253 characters, none of them a control character'],
  [{ ...LEAST, incarnation: 0 }, 'incarnation', 'a whole number from 1 to 1000000000'],
  [{ job: 'train', step: 1 }, 'incarnation', 'a whole number'],
  [{ job: 'train', incarnation: 1 }, 'step', 'a whole number'],
  [{ ...LEAST, step: 1.5 }, 'step', 'a whole number'],
  [{ ...LEAST, step: 2 ** 53 }, 'step', 'a whole number from 0 to 9007199254740991'],
  [{ ...LEAST, loss: 'low' }, 'loss', 'a number, or null'],
  [{ ...LEAST, phase: 'sleep' }, 'phase', 'start, train, evaluate, save, done'],
  [{ ...LEAST, epoch: 1 }, '', 'only job, incarnation, step, loss, phase, checkpoint'],
  [{ ...LEAST, checkpoint: {} }, 'checkpoint.uri', 'a name'],
  [{ ...LEAST, checkpoint: { uri: 'x' } }, 'checkpoint.bytes', 'a whole number'],
  [{ ...LEAST, checkpoint: { uri: 'x', bytes: 0 } }, 'checkpoint.bytes', 'a whole number from 1 to 9007199254740991'],
  [{ ...LEAST, checkpoint: { uri: 'x', bytes: 1, sha256: '12' } }, 'checkpoint.sha256', '64 hexadecimal digits'],
  [{ ...LEAST, checkpoint: { uri: 'x', state: 'half' } }, 'checkpoint.state', 'complete, torn, missing'],
  [{ ...LEAST, checkpoint: { uri: 'x', size: 1 } }, 'checkpoint', 'only state, uri, bytes, sha256'],
])('what cannot be read is told with its place: %j', (message, path, expected) => {
  expect(readMessage(JSON.stringify(message))).toMatchObject({ ok: false, error: { path, expected } });
});

test('whatever is sent, the answer is a value', () => {
  const any = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record({
        ...Object.fromEntries(Object.keys(LEAST).map((key) => [key, fc.anything()])),
        checkpoint: fc.anything(),
      })
      .map((value) => JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? 0 : each)) ?? ''),
  );
  forAll(any, (body) => {
    expect(typeof readMessage(body).ok).toBe('boolean');
  });
});
