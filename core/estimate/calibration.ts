import { firstBeyond, survivalSteps, type Observation } from '../forecast/index.ts';
import type { WaitForecast } from './outlook.ts';

/** Forecasts that are remembered, the last ones. */
const TOLD_MAX = 500;
/** With so many forecasts remembered, they count as much as what is believed without any: that P90 is right. */
const TRUST = 20;
/** Added to waits before they are compared as ratios: a minute more matters little. */
const MINUTE_MS = 60_000;
/** The least spread, as a logarithm, that a forecast is taken to have. */
const SPREAD_MIN = 0.05;
const LEVEL = 0.9;

interface Told {
  readonly atMs: number;
  readonly p50Ms: number;
  readonly spread: number;
  /** How long it did wait; null: it waits still. */
  waitedMs: number | null;
  /** False: it left without starting. */
  isStarted: boolean;
}

/**
 * Makes the P90 true by what became of past forecasts (conformal prediction, normalised: Papadopoulos 2008; Lei and
 * others 2018). By how much a wait was longer than its P50 is measured in spreads, the distance from P50 to P90 in
 * logarithms; the P90 is moved to where nine of ten of the last waits stayed. Who still waits counts as waiting longer
 * than so far (Kaplan and Meier). Bounded: the last 500 forecasts. Told in order of time.
 */
export class Calibration {
  readonly #told = new Map<string, Told>();

  /** A job was told, as it came from the outlook, and waits. */
  told(id: string, { p50Ms, p90Ms }: WaitForecast, nowMs: number): void {
    if (p90Ms === Infinity) return;
    this.#told.delete(id);
    this.#told.set(id, { atMs: nowMs, p50Ms, spread: spreadOf(p50Ms, p90Ms), waitedMs: null, isStarted: false });
    for (const oldest of this.#told.keys()) {
      if (this.#told.size <= TOLD_MAX) break;
      this.#told.delete(oldest);
    }
  }

  started(id: string, nowMs: number): void {
    this.#close(id, nowMs, true);
  }

  /** It was cancelled before it started. */
  left(id: string, nowMs: number): void {
    this.#close(id, nowMs, false);
  }

  /** The forecast with a P90 that holds. O(forecasts remembered x log). */
  corrected(forecast: WaitForecast, nowMs: number): WaitForecast {
    const { p50Ms, p90Ms } = forecast;
    if (p90Ms === Infinity) return forecast;
    const spreads = this.#spreads(nowMs);
    return { p50Ms, p90Ms: Math.exp(logOf(p50Ms) + spreads * spreadOf(p50Ms, p90Ms)) - MINUTE_MS };
  }

  /** By how many spreads P90 is longer than P50, as it was of late. */
  #spreads(nowMs: number): number {
    const trust = (TRUST * TRUST) / (TRUST + this.#told.size);
    const observations: Observation[] = [{ lasted: 1, isOver: true, weight: trust }];
    for (const { atMs, p50Ms, spread, waitedMs, isStarted } of this.#told.values()) {
      const lasted = (logOf(waitedMs ?? nowMs - atMs) - logOf(p50Ms)) / spread;
      observations.push({ lasted, isOver: isStarted, weight: 1 });
    }
    const steps = survivalSteps(observations);
    return Math.max(0, firstBeyond(steps, 1 - LEVEL) ?? steps.longest);
  }

  #close(id: string, nowMs: number, isStarted: boolean): void {
    const told = this.#told.get(id);
    if (told === undefined || told.waitedMs !== null) return;
    told.waitedMs = nowMs - told.atMs;
    told.isStarted = isStarted;
  }
}

function logOf(waitMs: number): number {
  return Math.log(waitMs + MINUTE_MS);
}

function spreadOf(p50Ms: number, p90Ms: number): number {
  return Math.max(SPREAD_MIN, logOf(p90Ms) - logOf(p50Ms));
}
