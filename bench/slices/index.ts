import { join } from 'node:path';
import { readOpenbPods } from '@springtide/adapters/traces';
import { type Bound, holds, mean, writeResult } from '../report.ts';
import { upperBound } from './bound.ts';
import { slicesFleet } from './fleet.ts';
import { type SliceArrival, sliceArrivals } from './requests.ts';
import { allocate, type AllocatedAt, SLICE_POLICIES, type SlicePolicy } from './run.ts';

const SEEDS = Array.from({ length: 10 }, (_, i) => 1 + i);
const MARKS = ['95', '130'] as const;

interface SeedResult {
  readonly seed: number;
  readonly arrivals: number;
  readonly allocated: Readonly<Record<SlicePolicy, AllocatedAt>>;
  readonly bound: AllocatedAt;
}

/** Slices in MiB (P2): memory allocated under HAMi's two rules, best fit and `tide`, beside an LP bound. */
export async function slices(data: string): Promise<boolean> {
  const pods = readOpenbPods(join(data, 'traces', 'openb-2023', 'openb_pod_list_default.csv'));
  const capacityMiB = slicesFleet()
    .flatMap(({ cards }) => cards)
    .reduce((sum, card) => sum + card.memoryMiB, 0);
  const results: SeedResult[] = [];
  for (const seed of SEEDS) results.push(await resultOf(sliceArrivals(pods, capacityMiB, seed), capacityMiB, seed));
  for (const policy of SLICE_POLICIES)
    console.log(
      lineOf(
        policy,
        results.map(({ allocated }) => allocated[policy]),
      ),
    );
  console.log(
    lineOf(
      'upper bound',
      results.map(({ bound }) => bound),
    ),
  );
  writeResult('slices', { seeds: results });
  return holds(boundsOf(results));
}

async function resultOf(arrivals: readonly SliceArrival[], capacityMiB: number, seed: number): Promise<SeedResult> {
  const allocated = Object.fromEntries(
    SLICE_POLICIES.map((policy) => [policy, allocate(policy, arrivals, seed)]),
  ) as Record<SlicePolicy, AllocatedAt>;
  let askedMiB = 0;
  const upTo95 = arrivals.filter(({ memoryMiB }) => (askedMiB += memoryMiB) <= 0.95 * capacityMiB);
  const bound = { '95': await upperBound(upTo95), '130': await upperBound(arrivals) };
  return { seed, arrivals: arrivals.length, allocated, bound };
}

function lineOf(name: string, results: readonly AllocatedAt[]): string {
  const marks = MARKS.map((mark) => {
    const values = results.map((result) => result[mark]);
    const range = `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`;
    return `@${mark} ${mean(values).toFixed(2)} (${range})`;
  });
  return `${name.padEnd(14)}${marks.join('   ')}`;
}

/** Ahead of both of HAMi's rules in every seed, and by 3 points in the mean. */
function boundsOf(results: readonly SeedResult[]): Bound[] {
  return (['hami-binpack', 'hami-spread'] as const).flatMap((rule) =>
    MARKS.flatMap((mark) => {
      const ahead = results.map(({ allocated }) => allocated.tide[mark] - allocated[rule][mark]);
      return [
        { figure: `tide less ${rule} at ${mark}, worst seed`, value: Math.min(...ahead), min: 0 },
        { figure: `tide less ${rule} at ${mark}, mean`, value: mean(ahead), min: 3 },
      ];
    }),
  );
}
