import type { ExpectedStart, Flavor, FlavorAdvice } from '../model/index.ts';
import type { WaitForecast } from './outlook.ts';

/** The least wait that is told of who does not start now. */
const SOON_MS = 60_000;

/** A flavor that a job may have, and what is known of its start there. */
export interface FlavorOption {
  readonly flavor: Flavor;
  /** Cards of all its pods together. */
  readonly cards: number;
  /** Whether a dry run of admission, quota and place together, has just started it there. */
  readonly isPlaced: boolean;
  /** From the time that the outlook was made; null: nobody has forecast it. */
  readonly wait: WaitForecast | null;
  readonly madeAtMs: number;
}

/**
 * What to tell a job at its submission, flavor by flavor in the order given. "Now" is said only of what was placed
 * (I15); else the forecast, less the time that has passed since it was made. O(options).
 */
export function adviceOn(options: readonly FlavorOption[], nowMs: number): FlavorAdvice[] {
  return options.map((option) => ({
    flavor: option.flavor.id,
    start: startOf(option, nowMs),
    priceMicrosPerHour: option.cards * option.flavor.priceMicrosPerCardHour,
    bytesToMove: null,
    ageMs: option.isPlaced ? 0 : nowMs - option.madeAtMs,
  }));
}

function startOf({ isPlaced, wait, madeAtMs }: FlavorOption, nowMs: number): ExpectedStart {
  if (isPlaced) return { kind: 'now' };
  if (wait === null || wait.p90Ms === Infinity) return { kind: 'unforeseeable' };
  const left = (ms: number): number => Math.max(SOON_MS, ms - (nowMs - madeAtMs));
  return { kind: 'later', p50Ms: left(wait.p50Ms), p90Ms: left(wait.p90Ms) };
}
