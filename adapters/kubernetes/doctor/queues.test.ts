import { expect, test } from 'vitest';
import { queueFindings } from './queues.ts';

const told = (...args: Parameters<typeof queueFindings>): string[] =>
  queueFindings(...args).map(({ level, found }) => `${level} ${found.key} ${Object.values(found.values).join()}`);

test('where Kueue is too, it is told whose each queue is, and which Jobs name a queue of each', () => {
  const theirs = new Set(['a/main', 'a/other']);
  expect(told(theirs, [], [])).toEqual(['ok doctor.queues.kueue 2']);
  expect(told(theirs, ['a/main', 'b/main'], ['a/train'])).toEqual([
    'ok doctor.queues.kueue 2',
    'warning doctor.queues.left a/main',
    'warning doctor.queues.taken b/main',
    'problem doctor.queues.both a/train',
  ]);
});
