import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '@springtide/testkit/property';
import { easyBackfill, type Speculation } from './index.ts';

interface Job {
  readonly id: number;
  readonly cards: number;
  readonly lastsMs: number;
  readonly endsAtMs: number;
}

/** One heap of cards; what is done is undone by count. */
class Cards implements Speculation<Job> {
  free: number;
  readonly #log: number[] = [];

  constructor(free: number) {
    this.free = free;
  }

  place(job: Job): boolean {
    if (job.cards > this.free) return false;
    this.#change(-job.cards);
    return true;
  }

  release(job: Job): void {
    this.#change(job.cards);
  }

  savepoint(): number {
    return this.#log.length;
  }

  rollBack(savepoint: number): void {
    while (this.#log.length > savepoint) this.free -= this.#log.pop() as number;
  }

  #change(by: number): void {
    this.free += by;
    this.#log.push(by);
  }
}

function jobOf(id: number, cards: number, lastsMs: number): Job {
  return { id, cards, lastsMs, endsAtMs: lastsMs };
}

function passOf(free: number, running: readonly Job[], waiting: readonly Job[]) {
  return {
    cluster: new Cards(free),
    nowMs: 0,
    waiting,
    running: running.toSorted((left, right) => left.endsAtMs - right.endsAtMs),
    endsAtMs: (each: Job) => each.endsAtMs,
    runTimeMs: (each: Job) => each.lastsMs,
    kindOf: (each: Job) => each.cards,
  };
}

describe('EASY backfill (Q4)', () => {
  const running = [jobOf(1, 4, 100), jobOf(2, 2, 50)];

  test('passes a blocked head with what ends before it can start, and with what leaves it its room', () => {
    const waiting = [jobOf(3, 5, 10), jobOf(4, 1, 100), jobOf(5, 1, 101), jobOf(6, 1, 90)];
    const { started, reservation } = easyBackfill(passOf(2, running, waiting));
    expect(started.map(({ id }) => id)).toEqual([4, 5]);
    expect(reservation?.startsAtMs).toBe(100);
  });

  test('does not let pass what would delay the head', () => {
    const { started, reservation } = easyBackfill(
      passOf(2, running, [jobOf(3, 8, 10), jobOf(4, 1, 101), jobOf(5, 2, 99)]),
    );
    expect(started.map(({ id }) => id)).toEqual([5]);
    expect(reservation?.startsAtMs).toBe(100);
  });

  test('promises nothing for ever where the head is larger than the cluster', () => {
    const { started, reservation } = easyBackfill(passOf(2, running, [jobOf(3, 9, 10), jobOf(4, 1, 101)]));
    expect([started.length, reservation?.startsAtMs]).toEqual([1, Infinity]);
  });

  test('never moves the head later when jobs run as long as expected', () => {
    const jobs = (most: number) =>
      fc.array(fc.record({ cards: fc.integer({ min: 1, max: 8 }), lastsMs: fc.integer({ min: 1, max: 40 }) }), {
        maxLength: most,
      });
    forAll(fc.tuple(fc.integer({ min: 0, max: 8 }), jobs(8), jobs(12)), ([free, runs, waits]) => {
      const run = runs.map(({ cards, lastsMs }, i) => jobOf(i, cards, lastsMs));
      const wait = waits.map(({ cards, lastsMs }, i) => jobOf(100 + i, cards, lastsMs));
      const { started } = easyBackfill(passOf(free, run, wait));
      const headCount = wait.findIndex((each, i) => started[i] !== each);
      const head = wait[headCount];
      if (head === undefined) return;
      const alone = startOf(head, free, [...run, ...wait.slice(0, headCount)], wait.slice(0, headCount));
      expect(startOf(head, free, [...run, ...started], started)).toBe(alone);
    });
  });
});

/** When a job finds room if `ending` go one by one and `placed` take theirs now. */
function startOf(head: Job, free: number, ending: readonly Job[], placed: readonly Job[]): number {
  let left = free - placed.reduce((sum, { cards }) => sum + cards, 0);
  expect(left).toBeGreaterThanOrEqual(0);
  for (const each of ending.toSorted((a, b) => a.endsAtMs - b.endsAtMs)) {
    left += each.cards;
    if (left >= head.cards) return each.endsAtMs;
  }
  return Infinity;
}
