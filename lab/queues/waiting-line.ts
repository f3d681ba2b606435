import { assert } from '@springtide/core/base';
import { easyBackfill, type Speculation } from '@springtide/core/backfill';
import { Machines, type Share } from './machines.ts';
import type { QueueJob } from './queue-job.ts';

/** How a job may pass those before it: not at all, if it has room, or if it does not delay the head. */
export type Passing = 'none' | 'any' | 'easy';

/** A job that waits. Never changed, so that copies of a line share it. */
export interface Queued {
  readonly job: QueueJob;
  /** Lower goes first; then the order of submission. */
  readonly rank: number;
  /** What the line expects, where it matters to it. */
  readonly expectedMs: number;
  /** How long it does run. */
  readonly runTimeMs: number;
}

/** A job that runs. Never changed. */
export interface Run extends Queued {
  readonly shares: readonly Share[];
  readonly startedAtMs: number;
  readonly endsAtMs: number;
  readonly expectedEndMs: number;
}

/** How long jobs go on running in a copy of a line: what is assumed in place of what is true. */
export interface AssumedTimes {
  readonly remainingMs: (run: Run) => number;
  readonly runTimeMs: (queued: Queued) => number;
}

/**
 * A queue before a cluster, without preemption: it acts whenever jobs arrive or end. Copied in time linear in the
 * jobs that wait and run, so that a copy can be replayed forward at each submission.
 */
export class WaitingLine {
  readonly #passing: Passing;
  readonly #machines: Machines;
  #waiting: Queued[] = [];
  #byEnd: Run[] = [];
  #byExpectedEnd: Run[] = [];

  constructor(passing: Passing, machines: number | Machines) {
    this.#passing = passing;
    this.#machines = typeof machines === 'number' ? new Machines(machines) : machines;
  }

  /** In the order in which they may start. */
  get waiting(): readonly Queued[] {
    return this.#waiting;
  }

  get running(): readonly Run[] {
    return this.#byEnd;
  }

  /** When something happens by itself; Infinity: nothing runs. */
  get nextEndMs(): number {
    return this.#byEnd[0]?.endsAtMs ?? Infinity;
  }

  /** Whether a job that came last would start at once; asked after `start`, of a line that is no `easy` one. */
  wouldStart(cards: number): boolean {
    assert(this.#passing !== 'easy', 'backfill is tried on a copy');
    return (this.#passing === 'any' || this.#waiting.length === 0) && this.#machines.fits(cards);
  }

  copy(nowMs: number, assumed: AssumedTimes): WaitingLine {
    const copy = new WaitingLine(this.#passing, this.#machines.copy());
    copy.#waiting = this.#waiting.map((queued) => ({ ...queued, runTimeMs: assumed.runTimeMs(queued) }));
    const runs = this.#byExpectedEnd.map((run) => ({ ...run, endsAtMs: nowMs + assumed.remainingMs(run) }));
    copy.#byExpectedEnd = runs;
    copy.#byEnd = runs.toSorted(byEnd);
    return copy;
  }

  /** Takes out what has ended by now. */
  end(nowMs: number): Run[] {
    let count = 0;
    while ((this.#byEnd[count]?.endsAtMs ?? Infinity) <= nowMs) count += 1;
    const ended = this.#byEnd.splice(0, count);
    for (const run of ended) {
      this.#machines.give(run.shares);
      this.#byExpectedEnd.splice(placeIn(this.#byExpectedEnd, run, byExpectedEnd), 1);
    }
    return ended;
  }

  submit(queued: Queued): void {
    this.#waiting.splice(placeIn(this.#waiting, queued, byRank), 0, queued);
  }

  /** Starts what may start now. */
  start(nowMs: number): Run[] {
    const started = this.#passing === 'easy' ? this.#startEasy(nowMs) : this.#startInOrder(nowMs);
    for (const run of started) {
      this.#waiting.splice(placeIn(this.#waiting, run, byRank), 1);
      this.#byEnd.splice(placeIn(this.#byEnd, run, byEnd), 0, run);
      this.#byExpectedEnd.splice(placeIn(this.#byExpectedEnd, run, byExpectedEnd), 0, run);
    }
    return started;
  }

  #startInOrder(nowMs: number): Run[] {
    const started: Run[] = [];
    const noRoom = new Set<number>();
    for (const queued of this.#waiting) {
      const { cards } = queued.job;
      if (noRoom.has(cards)) continue;
      const shares = this.#machines.find(cards);
      if (shares !== null) {
        this.#machines.take(shares);
        started.push(runOf(queued, shares, nowMs));
        continue;
      }
      if (this.#passing === 'none') break;
      noRoom.add(cards);
      if (cards === 1) break;
    }
    return started;
  }

  #startEasy(nowMs: number): Run[] {
    const cluster = new Trial(this.#machines);
    const endsAtMs = (run: Run): number => stillExpectedEndMs(run, nowMs);
    const isOverdue = (this.#byExpectedEnd[0]?.expectedEndMs ?? Infinity) < nowMs;
    const { started } = easyBackfill<Queued>({
      cluster,
      nowMs,
      waiting: this.#waiting,
      running: isOverdue
        ? this.#byExpectedEnd.toSorted((left, right) => endsAtMs(left) - endsAtMs(right))
        : this.#byExpectedEnd,
      endsAtMs: (run) => endsAtMs(run as Run),
      runTimeMs: (queued) => queued.expectedMs,
      kindOf: (queued) => queued.job.cards,
    });
    return started.map((queued) => runOf(queued, cluster.sharesOf(queued), nowMs));
  }
}

function runOf(queued: Queued, shares: readonly Share[], nowMs: number): Run {
  return {
    ...queued,
    shares,
    startedAtMs: nowMs,
    endsAtMs: nowMs + queued.runTimeMs,
    expectedEndMs: nowMs + queued.expectedMs,
  };
}

/** What has outlived its expectation is expected to run as long again. */
function stillExpectedEndMs({ expectedEndMs, startedAtMs }: Run, nowMs: number): number {
  return expectedEndMs < nowMs ? 2 * nowMs - startedAtMs : expectedEndMs;
}

/** What backfill tries on the machines, with a log of it to undo. */
class Trial implements Speculation<Queued> {
  readonly #machines: Machines;
  readonly #log: { readonly queued: Queued; readonly shares: readonly Share[]; readonly isTaken: boolean }[] = [];

  constructor(machines: Machines) {
    this.#machines = machines;
  }

  place(queued: Queued): boolean {
    const shares = this.#machines.find(queued.job.cards);
    if (shares === null) return false;
    this.#machines.take(shares);
    this.#log.push({ queued, shares, isTaken: true });
    return true;
  }

  release(queued: Queued): void {
    const shares = 'shares' in queued ? (queued as Run).shares : this.sharesOf(queued);
    this.#machines.give(shares);
    this.#log.push({ queued, shares, isTaken: false });
  }

  sharesOf(queued: Queued): readonly Share[] {
    return this.#log.find((entry) => entry.queued === queued && entry.isTaken)?.shares ?? [];
  }

  savepoint(): number {
    return this.#log.length;
  }

  rollBack(savepoint: number): void {
    while (this.#log.length > savepoint) {
      const entry = this.#log.pop();
      if (entry?.isTaken === true) this.#machines.give(entry.shares);
      else this.#machines.take(entry?.shares ?? []);
    }
  }
}

function byRank(left: Queued, right: Queued): number {
  return left.rank - right.rank || left.job.index - right.job.index;
}

function byEnd(left: Run, right: Run): number {
  return left.endsAtMs - right.endsAtMs || left.job.index - right.job.index;
}

function byExpectedEnd(left: Run, right: Run): number {
  return left.expectedEndMs - right.expectedEndMs || left.job.index - right.job.index;
}

/** The first place in a sorted list where the item could stand. O(log items). */
function placeIn<T>(items: readonly T[], item: T, compare: (left: T, right: T) => number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(items[middle] as T, item) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
