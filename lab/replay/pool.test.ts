import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TraceError } from '@springtide/adapters/traces';
import { afterAll, describe, expect, test } from 'vitest';
import {
  JobRunner,
  loadTrace,
  replayMany,
  usualCpuOfCard,
  type ReplayJob,
  type ReplayOutcome,
  type TraceFiles,
} from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'replay-'));

afterAll(() => rmSync(folder, { recursive: true }));

const NODES = 'sn,cpu_milli,memory_mib,gpu,model';
const PODS = 'name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec';

/** A trace from the lines of its two files. */
function trace(name: string, nodes: readonly string[], pods: readonly string[]): TraceFiles {
  const [nodesFile, podsFile] = [join(folder, `${name}-nodes.csv`), join(folder, `${name}-pods.csv`)];
  writeFileSync(nodesFile, [NODES, ...nodes].join('\n'));
  writeFileSync(podsFile, [PODS, ...pods].join('\n'));
  return { name, nodesFile, podsFile, goRandFile: null };
}

const machines = Array.from({ length: 12 }, (_, i) => `m${i},64000,262144,8,T4`);
const pods = Array.from({ length: 60 }, (_, i) => `p${i},${4000 + 1000 * (i % 5)},4096,1,${i % 3 === 0 ? 1000 : 400},`);
const small = trace('small', machines, pods);

function job(placement: ReplayJob['placement'], seed: number, of: TraceFiles = small): ReplayJob {
  return { trace: of, placement, seed, ties: 'rank', withFragmentation: true };
}

/** What must be equal in every run: all but the time. */
function withoutTime(outcome: ReplayOutcome): ReplayOutcome {
  return { ...outcome, microsecondsPerDecision: 0 };
}

describe('replays on several threads', () => {
  test('give in the order of the jobs what one thread gives', async () => {
    const jobs = (['random', 'fgd', 'best-fit'] as const).flatMap((placement) => [
      job(placement, 1),
      job(placement, 2),
    ]);
    const done: number[] = [];
    const outcomes = await replayMany(jobs, { workers: 3, onDone: (_outcome, _index, count) => done.push(count) });
    const runner = new JobRunner();
    const want = jobs.map((each) => runner.run(each));
    expect(outcomes.map(withoutTime)).toEqual(want.map(withoutTime));
    expect(outcomes.every((outcome) => outcome.microsecondsPerDecision >= 0)).toBe(true);
    expect(done).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('end with the first trace that cannot be read', async () => {
    const broken = trace('broken', machines, [...pods, 'p,1,1']);
    const running = replayMany([job('random', 1), job('random', 1, broken)], { workers: 1 });
    await expect(running).rejects.toThrow(new TraceError(broken.podsFile, 62, 'has 3 fields where the header has 6'));
  });

  test('of no jobs end at once', async () => {
    expect(await replayMany([])).toEqual([]);
  });
});

describe('an outcome', () => {
  const outcome = new JobRunner().run(job('best-fit', 3));

  test('has a curve up to 1.3 times the capacity, with fragmentation', () => {
    expect(outcome.curve.at(-1)?.loadPercent).toBe(130);
    expect(outcome.curve.every((point) => point.fragmentationOfIdlePercent !== null)).toBe(true);
    expect(outcome.order).toBe('own');
  });

  test('says where all capacity is, to the thousandth of a card', () => {
    const [remainder] = outcome.remainder;
    expect(outcome.remainder).toHaveLength(1);
    const { capacityMilli = 0, allocatedMilli = 0, scrapsMilli = 0 } = remainder ?? {};
    const { cpuShortMilli = 0, scatteredMilli = 0, idleMachinesMilli = 0 } = remainder ?? {};
    expect(capacityMilli).toBe(96_000);
    expect(allocatedMilli + scrapsMilli + cpuShortMilli + scatteredMilli + idleMachinesMilli).toBe(capacityMilli);
    const end = outcome.curve.at(-1)?.allocatedPercent ?? 0;
    expect(Math.abs(allocatedMilli / 960 - end)).toBeLessThan(1);
  });
});

describe('a trace that cannot be replayed (issue 3, bad input)', () => {
  const machine = ['m,64000,262144,8,T4'];
  test.each([
    [trace('no-cards', ['m,64000,262144,0,'], pods), /no-cards-nodes\.csv: lists no card/],
    [trace('no-pods', machine, []), /no-pods-pods\.csv: lists no pod$/],
    [trace('cpu-only', machine, ['p,1000,1024,0,0,']), /cpu-only-pods\.csv: lists no pod that asks for cards/],
    [
      trace('too-little', machine, ['p,1,1,1,1,', ...Array.from({ length: 999 }, (_, i) => `c${i},1,1,0,0,`)]),
      /too-little-pods\.csv: its pods ask for too little/,
    ],
  ])('is refused: $name', (files, want) => {
    expect(() => loadTrace(files)).toThrow(want);
  });
});

describe('the CPU that usually comes with a card', () => {
  test('is the median over pods with one whole card, else over all with cards', () => {
    const { pods: read } = loadTrace(small);
    expect(usualCpuOfCard(read)).toBe(6000);
    expect(usualCpuOfCard(read.filter((pod) => pod.cardMilli < 1000))).toBe(6000);
    expect(usualCpuOfCard([])).toBe(0);
  });
});
