import type { JobFacts, QueueOrder } from './job-facts.ts';

/** Levels by attained service: what has had little goes first, whatever it still needs. */
export interface LevelSettings {
  /** Where a level ends, in milliseconds of run x cards ^ exponent; ascending. n boundaries make n + 1 levels. */
  readonly boundaries: readonly number[];
  /** 1: card-time counts, so that a gang sinks sooner; 0: time alone; below 0: a gang sinks later. */
  readonly cardsExponent: number;
  /** Nothing is displaced within this time of its start. */
  readonly quantumMs: number;
  /** Each eviction lengthens the quantum so many times: the evictions of a long job are spread over its life. */
  readonly quantumGrowth: number;
  /** After each such time of waiting a job rises one level, above the first if need be; Infinity: never. */
  readonly ageMs: number;
  /** A job displaced so often is never displaced again. */
  readonly evictionsMax: number;
}

/**
 * Least attained service with discrete levels (Tiresias, NSDI 2019), with a quantum of protection, ageing and a cap on
 * evictions. No run time has to be known.
 */
export function byAttainedService(settings: LevelSettings): QueueOrder {
  const { boundaries, cardsExponent, quantumMs, quantumGrowth, ageMs, evictionsMax } = settings;
  const endsMs = (cards: number): readonly number[] => boundaries.map((end) => end / cards ** cardsExponent);
  const endsOf = remembered(endsMs);
  const levelOf = (job: JobFacts): number => {
    const ends = endsOf(job.cards);
    let level = 0;
    while (level < ends.length && job.attainedMs >= (ends[level] as number)) level += 1;
    return level;
  };
  const risen = (waitedMs: number): number => (ageMs === Infinity ? 0 : Math.floor(waitedMs / ageMs));
  return {
    rank: (job, nowMs) => {
      const level = levelOf(job);
      return job.waitingSinceMs === null ? level : level - risen(nowMs - job.waitingSinceMs);
    },
    changesAtMs: (job, nowMs) => {
      if (job.waitingSinceMs !== null) {
        return ageMs === Infinity ? Infinity : job.waitingSinceMs + ageMs * (risen(nowMs - job.waitingSinceMs) + 1);
      }
      const end = endsOf(job.cards)[levelOf(job)];
      return end === undefined ? Infinity : nowMs + Math.ceil(end - job.attainedMs);
    },
    protectedUntilMs: (job) => {
      if (job.evictions >= evictionsMax) return Infinity;
      return job.startedAtMs === null || quantumMs === 0
        ? -Infinity
        : job.startedAtMs + quantumMs * quantumGrowth ** job.evictions;
    },
  };
}

/** The numbers of cards that jobs ask for are few. */
function remembered<T>(of: (cards: number) => T): (cards: number) => T {
  const known: T[] = [];
  return (cards) => (known[cards] ??= of(cards));
}

const HOUR_MS = 3_600_000;

/** Least attained service as it is usually quoted: levels end at 1, 10 and 100 card-hours. */
export const LAS: LevelSettings = {
  boundaries: [HOUR_MS, 10 * HOUR_MS, 100 * HOUR_MS],
  cardsExponent: 1,
  quantumMs: 0,
  quantumGrowth: 1,
  ageMs: Infinity,
  evictionsMax: Infinity,
};
