import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { aCell, aFlavor, aMachine, aQueue, aQueuedJob, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { forAll } from '@springtide/testkit/property';
import { Admission, ADMISSION_DEFAULTS, type AdmissionEvent } from './index.ts';

const MACHINES = ['m0', 'm1', 'm2'].map((id) => aMachine(id).cards(PRODUCTS.a100, 4).build());
const QUEUES = ['p', 'q'].map((id) => aQueue(id, [aCell('a100', 'cards', 12)]));

interface Asked {
  readonly afterMs: number;
  readonly pods: number;
  readonly cards: number;
  readonly runMs: number;
  readonly queue: string;
}

const asked: fc.Arbitrary<readonly Asked[]> = fc.array(
  fc.record({
    afterMs: fc.constantFrom(0, 0, 1000, 7000),
    pods: fc.integer({ min: 1, max: 3 }),
    cards: fc.integer({ min: 1, max: 4 }),
    runMs: fc.integer({ min: 1, max: 40 }).map((seconds) => 1000 * seconds),
    queue: fc.constantFrom('p', 'q'),
  }),
  { maxLength: 16 },
);

/** Jobs that run exactly as long as was said, and all start at once when they are admitted. */
class Line {
  readonly admission: Admission;
  readonly promised = new Map<string, number>();
  readonly startedMs = new Map<string, number>();
  readonly #ends = new Map<string, number>();
  readonly #runMs = new Map<string, number>();
  readonly #isKept: boolean;
  nowMs = 0;

  constructor(backfill: 'easy' | 'conservative') {
    this.#isKept = backfill === 'easy';
    this.admission = new Admission({ ...ADMISSION_DEFAULTS, backfill });
    const machines = MACHINES.map((machine) => ({ kind: 'machine' as const, machine }));
    this.#step([{ kind: 'quota', specs: { flavors: [aFlavor('a100')], cohorts: [], queues: QUEUES } }, ...machines]);
  }

  submit({ afterMs, pods, cards, runMs, queue }: Asked): void {
    this.#runUntil(this.nowMs + afterMs);
    const id = `j${this.#runMs.size}`;
    this.#runMs.set(id, runMs);
    const each = aRequest().cpuMilli(100).whole(cards);
    const part = { submittedAtMs: this.#runMs.size, expectedRunMs: runMs };
    this.#step([{ kind: 'job', job: aQueuedJob(id, queue, { count: pods, each }, part), record: null }]);
  }

  finish(): void {
    while (this.#ends.size > 0) this.#runUntil(Math.min(...this.#ends.values()));
  }

  #runUntil(untilMs: number): void {
    for (let endMs = Math.min(...this.#ends.values()); endMs <= untilMs; endMs = Math.min(...this.#ends.values())) {
      this.nowMs = endMs;
      const ended = [...this.#ends].filter(([, atMs]) => atMs === endMs).map(([job]) => job);
      for (const job of ended) this.#ends.delete(job);
      this.#step(ended.map((job) => ({ kind: 'job-ended', job, incarnation: 1, isFailed: false })));
    }
    this.nowMs = Math.max(this.nowMs, untilMs);
  }

  #step(events: readonly AdmissionEvent[]): void {
    const ready: AdmissionEvent[] = [];
    const { commands } = this.admission.step(this.nowMs, events, 1000);
    for (const command of commands) {
      if (command.kind !== 'admit') continue;
      this.startedMs.set(command.job, this.nowMs);
      this.#ends.set(command.job, this.nowMs + (this.#runMs.get(command.job) ?? 0));
      ready.push({ kind: 'job-ready', job: command.job, incarnation: 1 });
    }
    for (const job of this.#runMs.keys()) {
      const startMs = this.admission.standing(job)?.promisedStartMs ?? null;
      if (startMs === null) continue;
      // Each of many is promised one as if the others were not there, and so may start later than that.
      if (this.#isKept) expect(startMs).toBeLessThanOrEqual(this.promised.get(job) ?? Infinity);
      this.promised.set(job, startMs);
    }
    if (ready.length > 0) this.#step(ready);
  }
}

test('Q4: with exact run times nobody who is promised a start is moved later by a job that passes', () => {
  forAll(asked, (list) => {
    const line = new Line('easy');
    for (const each of list) line.submit(each);
    line.finish();
    expect(line.startedMs.size).toBe(list.length);
    for (const [job, promisedMs] of line.promised) expect(line.startedMs.get(job)).toBeLessThanOrEqual(promisedMs);
  });
});

test('I11: every job starts, whoever passes whom, when each that is blocked is promised a start', () => {
  forAll(
    asked,
    (list) => {
      const line = new Line('conservative');
      for (const each of list) line.submit(each);
      line.finish();
      expect(line.startedMs.size).toBe(list.length);
    },
    200,
  );
});
