import { startControlPlane } from '@springtide/testkit/controlplane';
import { Space } from '@springtide/testkit/controlplane/fixtures';
import { holds, mean, writeResult } from '../report.ts';
import { type FailoverRun, failoverRun } from './run.ts';

const RUNS = 20;
const PODS = 1000;
const NODES = 128;
const CARDS = 8;
const TAKEOVER_MS_MAX = 15_000;

/** Two schedulers of which the leader is killed with 1,000 pods in flight, again and again (issue 4, line 5). */
export async function failover(): Promise<boolean> {
  const plane = await startControlPlane({ onProgress: (line) => console.log(line) });
  const runs: FailoverRun[] = [];
  try {
    for (let index = 0; index < RUNS; index += 1) {
      const space = await Space.open(plane);
      // From the very first bind up to half of them.
      const killedAt = 1 + Math.round((PODS * index) / (2 * RUNS));
      const run = await failoverRun(plane, space, { pods: PODS, nodes: NODES, cards: CARDS, killedAt });
      runs.push(run);
      console.log(lineOf(index, run));
      await space.close();
    }
  } finally {
    await plane.stop();
  }
  return report(runs);
}

function lineOf(index: number, run: FailoverRun): string {
  const { boundBefore, leaseMs, takeoverMs, finishedMs, doubleBinds, lostPods, cardsTwice } = run;
  const times = `lease after ${(leaseMs / 1000).toFixed(1)} s, first bind after ${(takeoverMs / 1000).toFixed(1)} s, all bound after ${(finishedMs / 1000).toFixed(1)} s`;
  return `run ${index + 1}: killed at ${boundBefore}, ${times}, ${doubleBinds} double binds, ${cardsTwice} machines overbooked, ${lostPods} lost`;
}

function report(runs: readonly FailoverRun[]): boolean {
  const sum = (of: (run: FailoverRun) => number): number => runs.reduce((total, run) => total + of(run), 0);
  const takeoverMs = runs.map((run) => run.takeoverMs);
  const worst = Math.max(...takeoverMs);
  console.log(
    `${runs.length} leaders killed: taken over after ${(mean(takeoverMs) / 1000).toFixed(1)} s, at most ${(worst / 1000).toFixed(1)} s`,
  );
  writeResult('failover', { pods: PODS, nodes: NODES, meanTakeoverMs: Math.round(mean(takeoverMs)), runs });
  return holds([
    { figure: 'runs', value: runs.length, min: RUNS },
    { figure: 'double binds', value: sum(({ doubleBinds }) => doubleBinds), max: 0 },
    { figure: 'lost pods', value: sum(({ lostPods }) => lostPods), max: 0 },
    { figure: 'machines overbooked', value: sum(({ cardsTwice }) => cardsTwice), max: 0 },
    { figure: 'milliseconds to the first bind of the new leader, at most', value: worst, max: TAKEOVER_MS_MAX },
  ]);
}
