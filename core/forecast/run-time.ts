import { firstBeyond, shareBeyond, survivalSteps, type Observation } from './survival.ts';

/** Beyond all that was seen, the share that still runs falls as 1 / time^2 (a Pareto tail). */
const TAIL_POWER = 2;
/** The weight of what runs on beyond all that was seen, beside a whole observation. */
const BEYOND = 0.02;
/** Where nothing is known, all is tail from here on, with a median of an hour. */
const UNKNOWN_FROM_MS = 3_600_000 / 2 ** (1 / TAIL_POWER);
/** No quantile is larger, but for what runs that long already. */
const RUN_TIME_MAX_MS = 60 * 86_400_000;

/** How long a job runs, as a distribution. Never changed. */
export interface RunTime {
  /**
   * How long a job runs in all that has run for `elapsedMs`: the time that it stays within with probability `level`,
   * from 0 to less than 1; always longer than `elapsedMs`. Rises with both. O(log observations).
   */
  readonly quantileMs: (level: number, elapsedMs: number) => number;
}

/** A run time learned from others, whose weights count relative to each other. O(n log n). */
export function runTimeFrom(observations: readonly Observation[]): RunTime {
  const steps = survivalSteps(observations, BEYOND);
  const known = observations.length === 0 ? UNKNOWN_FROM_MS : Math.max(1, steps.outlasted);
  const left = steps.shares.at(-1) ?? 1;
  const stillRuns = (elapsedMs: number): number =>
    elapsedMs <= known ? shareBeyond(steps, elapsedMs) : left * (known / elapsedMs) ** TAIL_POWER;
  const quantileMs = (level: number, elapsedMs: number): number => {
    const share = (1 - level) * stillRuns(elapsedMs);
    const ms = firstBeyond(steps, share) ?? known * (left / share) ** (1 / TAIL_POWER);
    return Math.max(Math.min(Math.ceil(ms), RUN_TIME_MAX_MS), Math.floor(elapsedMs) + 1);
  };
  return { quantileMs };
}
