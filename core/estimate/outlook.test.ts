import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '@springtide/testkit/property';
import { RunTimeHistory } from '../forecast/index.ts';
import { outlookOf } from './outlook.ts';
import type { QueueMember, QueueSnapshot, Rehearsal } from './rehearsal.ts';

const HOUR_MS = 3_600_000;

interface Job {
  readonly member: QueueMember;
  readonly cards: number;
}

/** A pool of cards before which jobs wait; they pass each other or not. */
class Pool implements Rehearsal<number> {
  nextAtMs: number;
  effort = 0;
  #free: number;
  readonly #passes: boolean;
  #waiting: Job[];
  readonly #running: { readonly job: Job; readonly endsAtMs: number }[] = [];
  readonly #runTimeMs: ReadonlyMap<string, number>;

  constructor(queue: Queue, runTimeMs: ReadonlyMap<string, number>) {
    this.nextAtMs = queue.nowMs;
    this.#free = queue.cards;
    this.#passes = queue.passes;
    this.#runTimeMs = runTimeMs;
    this.#waiting = queue.jobs.filter(({ member }) => member.startedAtMs === null);
    for (const job of queue.jobs) if (job.member.startedAtMs !== null) this.#start(job, job.member.startedAtMs);
  }

  advance(): string[] {
    const nowMs = this.nextAtMs;
    this.effort += 1;
    for (const run of this.#running.filter(({ endsAtMs }) => endsAtMs <= nowMs)) {
      this.#free += run.job.cards;
      this.#running.splice(this.#running.indexOf(run), 1);
    }
    const started: string[] = [];
    for (const job of this.#waiting) {
      if (job.cards > this.#free && this.#passes) continue;
      if (job.cards > this.#free) break;
      this.#start(job, nowMs);
      started.push(job.member.id);
    }
    this.#waiting = this.#waiting.filter(({ member }) => !started.includes(member.id));
    this.nextAtMs = Math.min(Infinity, ...this.#running.map(({ endsAtMs }) => endsAtMs));
    return started;
  }

  wouldStart(cards: number): boolean {
    return cards <= this.#free && (this.#passes || this.#waiting.length === 0);
  }

  #start(job: Job, atMs: number): void {
    this.#free -= job.cards;
    this.#running.push({ job, endsAtMs: atMs + (this.#runTimeMs.get(job.member.id) as number) });
  }
}

interface Queue {
  readonly nowMs: number;
  readonly cards: number;
  readonly passes: boolean;
  readonly jobs: readonly Job[];
}

function snapshotOf(queue: Queue): QueueSnapshot<number> {
  const members = queue.jobs.map(({ member }) => member);
  return {
    nowMs: queue.nowMs,
    running: members.filter(({ startedAtMs }) => startedAtMs !== null),
    waiting: members.filter(({ startedAtMs }) => startedAtMs === null),
    rehearse: (runTimeMs) => new Pool(queue, runTimeMs),
  };
}

function aJob(id: string, cards: number, startedAtMs: number | null): Job {
  const traits = { tenant: 'vision', cards, user: '', name: '', image: '' };
  return { cards, member: { id, traits, submittedAtMs: 0, startedAtMs } };
}

/** Jobs that run hold no more than there is; the newest waits last. */
const queues = fc
  .record({
    cards: fc.integer({ min: 4, max: 16 }),
    passes: fc.boolean(),
    sizes: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 }),
    startedAtMs: fc.array(fc.nat(2 * HOUR_MS), { minLength: 12, maxLength: 12 }),
  })
  .map(({ cards, passes, sizes, startedAtMs }): Queue => {
    let left = cards;
    const jobs = sizes.map((size, i) => {
      const runs = size <= left;
      if (runs) left -= size;
      return aJob(`job ${i}`, size, runs ? (startedAtMs[i] as number) : null);
    });
    return { nowMs: 2 * HOUR_MS, cards, passes, jobs };
  });

/** Nothing is known of run times, and all worlds are played to their ends. */
const ALL = {
  history: new RunTimeHistory(),
  kinds: [],
  asked: new Set<string>(),
  effortMax: Infinity,
  mayGoOn: (): boolean => true,
};

describe('an outlook', () => {
  test('tells one more job of a kind what that job is told when it has joined the queue', () => {
    forAll(
      fc.tuple(queues, fc.integer({ min: 1, max: 4 })),
      ([queue, cards]) => {
        const options = { ...ALL, kinds: [cards, cards + 1] };
        const before = outlookOf({ ...options, snapshot: snapshotOf(queue) });
        const joined = { ...queue, jobs: [...queue.jobs, aJob('new', cards, null)] };
        const after = outlookOf({ ...options, snapshot: snapshotOf(joined), asked: new Set(['new']) });
        expect(before.waitOfKind(cards)).toEqual(after.waitOf('new'));
      },
      200,
    );
  });

  test('tells each job that waits, P90 no less than P50, and later jobs of a FIFO queue no less than earlier ones', () => {
    forAll(
      queues,
      (queue) => {
        const snapshot = snapshotOf({ ...queue, passes: false });
        const outlook = outlookOf({ ...ALL, snapshot, asked: new Set(snapshot.waiting.map(({ id }) => id)) });
        let [p50Ms, p90Ms] = [0, 0];
        for (const { id } of snapshot.waiting) {
          const wait = outlook.waitOf(id);
          expect(wait?.p50Ms).toBeGreaterThanOrEqual(p50Ms);
          expect(wait?.p90Ms).toBeGreaterThanOrEqual(Math.max(p90Ms, wait?.p50Ms ?? 0));
          [p50Ms, p90Ms] = [wait?.p50Ms ?? 0, wait?.p90Ms ?? 0];
        }
      },
      200,
    );
  });

  test('knows no wait of whoever does not wait, and no end to the wait for what never fits', () => {
    const queue: Queue = { nowMs: HOUR_MS, cards: 4, passes: true, jobs: [aJob('runs', 2, 0)] };
    const outlook = outlookOf({ ...ALL, snapshot: snapshotOf(queue), kinds: [2, 5] });
    expect(outlook.waitOf('runs')).toBeNull();
    expect(outlook.waitOfKind(3)).toBeNull();
    expect(outlook.waitOfKind(2)).toEqual({ p50Ms: 0, p90Ms: 0 });
    expect(outlook.waitOfKind(5)).toEqual({ p50Ms: Infinity, p90Ms: Infinity });
  });

  test('says how far it was played where that was not to the end, and from how few worlds it is told', () => {
    const queue: Queue = {
      nowMs: 0,
      cards: 1,
      passes: false,
      jobs: ['a', 'b', 'c', 'd'].map((id) => aJob(id, 1, null)),
    };
    const asked = new Set(['a', 'b', 'c', 'd']);
    let worlds = 0;
    const mayGoOn = (): boolean => (worlds += 1) < 3;
    const outlook = outlookOf({ ...ALL, snapshot: snapshotOf(queue), asked, effortMax: 3, mayGoOn });
    expect(worlds).toBe(3);
    expect(outlook.waitOf('a')).toEqual({ p50Ms: 0, p90Ms: 0 });
    const last = outlook.waitOf('c')?.p90Ms ?? 0;
    expect(outlook.waitOf('d')).toEqual({ p50Ms: Infinity, p90Ms: Infinity });
    expect(outlook.reachMs).toBeGreaterThan(0);
    expect(last).toBeLessThan(Infinity);
    expect(outlookOf({ ...ALL, snapshot: snapshotOf(queue), asked }).reachMs).toBe(Infinity);
  });
});
