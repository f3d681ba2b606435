import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlPlane, isNodeUsable } from '@springtide/testkit/controlplane';
import type { Running } from '../program.ts';

export const NAMESPACE = 'default';
const REQUESTS_MAX = 32;
/** A process is quiet that uses less than this in so long. */
const QUIET_CPU_MS = 30;
const QUIET_MS = 1500;

type Api = ControlPlane['api'];

/** Makes machines and waits until pods can run on all there are. */
export async function addMachines(api: Api, machines: readonly object[]): Promise<void> {
  await inParallel(machines, (machine) => api.create('/api/v1/nodes', machine));
  while (!(await api.get('/api/v1/nodes')).items.every(isNodeUsable)) await sleep(QUIET_MS);
}

export function makePod(api: Api, pod: object): Promise<unknown> {
  return api.create(`/api/v1/namespaces/${NAMESPACE}/pods`, pod);
}

/** Waits until what is written after the last bind, such as events, is written too. */
export async function untilQuiet(running: Running): Promise<void> {
  for (let before = -Infinity; ; ) {
    const { cpuMs } = await running.usage();
    if (cpuMs - before < QUIET_CPU_MS) return;
    before = cpuMs;
    await sleep(QUIET_MS);
  }
}

export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: REQUESTS_MAX }, worker));
}
