import { SCHEDULER_DEFAULTS } from '@springtide/core/scheduler';
import { aMachine, PRODUCTS } from '@springtide/testkit/builders';
import { describe, expect, test } from 'vitest';
import { type Dump, DUMP_FORMAT, DUMP_VERSION, dumpLines, DumpReader, RecordedScheduler } from './index.ts';

const OPTIONS = SCHEDULER_DEFAULTS;

function linesOf(head: Partial<Dump['head']> = {}): string[] {
  const scheduler = new RecordedScheduler(OPTIONS);
  scheduler.step(0, [{ kind: 'machine', machine: aMachine('m').cards(PRODUCTS.a100, 2).build() }], 10);
  const usual = {
    format: DUMP_FORMAT,
    version: DUMP_VERSION,
    program: '1.2.3',
    madeAtMs: 0,
    schedulerName: 's',
  } as const;
  const facts = {} as Dump['head']['facts'];
  const dump = { head: { ...usual, options: OPTIONS, facts, ...head }, recording: scheduler.recording() };
  return [...dumpLines(dump)].map((line) => line.trimEnd());
}

/** The first trouble, else what `dump` says. */
function read(lines: readonly string[]): string {
  const reader = new DumpReader();
  for (const line of lines) {
    const trouble = reader.add(line);
    if (trouble !== null) return trouble;
  }
  const dump = reader.dump();
  return dump.ok ? 'a dump' : dump.error;
}

describe('a dump', () => {
  test('is read when it is whole', () => {
    expect(read(linesOf())).toBe('a dump');
  });

  test.each([
    ['nothing', [], 'expected a dump, found nothing'],
    ['no JSON', ['{'], 'line 1: expected an object of JSON with a kind'],
    ['a list', ['[]'], 'line 1: expected an object of JSON with a kind'],
    ['another kind of dump', ['{"kind":"List"}'], 'line 1: expected the head of a dump of format springtide.io/'],
    ['one that is cut', linesOf().slice(0, -1), 'the dump is cut after line 3'],
    ['one with a line missing', linesOf().toSpliced(1, 1), 'the lines before are not those that were written'],
    ['one that goes on', [...linesOf(), '{"kind":"pod"}'], 'line 5: expected nothing behind the end'],
    ['an unknown line', linesOf().toSpliced(1, 0, '{"kind":"x"}'), 'line 2: expected a machine, a pod or an entry'],
    ['another version', linesOf({ version: 1 }), 'expected version 3, found 1: replay it with the program that'],
  ])('that is none is told: %s', (_, lines, want) => {
    expect(read(lines)).toContain(want);
  });
});
