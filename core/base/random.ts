/**
 * A seeded generator of 32-bit integers, passed in wherever chance is wanted (core has none of its own).
 * mulberry32 (Tommy Ettinger, public domain): one 32-bit word of state, the same sequence on every machine.
 */
export interface Random {
  /** A uniform integer in [0, 2^32). */
  readonly uint32: () => number;
  /** A uniform integer in [0, bound), bound in 1..2^32. Rejection keeps it unbiased. */
  readonly below: (bound: number) => number;
  /** A uniform float in [0, 1) with 32 bits. */
  readonly unit: () => number;
}

export function mulberry32(seed: number): Random {
  let state = seed >>> 0;
  const uint32 = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (bound: number): number => {
    const limit = 4294967296 - (4294967296 % bound);
    let value = uint32();
    while (value >= limit) value = uint32();
    return value % bound;
  };
  return { uint32, below, unit: () => uint32() / 4294967296 };
}

/** Fisher-Yates, in place: index i from last to 1 swaps with a uniform j in [0, i]. */
export function shuffle<T>(items: T[], random: Random): T[] {
  for (let i = items.length - 1; i > 0; i -= 1) {
    const j = random.below(i + 1);
    const held = items[i] as T;
    items[i] = items[j] as T;
    items[j] = held;
  }
  return items;
}
