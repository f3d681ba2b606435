import { TIDE, type LevelSettings } from '@springtide/core/queue-order';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;

function boundaries(...seconds: readonly number[]): readonly number[] {
  return seconds.map((each) => each * SECOND_MS);
}

/** Settings of `tide` that were tried beside its own (decision 30): points of the front that the report draws. */
export const TIDE_SETTINGS = {
  'tide-8h': {
    ...TIDE,
    boundaries: boundaries(2242, 27_135, 328_456),
    cardsExponent: 0.7,
    quantumMs: 8 * HOUR_MS,
    ageMs: 72 * HOUR_MS,
  },
  'tide-12h': {
    ...TIDE,
    boundaries: boundaries(4286, 17_297, 69_805),
    quantumMs: 12 * HOUR_MS,
    ageMs: 72 * HOUR_MS,
  },
} as const satisfies Readonly<Record<string, LevelSettings>>;
