import { keysOf, type RunTimeTraits } from './run-time-traits.ts';
import { runTimeFrom, type RunTime } from './run-time.ts';
import type { Observation } from './survival.ts';

/** Of each key so many runs are kept that are over, the last ones. */
const RUNS_PER_KEY = 256;
/** Keys that are kept; where there are more, the key is dropped that was longest without a new run. */
const KEYS_MAX = 4096;
/** What a run of a coarser key counts beside one of the next finer. */
const COARSER_WEIGHT = 1 / 32;
/** Runs count half when they were submitted this far from the job in question. */
const NEARNESS_MS = 300_000;
/** A distribution is worked out anew after this time, or a fiftieth of the time since its job was submitted. */
const FRESH_MS = 60_000;
const FRESH_SHARE = 50;
const CURVES_MAX = 4096;

interface Run {
  readonly keys: readonly string[];
  readonly submittedAtMs: number;
  readonly startedAtMs: number;
  /** How long it lasted; null: it goes on. */
  lastedMs: number | null;
  isOver: boolean;
}

interface KeyRuns {
  readonly past: Run[];
  readonly running: Set<Run>;
}

interface Curve {
  readonly madeAtMs: number;
  readonly runTime: RunTime;
}

/**
 * What is known of run times, from jobs that have ended and from those that run: only what has happened is used.
 *
 * The runs of a job's finest key count most, and those submitted near it far more than others: jobs come in bursts of
 * one experiment, and brothers run alike. Jobs that still run count as lasting longer than they have so far; without
 * them the long ones, which end last, would be missed, and every estimate would be too short.
 *
 * Memory is bounded: keys, runs kept of each, and jobs that run. Told in order of time.
 */
export class RunTimeHistory {
  readonly #byKey = new Map<string, KeyRuns>();
  readonly #running = new Map<string, Run>();
  readonly #curves = new Map<string, Curve>();
  /** Keys by the traits they are of. */
  readonly #keys = new WeakMap<RunTimeTraits, readonly string[]>();

  /** A job starts. One that ran before and goes on where it was has started that much earlier. O(keys of a job). */
  started(id: string, traits: RunTimeTraits, submittedAtMs: number, startedAtMs: number): void {
    const run: Run = { keys: this.#keysOf(traits), submittedAtMs, startedAtMs, lastedMs: null, isOver: false };
    this.#forget(id);
    this.#running.set(id, run);
    for (const key of run.keys) this.#runsOf(key).running.add(run);
  }

  /** It ended by itself. Nothing happens when it is not known to run. O(keys of a job). */
  ended(id: string, nowMs: number): void {
    this.#keep(id, nowMs, true);
  }

  /** It was stopped, and would have run longer. O(keys of a job). */
  stopped(id: string, nowMs: number): void {
    this.#keep(id, nowMs, false);
  }

  /**
   * How long such a job runs. Answers are shared by jobs with the same finest key that are submitted within the same
   * minute, and may be a minute old, or a fiftieth of the time since the job was submitted. O(runs kept x log) at most.
   */
  runTimeOf(traits: RunTimeTraits, submittedAtMs: number, nowMs: number): RunTime {
    const keys = this.#keysOf(traits);
    const minute = Math.floor(submittedAtMs / 60_000);
    const name = `${minute} ${keys[0]}`;
    const known = this.#curves.get(name);
    const freshMs = Math.max(FRESH_MS, (nowMs - submittedAtMs) / FRESH_SHARE);
    if (known !== undefined && nowMs - known.madeAtMs < freshMs) return known.runTime;
    if (this.#curves.size >= CURVES_MAX) this.#curves.clear();
    const runTime = runTimeFrom(this.#observations(keys, minute * 60_000 + 30_000, nowMs));
    this.#curves.set(name, { madeAtMs: nowMs, runTime });
    return runTime;
  }

  #keysOf(traits: RunTimeTraits): readonly string[] {
    const keys = this.#keys.get(traits) ?? keysOf(traits);
    this.#keys.set(traits, keys);
    return keys;
  }

  #observations(keys: readonly string[], submittedAtMs: number, nowMs: number): Observation[] {
    const observations: Observation[] = [];
    keys.forEach((key, level) => {
      const runs = this.#byKey.get(key);
      const most = COARSER_WEIGHT ** level;
      for (const each of [runs?.past ?? [], runs?.running ?? []]) {
        for (const { lastedMs, isOver, startedAtMs, submittedAtMs: atMs } of each) {
          const weight = most / (1 + Math.abs(atMs - submittedAtMs) / NEARNESS_MS);
          observations.push({ lasted: lastedMs ?? nowMs - startedAtMs, isOver, weight });
        }
      }
    });
    return observations;
  }

  #keep(id: string, nowMs: number, isOver: boolean): void {
    const run = this.#forget(id);
    if (run === undefined) return;
    run.lastedMs = Math.max(0, nowMs - run.startedAtMs);
    run.isOver = isOver;
    for (const key of run.keys) {
      const { past } = this.#runsOf(key);
      past.push(run);
      if (past.length > RUNS_PER_KEY) past.shift();
    }
  }

  #forget(id: string): Run | undefined {
    const run = this.#running.get(id);
    this.#running.delete(id);
    for (const key of run?.keys ?? []) this.#byKey.get(key)?.running.delete(run as Run);
    return run;
  }

  /** The runs of a key, which is now the one that was told of last. */
  #runsOf(key: string): KeyRuns {
    const runs = this.#byKey.get(key) ?? { past: [], running: new Set() };
    this.#byKey.delete(key);
    this.#byKey.set(key, runs);
    for (const oldest of this.#byKey.keys()) {
      if (this.#byKey.size <= KEYS_MAX) break;
      this.#byKey.delete(oldest);
    }
    return runs;
  }
}
