import { aCell, aQueue } from '@springtide/testkit/builders';
import { describe, expect, test } from 'vitest';
import { Queues } from './queues.ts';

const NO_LABELS: ReadonlyMap<string, string> = new Map();

function queues(): Queues {
  const all = new Queues();
  const spec = aQueue('nlp', [aCell('a100', 'cards', 8)]);
  const namespaces = [{ key: 'team', operator: 'In', values: ['nlp'] }] as const;
  all.take({ kind: 'queue-seen', queue: { spec, namespaces, aliases: ['old/main'] } });
  return all;
}

describe('the queue that work belongs to', () => {
  const ask = (queue: string, isByKueueLabel = false): Parameters<Queues['queueFor']>[0] => ({
    queue,
    isByKueueLabel,
    priorityClass: '',
  });

  test('is the one of that name where it takes work of the namespace, or whose alias it is', () => {
    const all = queues();
    expect(all.queueFor(ask('nlp'), 'a', new Map([['team', 'nlp']]))).toBe('nlp');
    expect(all.queueFor(ask('nlp'), 'a', NO_LABELS)).toBeNull();
    expect(all.queueFor(ask('main'), 'old', NO_LABELS)).toBe('nlp');
    expect(all.queueFor(ask('main'), 'other', NO_LABELS)).toBeNull();
  });

  test('is Kueue’s where that has a LocalQueue of the name, unless our own label names it', () => {
    const all = queues();
    all.take({ kind: 'foreign-queue-seen', queue: 'old/main' });
    expect(all.queueFor(ask('main', true), 'old', NO_LABELS)).toBeNull();
    expect(all.queueFor(ask('main'), 'old', NO_LABELS)).toBe('nlp');
    all.take({ kind: 'foreign-queue-gone', queue: 'old/main' });
    expect(all.queueFor(ask('main', true), 'old', NO_LABELS)).toBe('nlp');
  });

  test('is nobody’s once the queue is gone', () => {
    const all = queues();
    all.take({ kind: 'queue-gone', queue: 'nlp' });
    expect(all.queueFor(ask('main'), 'old', NO_LABELS)).toBeNull();
    expect(all.specs().queues).toEqual([]);
  });
});
