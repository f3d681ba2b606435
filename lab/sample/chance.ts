import type { Random } from '@springtide/core/base';

/** Values and how often each comes, as weights. */
export type Weighted<T> = readonly (readonly [value: T, weight: number])[];

/** Draws a value by weight. */
export function pick<T>(random: Random, options: Weighted<T>): T {
  let total = 0;
  for (const [, weight] of options) total += weight;
  let at = random.unit() * total;
  for (const [value, weight] of options) {
    at -= weight;
    if (at < 0) return value;
  }
  return (options.at(-1) as readonly [T, number])[0];
}

export function between(random: Random, low: number, high: number): number {
  return low + random.below(high - low + 1);
}

/** A log-normal draw: half are below the median; the larger sigma, the heavier the tail (mean = median e^(sigma²/2)). */
export function logNormal(random: Random, median: number, sigma: number): number {
  // Box and Muller; 1 - unit() is never 0.
  const normal = Math.sqrt(-2 * Math.log(1 - random.unit())) * Math.cos(2 * Math.PI * random.unit());
  return median * Math.exp(sigma * normal);
}
