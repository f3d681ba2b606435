import highsModule from 'highs';
import { slicesFleet } from './fleet.ts';
import type { SliceArrival } from './requests.ts';

/** The package's types describe another module form than it has: the import itself is the loader. */
const loadHighs = highsModule as unknown as typeof highsModule.default;

interface Pool {
  readonly cards: number;
  readonly memoryMiB: number;
  readonly cpuMilli: number;
}

/** The fleet pooled by card size: nothing is lost to the borders of cards and machines. */
function pools(): Pool[] {
  const byMemory = new Map<number, Pool>();
  for (const machine of slicesFleet()) {
    const memoryMiB = machine.cards[0]?.memoryMiB ?? 0;
    const pool = byMemory.get(memoryMiB) ?? { cards: 0, memoryMiB, cpuMilli: 0 };
    const cards = pool.cards + machine.cards.length;
    byMemory.set(memoryMiB, { cards, memoryMiB, cpuMilli: pool.cpuMilli + machine.cpuMilli });
  }
  return [...byMemory.values()];
}

interface Demand {
  readonly memoryMiB: number;
  readonly computeMilli: number;
  readonly cpuMilli: number;
  count: number;
}

function demands(arrivals: readonly SliceArrival[]): Demand[] {
  const byRequest = new Map<SliceArrival['request'], Demand>();
  for (const { request, memoryMiB } of arrivals) {
    const known = byRequest.get(request);
    if (known !== undefined) known.count += 1;
    else if (request.cards.kind === 'slice') {
      const { computeMilli } = request.cards;
      byRequest.set(request, { memoryMiB, computeMilli, cpuMilli: request.cpuMilli, count: 1 });
    }
  }
  return [...byRequest.values()];
}

function program(arrivals: readonly SliceArrival[]): string {
  const classes = demands(arrivals);
  const fleet = pools();
  const pairs = classes.flatMap((demand, c) =>
    fleet.flatMap((pool, p) => (demand.memoryMiB <= pool.memoryMiB ? [{ demand, c, p, name: `x${c}_${p}` }] : [])),
  );
  const sum = (terms: readonly string[]): string => (terms.length === 0 ? '0 x0_0' : terms.join(' + '));
  const rows = fleet.flatMap((pool, p) => {
    const own = pairs.filter((pair) => pair.p === p);
    const row = (amount: (demand: Demand) => number): string =>
      sum(own.filter(({ demand }) => amount(demand) > 0).map(({ demand, name }) => `${amount(demand)} ${name}`));
    return [
      `memory${p}: ${row((demand) => demand.memoryMiB)} <= ${pool.cards * pool.memoryMiB}`,
      `compute${p}: ${row((demand) => demand.computeMilli)} <= ${pool.cards * 1000}`,
      `cpu${p}: ${row((demand) => demand.cpuMilli)} <= ${pool.cpuMilli}`,
    ];
  });
  const counts = classes.flatMap((demand, c) => {
    const own = pairs.filter((pair) => pair.c === c);
    return own.length === 0 ? [] : [`count${c}: ${sum(own.map(({ name }) => name))} <= ${demand.count}`];
  });
  const objective = sum(pairs.map(({ demand, name }) => `${demand.memoryMiB} ${name}`));
  return ['Maximize', `obj: ${objective}`, 'Subject To', ...rows, ...counts, 'End'].join('\n');
}

/**
 * An upper bound on the memory that any scheduler could allocate to these arrivals, in percent of capacity: a
 * linear program that may choose among all arrivals, split pods, and pool cards of one size. Solver: HiGHS.
 */
export async function upperBound(arrivals: readonly SliceArrival[]): Promise<number> {
  const highs = await loadHighs();
  const solved = highs.solve(program(arrivals));
  const capacityMiB = pools().reduce((total, pool) => total + pool.cards * pool.memoryMiB, 0);
  return (100 * solved.ObjectiveValue) / capacityMiB;
}
