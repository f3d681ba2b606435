import { mulberry32 } from '@springtide/core/base';
import type { QueueJob } from './queue-job.ts';

/** Where expected run times are from. */
export type RunTimeSource = 'exact' | 'user' | 'history';

export interface RunTimes {
  /** What is expected of a job when it is submitted. */
  readonly expectedMs: (job: QueueJob) => number;
  /** Told of each job that has ended, in the order in which they end. */
  readonly ended: (job: QueueJob) => void;
}

const USER_SEED = 1;
const USER_FACTOR_MAX = 5;
const HISTORY_KEPT = 200;
const HISTORY_MIN = 5;
const HISTORY_DEFAULT_MS = 3_600_000;

/** Expected run times for one replay of these jobs, which asks for each of them once, in order. */
export function runTimesFrom(source: RunTimeSource): RunTimes {
  if (source === 'exact') return { expectedMs: (job) => job.runTimeMs, ended: () => {} };
  return source === 'user' ? userTimes() : new History();
}

/** What users write down: run time x (1 + 4u), u uniform. */
function userTimes(): RunTimes {
  const random = mulberry32(USER_SEED);
  return {
    expectedMs: (job) => job.runTimeMs * (1 + (USER_FACTOR_MAX - 1) * random.unit()),
    ended: () => {},
  };
}

/** The median of the last 200 jobs of the same tenant and size that have ended; an hour until there are five. */
class History implements RunTimes {
  readonly #lastMs = new Map<string, number[]>();

  expectedMs(job: QueueJob): number {
    const last = this.#lastMs.get(keyOf(job)) ?? [];
    if (last.length < HISTORY_MIN) return HISTORY_DEFAULT_MS;
    const sorted = last.toSorted((left, right) => left - right);
    return sorted[sorted.length >> 1] as number;
  }

  ended(job: QueueJob): void {
    const key = keyOf(job);
    const last = this.#lastMs.get(key) ?? [];
    this.#lastMs.set(key, last);
    last.push(job.runTimeMs);
    if (last.length > HISTORY_KEPT) last.shift();
  }
}

function keyOf({ tenant, cards }: QueueJob): string {
  return `${tenant} ${cards}`;
}
