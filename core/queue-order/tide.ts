import type { LevelSettings } from './levels.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;

/**
 * Our own order: a short first quantum that grows with each eviction, so that new jobs are tried soon, and long ones are
 * stopped seldom and over all their life. The settings are the same for every cluster; decision 30 says how they were
 * searched and how much they matter.
 */
export const TIDE: LevelSettings = {
  boundaries: [948 * SECOND_MS, 17_384 * SECOND_MS, 128_969 * SECOND_MS],
  cardsExponent: -0.2,
  quantumMs: 3 * HOUR_MS,
  quantumGrowth: 1.5,
  ageMs: Infinity,
  evictionsMax: 8,
};
