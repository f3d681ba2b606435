import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { SCHEDULER_DEFAULTS } from '@springtide/core/scheduler';
import {
  type Dump,
  DUMP_FORMAT,
  DUMP_VERSION,
  dumpLines,
  type Entry,
  RecordedScheduler,
} from '@springtide/services/scheduler';
import { aMachine, aPod, aRequest, aSeenPod, PRODUCTS } from '@springtide/testkit/builders';
import { afterAll, describe, expect, test } from 'vitest';

const program = join(import.meta.dirname, '..', '..', 'springtide.js');
const folder = mkdtempSync(join(tmpdir(), 'springtide-dump-'));
const OPTIONS = SCHEDULER_DEFAULTS;

afterAll(() => rmSync(folder, { recursive: true }));

function run(path: string, ...options: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'replay-dump', path, ...options], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** A dump of a scheduler with one machine, one pod that it placed and one that waits. */
function written(name: string, change: (entry: Entry) => Entry = (entry) => entry): string {
  const scheduler = new RecordedScheduler(OPTIONS);
  const machine = aMachine('m').cards(PRODUCTS.a100, 2).build();
  const pods = ['a', 'b'].map((id) => aPod(id).asking(aRequest().whole(2)).build());
  const seen = pods.map((pod) => ({ kind: 'pod', seen: aSeenPod(pod) }) as const);
  scheduler.step(1000, [{ kind: 'machine', machine }, ...seen], 10);
  scheduler.step(1500, [], 10);
  const { entries, ...recording } = scheduler.recording();
  const format = { format: DUMP_FORMAT, version: DUMP_VERSION, program: '1.2.3' } as const;
  const facts = {} as Dump['head']['facts'];
  const head = { ...format, madeAtMs: 0, schedulerName: 'springtide', options: OPTIONS, facts };
  const text = [...dumpLines({ head, recording: { ...recording, entries: entries.map(change) } })].join('');
  const path = join(folder, name);
  writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
  return path;
}

/** As if it had been decided to do nothing. */
function idle(entry: Entry): Entry {
  return entry.kind === 'step' ? { ...entry, commands: [] } : entry;
}

describe('replay-dump', () => {
  test.each(['same.ndjson', 'same.ndjson.gz'])('tells what was decided, and that it is decided again: %s', (name) => {
    const { status, stdout, stderr } = run(written(name), '--lang', 'en');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('step 1 at 0.000 s, 3 events\n    bind a to m: m/0, m/1\n    b waits (no-machine)\n');
    expect(stdout).toContain('Steps in which nothing was decided: 1.\nDecided again: 2 steps, all as recorded.\n');
    expect(run(written(name), '--lang', 'zh').stdout).toContain('重新决定了 2 步，全部与记录一致。\n');
  });

  test('says no where something else is decided, and what', () => {
    const { status, stdout } = run(written('other.ndjson', idle), '--lang', 'en');
    expect(status).toBe(1);
    expect(stdout).toContain('  recorded instead:\n    nothing\n');
    expect(stdout).toContain('Decided otherwise than recorded: 1 of 2 steps, first step 1.\n');
  });

  test('prints a line of JSON for each step with a decision, and one for the outcome', () => {
    const { status, stdout } = run(written('json.ndjson.gz'), '--json');
    expect(status).toBe(0);
    const [step, outcome] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(step).toMatchObject({ step: 1, nowMs: 1000, events: 3, isSame: true });
    expect(step.decided.map(({ kind, pod }: any) => [kind, pod])).toEqual([
      ['bind', 'a'],
      ['report', 'b'],
    ]);
    expect(outcome).toMatchObject({ program: '1.2.3', steps: 2, quiet: 1, different: 0, firstDifferent: null });
  });

  test.each([
    ['there is none', join(folder, 'none'), 'ENOENT'],
    ['a folder', folder, 'EISDIR'],
    ['empty', '', 'expected a dump, found nothing'],
    ['a kubectl dump', '{"kind":"List","items":[]}\n', 'line 1: expected the head of a dump'],
    ['a cut archive', gzipSync('x'.repeat(1000)).subarray(0, 20), 'unexpected end of file'],
  ])('answers bad input with one line and exit code 2: %s', (name, content, want) => {
    const path = typeof content === 'string' && content.startsWith(folder) ? content : join(folder, `bad ${name}`);
    if (path !== content) writeFileSync(path, content);
    const { status, stdout, stderr } = run(path);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(want);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});
