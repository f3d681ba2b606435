import type { Random } from '@springtide/core/base';

/** Seeded draws, as a maker of random objects wants them. */
export class Chance {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Yes in so many of a hundred cases. */
  percent(percent: number): boolean {
    return this.#random.below(100) < percent;
  }

  /** From `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + this.#random.below(max - min + 1);
  }

  oneOf<T>(items: readonly T[]): T {
    return items[this.#random.below(items.length)] as T;
  }

  /** So many different ones, in their order. */
  some<T>(items: readonly T[], count: number): T[] {
    const left = items.map((_, index) => index);
    while (left.length > count) left.splice(this.#random.below(left.length), 1);
    return left.map((index) => items[index] as T);
  }

  /** What `make` makes in so many of a hundred cases, else nothing. */
  maybe<T extends object>(percent: number, make: () => T): T | Record<string, never> {
    return this.percent(percent) ? make() : {};
  }
}
