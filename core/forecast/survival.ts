import { compareNumber } from '../base/index.ts';

/** Something that lasts until an end, as far as it was seen. */
export interface Observation {
  /** How long it lasted, or has lasted so far; any unit. */
  readonly lasted: number;
  /** False: it still goes on, or was broken off; all that is known is that it lasts longer (right-censored). */
  readonly isOver: boolean;
  /** More than 0: how much it counts beside the others. */
  readonly weight: number;
}

/** A survival function as steps: `shares[i]` of all last longer than `values[i]`. Both sorted, values rising. */
export interface SurvivalSteps {
  readonly values: readonly number[];
  readonly shares: readonly number[];
  /** The longest that any was seen to last, over or not; -Infinity: there is none. */
  readonly longest: number;
  /** How long half of those were seen that outlasted the last step; that step, if none did; -Infinity: there is none. */
  readonly outlasted: number;
}

/**
 * The product-limit estimate (Kaplan and Meier 1958) with weights. What still goes on counts among those at risk for
 * as long as it was seen, so that slow ones, which end last, are not missed. `beyond` is the weight of something that
 * never ends, beside one of those at risk: with it no share falls to 0. O(n log n).
 */
export function survivalSteps(observations: readonly Observation[], beyond = 0): SurvivalSteps {
  const sorted = observations.toSorted(byLasting);
  const hazards = hazardsOf(sorted, beyond);
  let share = 1;
  const values: number[] = [];
  const shares: number[] = [];
  sorted.forEach(({ lasted, isOver }, i) => {
    if (!isOver) return;
    share *= 1 - (hazards[i] as number);
    if (values.at(-1) === lasted) shares[shares.length - 1] = share;
    else {
      values.push(lasted);
      shares.push(share);
    }
  });
  return { values, shares, longest: sorted.at(-1)?.lasted ?? -Infinity, outlasted: outlastedOf(sorted) };
}

function outlastedOf(sorted: readonly Observation[]): number {
  const last = sorted.findLastIndex(({ isOver }) => isOver);
  const beyond = sorted.slice(last + 1);
  let half = beyond.reduce((sum, { weight }) => sum + weight, 0) / 2;
  for (const { lasted, weight } of beyond) {
    half -= weight;
    if (half <= 0) return lasted;
  }
  return sorted[last]?.lasted ?? -Infinity;
}

/** Of each one the part that it is of all that last as long or longer. Summed from the end, since weights differ much. */
function hazardsOf(sorted: readonly Observation[], beyond: number): Float64Array {
  const hazards = new Float64Array(sorted.length);
  let atRisk = 0;
  let squares = 0;
  for (let i = sorted.length - 1; i >= 0; i -= 1) {
    const { weight } = sorted[i] as Observation;
    atRisk += weight;
    squares += weight * weight;
    hazards[i] = weight / (atRisk + (beyond * squares) / atRisk);
  }
  return hazards;
}

/** The first value beyond which no more than `share` last; undefined: more than that last beyond all values. O(log n). */
export function firstBeyond({ values, shares }: SurvivalSteps, share: number): number | undefined {
  let [low, high] = [0, shares.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((shares[middle] as number) <= share) high = middle;
    else low = middle + 1;
  }
  return values[low];
}

/** The share that lasts longer than a value. O(log n). */
export function shareBeyond({ values, shares }: SurvivalSteps, value: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] as number) <= value) low = middle + 1;
    else high = middle;
  }
  return shares[low - 1] ?? 1;
}

/** Of equals, ends come before what goes on: that was still there when they ended. */
function byLasting(left: Observation, right: Observation): number {
  return compareNumber(left.lasted, right.lasted) || Number(right.isOver) - Number(left.isOver);
}
