import type { TracePod } from '@springtide/adapters/traces';
import { findTrace, loadTrace, orderOf, type Trace } from '@springtide/lab/replay';
import { type ControlPlane, nodeObject, podObject, startControlPlane } from '@springtide/testkit/controlplane';
import type { Machine, Pod } from '@springtide/core/model';
import { holds, writeResult } from '../report.ts';
import { CONTENDERS } from '../scheduler/contenders.ts';
import { addMachines, inParallel, makePod, untilQuiet } from '../scheduler/furnish.ts';
import { dumpOf, indexOf, nameOf, type Place, replayed, undecided } from './replayed.ts';

const TRACE = 'openb:default';
const SEED = 42;

/** Where each pod is, or null; in the order in which they were made. */
type Placement = readonly (string | null)[];

function machinesOf(places: readonly (Place | null)[]): Placement {
  return places.map((place) => place?.machine ?? null);
}

/**
 * The public trace through a real API server: its machines as nodes, its pods made in the published order, those that
 * share cards left out. The engine alone replays the same objects beside it, in the order in which a scheduler tries
 * them: by the second in which they were made, then by name.
 */
export async function openbCluster(data: string): Promise<boolean> {
  const files = findTrace(data, TRACE);
  if (files === null) throw new Error(`no trace ${TRACE} in ${data}`);
  const trace = loadTrace(files);
  const pods = wholePods(trace);
  const plane = await startControlPlane({ auditLevel: 'None' });
  try {
    await schedule(plane, trace, pods);
    const { machines, observed } = await dumpOf(plane);
    const tried = observed.map(({ pod }) => pods[indexOf(pod)] as TracePod);
    const cluster = observed.map(({ machine }) => machine);
    const engine = machinesOf(
      replayed(
        machines,
        observed.map(({ pod }) => pod),
      ),
    );
    const asTrace = machinesOf(replayed(trace.machines, tried.map(nounOf)));
    return report(trace, tried, { cluster, engine, asTrace });
  } finally {
    await plane.stop();
  }
}

function wholePods(trace: Trace): TracePod[] {
  const { order } = orderOf(trace, SEED);
  const arriving = order.map((index) => trace.pods[index] as TracePod);
  return arriving.filter(({ cardCount, cardMilli }) => cardCount === 0 || cardMilli === 1000);
}

async function schedule(plane: ControlPlane, trace: Trace, pods: readonly TracePod[]): Promise<void> {
  await addMachines(plane.api, trace.machines.map(nodeOf));
  await inParallel(pods.map(podOf), (pod) => makePod(plane.api, pod));
  const running = await (CONTENDERS[0] as (typeof CONTENDERS)[number]).start(plane);
  try {
    while ((await undecided(plane)) > 0) await untilQuiet(running);
  } finally {
    await running.stop();
  }
}

function nodeOf(machine: Machine): object {
  const { id, cpuMilli, memoryBytes, cards } = machine;
  const labels = { 'nvidia.com/gpu.product': cards[0]?.model ?? '' };
  return nodeObject(id, {
    cards: cards.length,
    cpu: `${cpuMilli}m`,
    memory: String(memoryBytes),
    podsMax: 1001,
    labels,
  });
}

function podOf({ request, cardCount }: TracePod, index: number): object {
  const [cpu, memory] = [`${request.cpuMilli}m`, String(request.memoryBytes)];
  return podObject(nameOf(index), { cards: cardCount, cpu, memory, schedulerName: 'springtide' });
}

function nounOf({ request }: TracePod, index: number): Pod {
  const id = `default/${nameOf(index)}`;
  const of = { namespace: 'default', tenant: 'default', service: '', serviceReplicas: 0 };
  return { id, ...of, labels: new Map(), priority: 0, request };
}

function report(trace: Trace, pods: readonly TracePod[], placements: Readonly<Record<string, Placement>>): boolean {
  const rows = Object.entries(placements).map(([name, placement]) => {
    const placed = pods.filter((_, index) => placement[index] !== null);
    const cards = placed.reduce((sum, { cardCount }) => sum + cardCount, 0);
    return { name, pods: placed.length, cards, allocatedPercent: (100 * cards) / trace.cardCount };
  });
  const { cluster = [], engine = [] } = placements;
  const elsewhere = pods.filter((_, index) => cluster[index] !== engine[index]).length;
  for (const { name, pods: placed, cards, allocatedPercent } of rows) {
    console.log(`${name.padEnd(10)}${placed} of ${pods.length} pods, ${cards} cards, ${allocatedPercent.toFixed(3)} %`);
  }
  console.log(`${elsewhere} pods are elsewhere than in the engine's own replay`);
  writeResult('openb-cluster', { trace: TRACE, seed: SEED, pods: pods.length, rows, elsewhere });
  const [inCluster, byEngine] = rows as [(typeof rows)[number], (typeof rows)[number]];
  const figure = "cards allocated in the cluster less the engine's own replay";
  return holds([
    { figure, value: inCluster.cards - byEngine.cards, min: 0, max: 0 },
    { figure: 'pods that are elsewhere', value: elsewhere, max: 0 },
  ]);
}
