import { startControlPlane } from '@springtide/testkit/controlplane';
import { type Bound, holds, writeResult } from '../report.ts';
import { kubeScheduler, type Party, springtide } from './parties.ts';
import { cardsOf, machinesFor, planOf } from './plan.ts';
import { type GangRun, runGangs } from './run.ts';

const PLAN = {
  seed: 42,
  count: 200,
  membersMin: 2,
  membersMax: 32,
  runsForSecondsMin: 10,
  runsForSecondsMax: 30,
} as const;
const TIMEOUT_MS = 240_000;
/** As in the scheduler's defaults: a gang in part gives back after so long. */
const PART_MS_MAX = 5000;

/**
 * Gangs on a real API server (P5, I3), by `springtide scheduler` and by kube-scheduler with gangs of its own: the
 * same gangs, as native PodGroups, on machines for 60 % of them.
 */
export async function gangs(): Promise<boolean> {
  const plan = planOf(PLAN);
  const pods = plan.reduce((sum, { members }) => sum + members, 0);
  const [cards, machines] = [cardsOf(plan), machinesFor(plan)];
  console.log(`${plan.length} gangs, ${pods} pods, ${cards} cards, on ${machines} machines of 8 cards`);
  const ours = await runOn(springtide, plan);
  const theirs = await runOn(kubeScheduler, plan);
  writeResult('gangs', { plan: PLAN, pods, cards, machines, springtide: ours, kubeScheduler: theirs });
  return holds(boundsOf(ours));
}

/** Each on a control plane of its own, fresh. */
async function runOn(party: Party, plan: ReturnType<typeof planOf>): Promise<GangRun> {
  const plane = await startControlPlane({
    featureGates: { GenericWorkload: true },
    runtimeConfig: { 'scheduling.k8s.io/v1beta1': true },
    auditLevel: 'None',
  });
  try {
    const run = await runGangs(plane, party, plan, TIMEOUT_MS);
    console.log(lineOf(party.schedulerName, run));
    return run;
  } finally {
    await plane.stop();
  }
}

function lineOf(name: string, run: GangRun): string {
  const { allRunningMs, gangsStarted, cardSecondsIncomplete, longestPartMs, gangsPartASecond, cpuMs, rssPeakMiB } = run;
  const all = allRunningMs === null ? `only ${gangsStarted} ran` : `all running after ${seconds(allRunningMs)}`;
  return [
    `${name.padEnd(12)}${all}`,
    `${cardSecondsIncomplete} card-seconds held by incomplete gangs`,
    `longest in part ${seconds(longestPartMs)} (${gangsPartASecond} gangs for a second or more)`,
    `CPU ${seconds(cpuMs)}`,
    `RSS ${rssPeakMiB} MiB at most`,
    `load before ${run.loadBefore.toFixed(1)}`,
  ].join(', ');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

function boundsOf(ours: GangRun): Bound[] {
  return [
    { figure: 'gangs that ran', value: ours.gangsStarted, min: PLAN.count },
    { figure: 'pods lost', value: ours.podsLost, max: 0 },
    { figure: 'longest time in part, ms', value: ours.longestPartMs, max: PART_MS_MAX },
  ];
}
