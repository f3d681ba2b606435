import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  aCell,
  aCohort,
  aFlavor,
  aMachine,
  aQueue,
  aQueuedJob,
  aRequest,
  PRODUCTS,
} from '@springtide/testkit/builders';
import { forAll } from '@springtide/testkit/property';
import {
  Admission,
  ADMISSION_DEFAULTS,
  type AdmissionCommand,
  type AdmissionEvent,
  type AdmissionOptions,
} from '../admission/index.ts';
import { compareText, isAlike } from '../base/index.ts';
import type { JobRecord, QueuedJob, QuotaSpecs } from '../model/index.ts';
import { AdmissionRehearsal } from './admission-rehearsal.ts';

const CARDS = 4;
/** Longer than all jobs one after the other. */
const HORIZON_MS = 4 * 3_600_000;
const MACHINES = ['m0', 'm1', 'm2'].map((id) => aMachine(id).cards(PRODUCTS.a100, CARDS).build());
/** With `lends`: `own` owns more than it uses, and `poor` lives of what is lent. `alone` is strict. */
function worldOf(lends: boolean): AdmissionEvent[] {
  const part = lends ? { cohort: 'c' } : {};
  const specs: QuotaSpecs = {
    flavors: [aFlavor('a100')],
    cohorts: lends ? [aCohort('c')] : [],
    queues: [
      aQueue('own', [aCell('a100', 'cards', 6, lends ? { borrowingLimit: 2 } : {})], part),
      aQueue('poor', [aCell('a100', 'cards', lends ? 2 : 4)], part),
      aQueue('alone', [aCell('a100', 'cards', 5)], { strategy: 'strict' }),
    ],
  };
  return [{ kind: 'quota', specs }, ...MACHINES.map((machine) => ({ kind: 'machine' as const, machine }))];
}

type Start = readonly [job: string, atMs: number];

interface Arrival {
  readonly afterMs: number;
  readonly queue: string;
  readonly pods: number;
  readonly cards: number;
  readonly priority: number;
  readonly isPreemptible: boolean;
  readonly runMs: number;
}

interface Scene {
  readonly arrivals: readonly Arrival[];
  readonly backfill: 'none' | 'easy';
}

/** Whole ones: when victims were last looked for, once a second at most, is not kept with any job. */
function seconds(min: number, max: number): fc.Arbitrary<number> {
  return fc.integer({ min, max }).map((count) => count * 1000);
}

const scenes: fc.Arbitrary<Scene> = fc.record({
  backfill: fc.constantFrom('none' as const, 'easy' as const),
  arrivals: fc.array(
    fc.record({
      afterMs: seconds(0, 20),
      queue: fc.constantFrom('own', 'poor', 'alone'),
      pods: fc.integer({ min: 1, max: 3 }),
      cards: fc.integer({ min: 1, max: CARDS }),
      priority: fc.integer({ min: 0, max: 2 }),
      isPreemptible: fc.boolean(),
      runMs: seconds(1, 200),
    }),
    { minLength: 1, maxLength: 25 },
  ),
});

/** The real admission, with whoever carries its orders out at once; jobs run as long as they do. */
class Real {
  readonly starts: Start[] = [];
  readonly jobs = new Map<string, QueuedJob>();
  readonly records = new Map<string, JobRecord>();
  readonly runTimeMs = new Map<string, number>();
  nowMs = 0;
  readonly #world: readonly AdmissionEvent[];
  readonly #admission: Admission;
  readonly #ends = new Map<string, { readonly incarnation: number; readonly atMs: number; readonly sinceMs: number }>();
  readonly #doneMs = new Map<string, number>();
  #wakeAtMs: number | null = null;

  constructor(world: readonly AdmissionEvent[], options: AdmissionOptions) {
    this.#world = world;
    this.#admission = new Admission(options);
    this.#hear(world);
  }

  submit({ afterMs, queue, pods, cards, priority, isPreemptible, runMs }: Arrival): void {
    this.runUntil(this.nowMs + afterMs);
    const id = `j${this.jobs.size}`;
    const each = aRequest().cpuMilli(100).whole(cards);
    const part = { priority, isPreemptible, submittedAtMs: this.nowMs, expectedRunMs: runMs };
    const job = aQueuedJob(id, queue, { count: pods, each }, part);
    this.jobs.set(id, job);
    this.runTimeMs.set(id, runMs);
    this.#hear([{ kind: 'job', job, record: null }]);
  }

  runUntil(untilMs: number): void {
    for (;;) {
      const nextMs = Math.min(this.#wakeAtMs ?? Infinity, ...[...this.#ends.values()].map(({ atMs }) => atMs));
      if (nextMs > untilMs) break;
      this.nowMs = Math.max(this.nowMs, nextMs);
      const over = [...this.#ends].filter(([, { atMs }]) => atMs <= this.nowMs);
      for (const [job] of over) this.#ends.delete(job);
      this.#hear(over.map(([job, { incarnation }]) => ({ kind: 'job-ended', job, incarnation, isFailed: false })));
    }
    this.nowMs = untilMs;
  }

  #hear(events: readonly AdmissionEvent[]): void {
    for (let pending = events, more = true; more || pending.length > 0; ) {
      const result = this.#admission.step(this.nowMs, pending, 512);
      pending = result.commands.flatMap((command) => this.#carryOut(command));
      more = result.more;
      this.#wakeAtMs = result.wakeAtMs;
    }
  }

  #carryOut(command: AdmissionCommand): AdmissionEvent[] {
    if (!('record' in command)) return [];
    const { job, record } = command;
    this.records.set(job, record);
    const of = { job, incarnation: record.incarnation };
    if (command.kind === 'admit') {
      this.starts.push([job, this.nowMs]);
      const leftMs = (this.runTimeMs.get(job) ?? 0) - (this.#doneMs.get(job) ?? 0);
      this.#ends.set(job, { incarnation: record.incarnation, atMs: this.nowMs + leftMs, sinceMs: this.nowMs });
    }
    if (command.kind === 'admit' || command.kind === 'resume') return [{ kind: 'job-ready', ...of }];
    if (command.kind !== 'suspend' && command.kind !== 'evict') return [];
    const { sinceMs } = this.#ends.get(job) ?? { sinceMs: this.nowMs };
    this.#ends.delete(job);
    this.#doneMs.set(job, (this.#doneMs.get(job) ?? 0) + this.nowMs - sinceMs);
    return [{ kind: 'job-stopped', ...of }];
  }

  /** What a run has left is what it was to run, less what it did in runs before. */
  leftMs(): Map<string, number> {
    return new Map([...this.runTimeMs].map(([id, runMs]) => [id, runMs - (this.#doneMs.get(id) ?? 0)]));
  }

  /** What is kept, and nothing else. */
  kept(): AdmissionEvent[] {
    const jobs = [...this.jobs].map(([id, job]) => ({
      kind: 'job' as const,
      job,
      record: this.records.get(id) ?? null,
    }));
    return [...this.#world, ...jobs];
  }
}

function rehearsed(rehearsal: AdmissionRehearsal): Start[] {
  const starts: Start[] = [];
  while (rehearsal.nextAtMs !== Infinity) {
    const atMs = rehearsal.nextAtMs;
    for (const job of rehearsal.advance()) starts.push([job, atMs]);
    expect(rehearsal.effort).toBeLessThan(10_000);
  }
  return starts;
}

/** Whoever starts at the same time, in any order. */
function inOrder(starts: readonly Start[]): Start[] {
  return starts.toSorted((left, right) => left[1] - right[1] || compareText(left[0], right[0]));
}

/** Starts from the last arrival on, as they are foretold then and as they are. */
function toldAndDone({ arrivals, backfill }: Scene, lends: boolean): { told: Start[]; done: Start[] } {
  const options: AdmissionOptions = { ...ADMISSION_DEFAULTS, backfill, quantumMs: 15_000, evictionsMax: 2 };
  const real = new Real(worldOf(lends), options);
  for (const arrival of arrivals) real.submit(arrival);
  const { nowMs, starts } = real;
  const rehearsal = new AdmissionRehearsal({ nowMs, options, events: real.kept() }, real.leftMs());
  const told = inOrder(rehearsed(rehearsal));
  const before = starts.length;
  real.runUntil(nowMs + HORIZON_MS);
  return { told, done: inOrder(starts.slice(before)) };
}

describe('Q5: a rehearsal of the admission where run times are known and nobody else comes', () => {
  test('foretells each start of gangs with quotas and evictions by priority, or with backfill', () => {
    forAll(
      scenes,
      ({ arrivals, backfill }) => {
        const equals = arrivals.map((arrival) => ({ ...arrival, priority: 0 }));
        const scene = { backfill, arrivals: backfill === 'none' ? arrivals : equals };
        const { told, done } = toldAndDone(scene, false);
        expect(told).toEqual(done);
      },
      200,
    );
  });

  // What is not kept with jobs: what was promised before somebody of higher priority came, who has borrowed how much,
  // and how queues stood to each other when they were last looked at.
  test('foretells all but 3 % of scenes to the second where quota is lent, and priorities meet with backfill', () => {
    const all = fc.sample(scenes, { seed: 42, numRuns: 300 });
    const off = all.filter((scene) => {
      const { told, done } = toldAndDone(scene, true);
      return !isAlike(told, done);
    });
    expect(off.length / all.length).toBeLessThanOrEqual(0.03);
  });
});
