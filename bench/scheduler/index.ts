import { holds, median, writeResult } from '../report.ts';
import { boundsOf } from './bounds.ts';
import { type Contender, CONTENDERS } from './contenders.ts';
import { type Figures, run, type Scenario } from './run.ts';
import { SEED } from './workload.ts';

/** P8: a thousand machines of eight cards, five thousand pods that are there before the scheduler starts. */
const USUAL: Scenario = { machines: 1000, podsRunning: 0, podsWaiting: 5000, podsLate: 800, latePerSecond: 100 };
const RUNS = 5;

/** The largest that is tried: fifty thousand pods in all. */
const LARGE: Scenario = {
  machines: 5000,
  podsRunning: 30_000,
  podsWaiting: 20_000,
  podsLate: 800,
  latePerSecond: 100,
};

type ContenderName = Contender['name'];

interface Row extends Figures {
  readonly name: ContenderName;
}

/** Springtide and kube-scheduler in turn, each time on a fresh control plane; the medians of five runs. */
export async function scheduler(): Promise<boolean> {
  const rows: Row[] = [];
  for (let i = 0; i < RUNS; i += 1) {
    const inTurn = i % 2 === 0 ? CONTENDERS : CONTENDERS.toReversed();
    for (const contender of inTurn) rows.push(await measured(contender, USUAL));
  }
  const [ours, theirs] = [medians(rows, 'springtide'), medians(rows, 'kube-scheduler')];
  console.log('medians');
  for (const row of [ours, theirs]) console.log(lineOf(row));
  writeResult('scheduler', { scenario: USUAL, seed: SEED, medians: [ours, theirs], rows });
  return holds(boundsOf(ours, theirs, USUAL.podsWaiting));
}

/** Both once on a cluster of five thousand machines. */
export async function schedulerLarge(): Promise<boolean> {
  const rows: Row[] = [];
  for (const contender of CONTENDERS) rows.push(await measured(contender, LARGE));
  writeResult('scheduler-large', { scenario: LARGE, seed: SEED, rows });
  const [ours] = rows as [Row];
  return holds([{ figure: 'pods bound at 5,000 machines', value: ours.podsBound, min: LARGE.podsWaiting }]);
}

async function measured(contender: Contender, scenario: Scenario): Promise<Row> {
  const row = { name: contender.name, ...(await run(contender, scenario)) };
  console.log(lineOf(row));
  return row;
}

function lineOf(row: Row): string {
  const figures = [
    `${row.podsBound} pods`,
    `${row.podsPerSecond.toFixed(0)}/s`,
    `${row.cpuMsPerPod.toFixed(2)} CPU ms a pod`,
    `API server ${row.apiServerCpuMsPerPod.toFixed(2)}`,
    `RSS ${row.rssPeakMiB.toFixed(0)} MiB (${row.rssSyncedMiB.toFixed(0)} before the first bind)`,
    `late p50 ${row.lateP50Ms.toFixed(0)} ms, p99 ${row.lateP99Ms.toFixed(0)} ms`,
  ];
  return `${row.name.padEnd(16)}${figures.join(', ')}`;
}

function medians(rows: readonly Row[], name: ContenderName): Row {
  const own = rows.filter((row) => row.name === name);
  const keys = Object.keys(own[0] as Row).filter((key): key is keyof Figures => key !== 'name');
  const entries = keys.map((key) => [key, median(own.map((row) => row[key]))] as const);
  return { name, ...(Object.fromEntries(entries) as unknown as Figures) };
}
