import type { ToldWait } from './told.ts';

/** How good the waits were that jobs were told, by the reference model of the project's figures. */
export interface EstimateScores {
  /** Jobs that were told a wait, those told "now" with them. */
  readonly told: number;
  /** Of them, those that waited longer than a minute. */
  readonly waited: number;
  /** Of those, the share whose wait was told within 10 min or a quarter of it. */
  readonly withinShare: number;
  /** Of the jobs told "now", or a P50 of a minute at most, the share that waited a minute at most. */
  readonly nowRightShare: number;
  /** Of the jobs told P50 and P90, the share that waited no longer than the P90; of all jobs, "now" counting as told 0. */
  readonly p90Coverage: number;
  readonly p90CoverageOfAll: number;
  /** Mean of what was told less what was true, and of what was true. */
  readonly biasSeconds: number;
  readonly meanWaitSeconds: number;
  readonly meanAbsoluteErrorSeconds: number;
}

const SHORT_MS = 60_000;
const WITHIN_MS = 600_000;
const WITHIN_SHARE = 0.25;

/**
 * At least one wait. When only each n-th of the jobs that had to wait was told (`every`), each counts n times beside
 * those told "now".
 */
export function scoresOf(waits: readonly ToldWait[], every: number): EstimateScores {
  const weightOf = ({ isNow }: ToldWait): number => (isNow ? 1 : every);
  const later = waits.filter(({ isNow }) => !isNow);
  const waited = waits.filter(({ waitedMs }) => waitedMs > SHORT_MS);
  const now = waits.filter(({ told }) => told.p50Ms <= SHORT_MS);
  const mean = (valueOf: (wait: ToldWait) => number): number => meanOf(waits, valueOf, weightOf);
  return {
    told: waits.length,
    waited: waited.length,
    withinShare: meanOf(waited, (wait) => Number(isWithin(wait)), weightOf),
    nowRightShare: meanOf(now, ({ waitedMs }) => Number(waitedMs <= SHORT_MS), weightOf),
    p90Coverage: meanOf(later, (wait) => Number(isCovered(wait)), weightOf),
    p90CoverageOfAll: mean((wait) => Number(isCovered(wait))),
    biasSeconds: mean(({ told, waitedMs }) => told.p50Ms - waitedMs) / 1000,
    meanWaitSeconds: mean(({ waitedMs }) => waitedMs) / 1000,
    meanAbsoluteErrorSeconds: mean(({ told, waitedMs }) => Math.abs(told.p50Ms - waitedMs)) / 1000,
  };
}

function isWithin({ told, waitedMs }: ToldWait): boolean {
  return Math.abs(told.p50Ms - waitedMs) <= Math.max(WITHIN_MS, WITHIN_SHARE * waitedMs);
}

function isCovered({ told, waitedMs }: ToldWait): boolean {
  return waitedMs <= told.p90Ms;
}

/** Weighted; 1 of nothing: there was nothing to be wrong about. */
function meanOf<T>(items: readonly T[], valueOf: (item: T) => number, weightOf: (item: T) => number): number {
  const weight = items.reduce((sum, item) => sum + weightOf(item), 0);
  return weight === 0 ? 1 : items.reduce((sum, item) => sum + weightOf(item) * valueOf(item), 0) / weight;
}
