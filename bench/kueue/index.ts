import { loadavg } from 'node:os';
import { type Kueue, kueuePrograms } from '@springtide/testkit/kueue';
import { type Bound, holds, writeResult } from '../report.ts';
import type { Contender } from './contender.ts';
import { kueueWithLimits } from './kueue.ts';
import { BASELINE, type Plan, ROOM_FOR_ALL, workloadsIn } from './plan.ts';
import { type Figures, run, type Until } from './run.ts';
import { springtide } from './springtide.ts';

const TIMEOUT_MS = 900_000;

interface Scenario {
  readonly name: 'baseline' | 'roomForAll';
  readonly plan: Plan;
  readonly until: Until;
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'baseline', plan: BASELINE, until: 'finished' },
  { name: 'roomForAll', plan: ROOM_FOR_ALL, until: 'admitted' },
];

interface Pair {
  readonly ours: Measured;
  readonly theirs: Measured;
}

interface Measured extends Figures {
  /** How busy the machine was in the minute before: other work makes all times longer. */
  readonly loadBefore: number;
}

/**
 * Admission on a real API server beside Kueue v0.17 as its own performance harness runs it (issue 6, line 5): its
 * published baseline, and one queue with room for all. One after the other, each on a control plane of its own.
 */
export async function kueue(): Promise<boolean> {
  const built = await kueuePrograms((line) => console.log(line));
  if ('why' in built) {
    console.log(built.why);
    return false;
  }
  const pairs = new Map<string, Pair>();
  for (const scenario of SCENARIOS) pairs.set(scenario.name, await pairOf(scenario, built));
  writeResult('kueue', Object.fromEntries(pairs));
  return holds([...pairs].flatMap(([name, pair]) => boundsOf(name, pair)));
}

async function pairOf({ name, plan, until }: Scenario, built: Kueue): Promise<Pair> {
  console.log(`${name}: ${workloadsIn(plan)} workloads`);
  const measure = async (contender: Contender): Promise<Measured> => {
    const [loadBefore = 0] = loadavg();
    const measured = { loadBefore, ...(await run(contender, plan, until, TIMEOUT_MS)) };
    console.log(lineOf(measured));
    return measured;
  };
  const ours = await measure(springtide);
  return { ours, theirs: await measure(kueueWithLimits(built)) };
}

function lineOf(figures: Measured): string {
  const { contender, wallMs, finished, evictions, admissionsPerSecond, byClass, loadBefore } = figures;
  const waits = Object.entries(byClass).map(([kind, { meanToAdmissionMs }]) => `${kind} ${seconds(meanToAdmissionMs)}`);
  return [
    `  ${contender.padEnd(12)}${seconds(wallMs)}`,
    `${finished} finished, ${evictions} evictions`,
    `${admissionsPerSecond} admissions/s`,
    `mean time to admission ${waits.join(', ')}`,
    `CPU a workload: API server ${figures.apiServerCpuMsPerWorkload} ms, itself ${figures.cpuMsPerWorkload} ms`,
    `RSS ${figures.rssPeakMiB} MiB at most`,
    `load before ${loadBefore.toFixed(1)}`,
  ].join(', ');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function boundsOf(name: string, { ours, theirs }: Pair): Bound[] {
  if (name === 'roomForAll') {
    return [{ figure: 'admissions/s, room for all', value: ours.admissionsPerSecond, min: theirs.admissionsPerSecond }];
  }
  const classes = Object.entries(ours.byClass).map(([kind, { meanToAdmissionMs }]) => ({
    figure: `mean time to admission of ${kind} ones, ms`,
    value: meanToAdmissionMs,
    max: theirs.byClass[kind]?.meanToAdmissionMs ?? 0,
  }));
  return [
    { figure: 'workloads finished', value: ours.finished, min: workloadsIn(BASELINE) },
    { figure: 'wall time, ms', value: ours.wallMs, max: theirs.wallMs },
    ...classes,
    {
      figure: 'CPU of the API server a workload, ms',
      value: ours.apiServerCpuMsPerWorkload,
      max: theirs.apiServerCpuMsPerWorkload / 2,
    },
  ];
}
