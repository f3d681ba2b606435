import type { Replica } from './replica.ts';

/**
 * What is good about letting replicas leave, the first difference decides, more is better: replicas spared whose
 * disruption budget is used up (counted negative), cards freed, machines freed, idle cards that stand together
 * (the sum over machines of their square), free parts that stand together (the same over cards, in percent).
 */
export const CRITERIA = ['guarded', 'cards', 'machines', 'idleTogether', 'freeTogether'] as const;
const WIDTH = CRITERIA.length;

/** By how many replicas leave: the best that can be had of it, or that it cannot be so many. */
export class Table {
  readonly max: number;
  readonly #values: Float64Array;

  constructor(max: number) {
    this.max = max;
    this.#values = new Float64Array((max + 1) * WIDTH).fill(Number.NEGATIVE_INFINITY);
  }

  isPossible(count: number): boolean {
    return count <= this.max && this.#values[count * WIDTH] !== Number.NEGATIVE_INFINITY;
  }

  worth(count: number): number[] {
    return [...this.#values.subarray(count * WIDTH, (count + 1) * WIDTH)];
  }

  /** Keeps it where it is better than what is here, and says whether it was. */
  offer(count: number, worth: readonly number[]): boolean {
    if (this.isPossible(count) && compareWorth(worth, this.worth(count)) <= 0) return false;
    this.#values.set(worth, count * WIDTH);
    return true;
  }

  /** Takes over the sum of one entry of each of two tables where it is better than what is here. */
  improve(count: number, left: Table, fromLeft: number, right: Table): boolean {
    const [here, there, other] = [count * WIDTH, fromLeft * WIDTH, (count - fromLeft) * WIDTH];
    let ahead = 0;
    for (let i = 0; i < WIDTH && ahead === 0; i += 1) {
      const sum = (left.#values[there + i] as number) + (right.#values[other + i] as number);
      if (sum === Number.NEGATIVE_INFINITY) return false;
      const had = this.#values[here + i] as number;
      ahead = sum === had ? 0 : sum > had ? 1 : -1;
    }
    if (ahead !== 1) return false;
    for (let i = 0; i < WIDTH; i += 1)
      this.#values[here + i] = (left.#values[there + i] as number) + (right.#values[other + i] as number);
    return true;
  }
}

/** Positive where the first is better. */
export function compareWorth(left: readonly number[], right: readonly number[]): number {
  for (let i = 0; i < WIDTH; i += 1) {
    const [one, other] = [left[i] as number, right[i] as number];
    if (one !== other) return one - other;
  }
  return 0;
}

/** Replicas that can be judged apart from all others: those of a machine, of a zone, or all. */
export interface Part {
  readonly table: Table;
  /** Adds the replicas that leave if so many do. */
  readonly collect: (count: number, into: Replica[]) => void;
}

/**
 * Parts as one: how many leave each, so that the sum is best. Exact. Method: a knapsack over groups;
 * O(parts x countMax x replicas of a part).
 */
export function joined(parts: readonly Part[], countMax: number): Part {
  let table = new Table(0);
  table.offer(
    0,
    CRITERIA.map(() => 0),
  );
  const steps = parts.map((part) => {
    const next = new Table(Math.min(countMax, table.max + part.table.max));
    const taken = new Int32Array(next.max + 1);
    for (let count = 0; count <= next.max; count += 1) {
      for (let here = Math.max(0, count - table.max); here <= Math.min(count, part.table.max); here += 1)
        if (next.improve(count, table, count - here, part.table)) taken[count] = here;
    }
    table = next;
    return taken;
  });
  const collect = (count: number, into: Replica[]): void => {
    let left = count;
    for (let i = parts.length - 1; i >= 0; i -= 1) {
      const here = steps[i]?.[left] as number;
      parts[i]?.collect(here, into);
      left -= here;
    }
  };
  return { table, collect };
}

/** The part, of which no fewer and no more may leave. */
export function within(part: Part, { min, max }: { readonly min: number; readonly max: number }): Part {
  const table = new Table(part.table.max);
  for (let count = Math.max(0, min); count <= Math.min(max, table.max); count += 1)
    if (part.table.isPossible(count)) table.offer(count, part.table.worth(count));
  return { table, collect: part.collect };
}
