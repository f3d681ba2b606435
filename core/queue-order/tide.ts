import type { LevelSettings } from './levels.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;

/**
 * Our own order: few levels and a long quantum, so that what runs is seldom stopped. The settings are the same for every
 * cluster; decision 30 says how they were searched.
 */
export const TIDE: LevelSettings = {
  boundaries: [6683 * SECOND_MS, 62_853 * SECOND_MS, 591_166 * SECOND_MS],
  cardsExponent: 0.1,
  quantumMs: 16 * HOUR_MS,
  ageMs: Infinity,
  evictionsMax: 8,
};
