import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlPlane, startControlPlane } from '@springtide/testkit/controlplane';
import { AuditTail } from './audit-tail.ts';
import type { Contender } from './contenders.ts';
import { addMachines, inParallel, makePod, NAMESPACE, untilQuiet } from './furnish.ts';
import { machinesOf, podsOf, runningPods, smallPods } from './workload.ts';

export interface Scenario {
  readonly machines: number;
  /** That run before the scheduler starts, placed by somebody else. */
  readonly podsRunning: number;
  /** That wait when the scheduler starts. */
  readonly podsWaiting: number;
  /** That come afterwards, one by one, so many a second. */
  readonly podsLate: number;
  readonly latePerSecond: number;
}

export interface Figures {
  readonly podsBound: number;
  /** Of those that waited, from the first bind to the last. */
  readonly podsPerSecond: number;
  /** Of the whole process, all threads, from its start until it was quiet again. */
  readonly cpuMsPerPod: number;
  readonly apiServerCpuMsPerPod: number;
  readonly rssPeakMiB: number;
  /** When it knew the cluster and had bound next to nothing. */
  readonly rssSyncedMiB: number;
  /** From the request that makes a late pod to the answer to its binding. */
  readonly lateP50Ms: number;
  readonly lateP99Ms: number;
  /** Events told about pods, a bound pod. */
  readonly eventsPerPod: number;
}

const BOUND_MS_MAX = 900_000;

/** One contender on a control plane of its own, which is fresh and gone afterwards. */
export async function run(contender: Contender, scenario: Scenario): Promise<Figures> {
  const plane = await startControlPlane();
  const tail = new AuditTail(plane.auditFile);
  try {
    await furnish(plane, contender, scenario);
    tail.read();
    return await measure(plane, tail, contender, scenario);
  } finally {
    tail.close();
    await plane.stop();
  }
}

/** Makes machines, and pods that run and wait. */
async function furnish({ api }: ControlPlane, { schedulerName }: Contender, scenario: Scenario): Promise<void> {
  const machines = machinesOf(scenario.machines);
  await addMachines(api, machines);
  const pods = [...runningPods(scenario.podsRunning, machines), ...podsOf(scenario.podsWaiting, schedulerName)];
  await inParallel(pods, (pod) => makePod(api, pod));
}

async function measure(
  plane: ControlPlane,
  tail: AuditTail,
  contender: Contender,
  scenario: Scenario,
): Promise<Figures> {
  const apiServerBefore = await apiServerCpuMs(plane);
  const running = await contender.start(plane);
  try {
    await tail.untilBound(1, BOUND_MS_MAX);
    const rssSyncedMiB = (await running.usage()).rssBytes / 2 ** 20;
    const isDone = await tail.untilBound(scenario.podsWaiting, BOUND_MS_MAX);
    if (!isDone) console.log(`${contender.name}: only ${tail.boundAtMs.size} pods bound in ${BOUND_MS_MAX} ms`);
    await untilQuiet(running);
    const { cpuMs } = await running.usage();
    const apiServerMs = (await apiServerCpuMs(plane)) - apiServerBefore;
    tail.read();
    const times = [...tail.boundAtMs.values()];
    const podsBound = times.length;
    const [first, last] = [Math.min(...times), Math.max(...times)];
    const eventsPerPod = tail.eventsCount / podsBound;
    const latencies = (await arrive(plane, tail, contender, scenario)).toSorted((left, right) => left - right);
    return {
      podsBound,
      podsPerSecond: (1000 * podsBound) / (last - first),
      cpuMsPerPod: cpuMs / podsBound,
      apiServerCpuMsPerPod: apiServerMs / podsBound,
      rssPeakMiB: (await running.usage()).rssPeakBytes / 2 ** 20,
      rssSyncedMiB,
      lateP50Ms: percentile(latencies, 0.5),
      lateP99Ms: percentile(latencies, 0.99),
      eventsPerPod,
    };
  } finally {
    await running.stop();
  }
}

/** Pods that come at a steady rate, whether or not the scheduler keeps up; how long each waited. */
async function arrive(
  { api }: ControlPlane,
  tail: AuditTail,
  { schedulerName }: Contender,
  { podsLate, latePerSecond }: Scenario,
): Promise<number[]> {
  const before = tail.boundAtMs.size;
  const startMs = performance.now();
  const made: Promise<unknown>[] = [];
  for (const [index, pod] of smallPods(podsLate, schedulerName).entries()) {
    const waitMs = startMs + (1000 * index) / latePerSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    made.push(makePod(api, pod));
  }
  await Promise.all(made);
  await tail.untilBound(before + podsLate, BOUND_MS_MAX);
  return Array.from({ length: podsLate }, (_, index) => {
    const key = `${NAMESPACE}/late-${index}`;
    return (tail.boundAtMs.get(key) ?? Infinity) - (tail.madeAtMs.get(key) ?? 0);
  });
}

async function apiServerCpuMs(plane: ControlPlane): Promise<number> {
  return (await plane.usage())['kube-apiserver']?.cpuMs ?? 0;
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
