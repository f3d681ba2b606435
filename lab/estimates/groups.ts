import { compareNumber } from '@springtide/core/base';
import type { ToldWait } from './told.ts';

/** Jobs that were told about the same wait, and what became of them. */
export interface ToldGroup {
  readonly jobs: number;
  /** The middle of the waits told, as P50. */
  readonly toldMs: number;
  /** Shares that waited no longer than P50 and P90. */
  readonly p50Coverage: number;
  readonly p90Coverage: number;
  /** The true waits: a tenth were shorter than the first, half than the second, nine tenths than the third. */
  readonly waitedMs: readonly [number, number, number];
}

/** Groups of equal size by the wait told; jobs told "now" are left out. Fewer groups where jobs are few. */
export function groupsByTold(waits: readonly ToldWait[], count: number): ToldGroup[] {
  const later = waits
    .filter(({ isNow }) => !isNow)
    .toSorted((left, right) => left.told.p50Ms - right.told.p50Ms || left.job.index - right.job.index);
  const size = Math.max(1, Math.ceil(later.length / count));
  return Array.from({ length: Math.ceil(later.length / size) }, (_, i) =>
    groupOf(later.slice(i * size, (i + 1) * size)),
  );
}

/** At least one. */
function groupOf(waits: readonly ToldWait[]): ToldGroup {
  const waited = waits.map(({ waitedMs }) => waitedMs).toSorted(compareNumber);
  const at = (level: number): number => waited[Math.floor(level * waited.length)] as number;
  const share = (isIt: (wait: ToldWait) => boolean): number => waits.filter(isIt).length / waits.length;
  return {
    jobs: waits.length,
    toldMs: (waits[waits.length >> 1] as ToldWait).told.p50Ms,
    p50Coverage: share(({ told, waitedMs }) => waitedMs <= told.p50Ms),
    p90Coverage: share(({ told, waitedMs }) => waitedMs <= told.p90Ms),
    waitedMs: [at(0.1), at(0.5), at(0.9)],
  };
}
