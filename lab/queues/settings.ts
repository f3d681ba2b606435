import { TIDE, type LevelSettings } from '@springtide/core/queue-order';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;

function boundaries(...seconds: readonly number[]): readonly number[] {
  return seconds.map((each) => each * SECOND_MS);
}

/**
 * Settings of `tide` that were tried beside its own (decision 30): points of the front that the report draws. All of them take cards in
 * use where it is tightest.
 */
export const TIDE_SETTINGS = {
  'tide-8h': {
    ...TIDE,
    boundaries: boundaries(2242, 27_135, 328_456),
    cardsExponent: 0.7,
    quantumMs: 8 * HOUR_MS,
    quantumGrowth: 1,
    ageMs: 72 * HOUR_MS,
  },
  'tide-16h': {
    ...TIDE,
    boundaries: boundaries(6683, 62_853, 591_166),
    cardsExponent: 0.1,
    quantumMs: 16 * HOUR_MS,
    quantumGrowth: 1,
  },
  'tide-12h': {
    ...TIDE,
    boundaries: boundaries(4286, 17_297, 69_805),
    cardsExponent: 0.1,
    quantumMs: 12 * HOUR_MS,
    quantumGrowth: 1,
    ageMs: 72 * HOUR_MS,
  },
  'tide-7h-growing': {
    ...TIDE,
    boundaries: boundaries(1683, 19_872, 95_592),
    cardsExponent: -0.2,
    quantumMs: 24_167 * SECOND_MS,
    quantumGrowth: 1.5,
  },
  'tide-2h-growing': {
    ...TIDE,
    boundaries: boundaries(1500, 15_000, 150_000),
    cardsExponent: -0.2,
    quantumMs: 2 * HOUR_MS,
    quantumGrowth: 1.5,
  },
} as const satisfies Readonly<Record<string, LevelSettings>>;
