import { mulberry32, shuffle } from '@springtide/core/base';
import { nodeObject, podObject } from '@springtide/testkit/controlplane';

/** Cards a machine. */
const CARDS = 8;

/**
 * Machines in three pools, as fleets keep them: whole machines for the largest jobs, halves, and the rest. So every
 * pod finds its place whichever way a scheduler spreads or packs, and both schedulers bind the same pods.
 */
const POOLS = [
  { pool: 'small', machinesMilli: 800 },
  { pool: 'half', machinesMilli: 100 },
  { pool: 'whole', machinesMilli: 100 },
] as const;

/** Of a thousand pods. */
const SIZES = [
  { pool: 'small', cards: 1, podsMilli: 800 },
  { pool: 'small', cards: 2, podsMilli: 148 },
  { pool: 'half', cards: 4, podsMilli: 36 },
  { pool: 'whole', cards: 8, podsMilli: 16 },
] as const;

/** Of the order in which pods are made. */
export const SEED = 42;

export function machinesOf(count: number): object[] {
  return POOLS.flatMap(({ pool, machinesMilli }) =>
    Array.from({ length: (count * machinesMilli) / 1000 }, (_, index) =>
      nodeObject(`${pool}-${String(index).padStart(4, '0')}`, { cards: CARDS, cpu: '96', labels: { pool } }),
    ),
  );
}

/** Mixed pods of whole cards, in an order drawn once. */
export function podsOf(count: number, schedulerName: string): object[] {
  const sizes = SIZES.flatMap((size) => Array.from({ length: (count * size.podsMilli) / 1000 }, () => size));
  return shuffle(sizes, mulberry32(SEED)).map(({ pool, cards }, index) =>
    aPod(`pod-${index}`, pool, cards, schedulerName),
  );
}

/** Pods of one card, for arrivals one by one. */
export function smallPods(count: number, schedulerName: string): object[] {
  return Array.from({ length: count }, (_, index) => aPod(`late-${index}`, 'small', 1, schedulerName));
}

/** Pods without cards that run already, spread evenly over the machines. */
export function runningPods(count: number, machines: readonly object[]): object[] {
  return Array.from({ length: count }, (_, index) => {
    const { name } = (machines[index % machines.length] as { metadata: { name: string } }).metadata;
    return podObject(`running-${index}`, { cpu: '100m', memory: '128Mi', spec: { nodeName: name } });
  });
}

function aPod(name: string, pool: string, cards: number, schedulerName: string): object {
  const [cpu, memory] = [`${4 * cards}`, `${16 * cards}Gi`];
  return podObject(name, { cards, cpu, memory, schedulerName, nodeSelector: { pool }, labels: { app: 'bench' } });
}
