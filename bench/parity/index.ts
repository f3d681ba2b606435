import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ASKED, caseObjects, compareCluster, type Comparison, intendedCluster, type Way } from '@springtide/lab/parity';
import type { ControlPlane } from '@springtide/testkit/controlplane';
import { startQuietPlane } from '@springtide/testkit/controlplane/verdicts';
import { type Json, randomCluster } from '@springtide/testkit/kubectl';
import { type Bound, holds, writeResult } from '../report.ts';

/** Clusters that were compared in one way, summed up. */
interface Row {
  readonly what: string;
  readonly way: Way;
  readonly clusters: number;
  readonly pods: number;
  /** Pairs of pod and machine, and those that kube-scheduler finds feasible. */
  readonly answers: number;
  readonly feasible: number;
  readonly differences: number;
  /** Nodes by each reason for which kube-scheduler refused them. */
  readonly reasons: Readonly<Record<string, number>>;
}

const SEEDS = range(1, 30);
const PLAIN_SEEDS = range(1, 10);
const CASES = ['fragmented', 'slices', 'domestic'];

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Issue 4, criterion 2: the answers of kube-scheduler and ours, pod by pod and machine by machine. */
export async function parity(data: string): Promise<boolean> {
  const plane = await startQuietPlane({ onProgress: (line) => console.log(line) });
  try {
    const rows = [
      ...(await compared(plane, 'random clusters', randomClusters(SEEDS, false), ['live'])),
      ...(await compared(plane, 'random, nodes and pods alone', randomClusters(PLAIN_SEEDS, true), ['live', 'dump'])),
      ...(await compared(plane, 'dumps of API servers', casesIn(plane, data), ['live', 'dump'])),
    ];
    const intended = await intendedFound(plane);
    const { version } = plane;
    writeResult('parity', { version, seeds: SEEDS, plainSeeds: PLAIN_SEEDS, cases: CASES, rows, intended });
    return holds([...rows.map(differencesBound), { figure: 'intended differences', value: intended.missing, max: 0 }]);
  } finally {
    await plane.stop();
  }
}

function differencesBound({ what, way, differences }: Row): Bound {
  return { figure: `${what}, ${way}: differences`, value: differences, max: 0 };
}

function* randomClusters(seeds: readonly number[], isPlain: boolean): Generator<Json[]> {
  for (const seed of seeds) yield randomCluster({ seed, isPlain, schedulerName: ASKED });
}

async function* casesIn(plane: ControlPlane, data: string): AsyncGenerator<Json[]> {
  for (const name of CASES) {
    const folder = join(data, 'cases', 'kubectl', name);
    if (!existsSync(folder)) throw new Error(`${folder} is absent`);
    yield await caseObjects(plane, folder);
  }
}

async function compared(
  plane: ControlPlane,
  what: string,
  clusters: AsyncIterable<Json[]> | Iterable<Json[]>,
  ways: readonly Way[],
): Promise<Row[]> {
  const comparisons: Comparison[] = [];
  for await (const objects of clusters) comparisons.push(await compareCluster(plane, objects, ways));
  return ways.map((way) => {
    const sum = (count: (comparison: Comparison) => number): number =>
      comparisons.reduce((total, comparison) => total + count(comparison), 0);
    const differences = comparisons.flatMap((comparison) => comparison.differences.filter((each) => each.way === way));
    for (const { pod, machine, ours, theirs } of differences) {
      console.log(`  ${pod} on ${machine}: ours ${ours?.join(', ') ?? 'feasible'}; theirs ${theirs}`);
    }
    const row: Row = {
      what,
      way,
      clusters: comparisons.length,
      pods: sum(({ pods }) => pods),
      answers: sum(({ answers }) => answers),
      feasible: sum(({ feasible }) => feasible),
      differences: differences.length,
      reasons: reasonsOf(comparisons),
    };
    console.log(
      `${what}, ${way}: ${row.clusters} clusters, ${row.pods} pods, ${row.answers} answers, ${row.feasible} feasible, ` +
        `${row.differences} differences`,
    );
    return row;
  });
}

/** The most frequent first. */
function reasonsOf(comparisons: readonly Comparison[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const [reason, nodes] of comparisons.flatMap(({ reasons }) => [...reasons])) {
    sums.set(reason, (sums.get(reason) ?? 0) + nodes);
  }
  return Object.fromEntries([...sums].toSorted(([, left], [, right]) => right - left));
}

/** What is meant to differ, by its rule: each shows once, and nothing else does. */
async function intendedFound(plane: ControlPlane): Promise<{ readonly byRule: object; readonly missing: number }> {
  const { objects, intended } = intendedCluster();
  const { differences } = await compareCluster(plane, objects, ['live']);
  const isFound = (pod: string): boolean => differences.some((difference) => difference.pod === pod);
  const byRule = Object.fromEntries(intended.map(({ rule, pod }) => [rule, isFound(pod) ? 1 : 0]));
  const found = Object.values(byRule).reduce((total, one) => total + one, 0);
  console.log(`intended differences: ${found} of ${intended.length}, and ${differences.length - found} others`);
  return { byRule, missing: Math.abs(intended.length - found) + Math.abs(differences.length - found) };
}
