import type { TracePod } from '@springtide/adapters/traces';
import { parseDump } from '@springtide/adapters/kubernetes';
import { findTrace, loadTrace, orderOf, type Trace } from '@springtide/lab/replay';
import { type ControlPlane, nodeObject, podObject, startControlPlane } from '@springtide/testkit/controlplane';
import { compareText } from '@springtide/core/base';
import type { Machine, Pod } from '@springtide/core/model';
import { DEFAULT_SERVICE_CAPS, Placer, Tide } from '@springtide/core/placement';
import { Book } from '@springtide/core/state';
import { holds, writeResult } from '../report.ts';
import { CONTENDERS } from '../scheduler/contenders.ts';
import { addMachines, inParallel, makePod, untilQuiet } from '../scheduler/furnish.ts';

const TRACE = 'openb:default';
const SEED = 42;

/** Where each pod is, or null; in the order in which they were made. */
type Placement = readonly (string | null)[];

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
    const engine = replayed(
      machines,
      observed.map(({ pod }) => pod),
    );
    const asTrace = replayed(trace.machines, tried.map(nounOf));
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

/** Pods that have neither a place nor a reason why not. */
async function undecided({ api }: ControlPlane): Promise<number> {
  const { items } = await api.get('/api/v1/namespaces/default/pods?fieldSelector=spec.nodeName%3D');
  const pods = items as { readonly status: { readonly conditions?: readonly unknown[] } }[];
  return pods.filter(({ status }) => (status.conditions ?? []).length === 0).length;
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

const NAME = 'openb-';

function nameOf(index: number): string {
  return `${NAME}${String(index).padStart(5, '0')}`;
}

function indexOf({ id }: Pod): number {
  return Number(id.slice(id.indexOf(NAME) + NAME.length));
}

function nounOf({ request }: TracePod, index: number): Pod {
  const id = `default/${nameOf(index)}`;
  const of = { namespace: 'default', tenant: 'default', service: '', serviceReplicas: 0 };
  return { id, ...of, labels: new Map(), priority: 0, request };
}

interface Item {
  readonly metadata: { readonly name: string; readonly creationTimestamp: string };
}

/** Machines and pods as our own reader of dumps sees them in the end; pods in the order in which they are tried. */
async function dumpOf({ api }: ControlPlane): Promise<{ machines: readonly Machine[]; observed: Observed[] }> {
  const nodes = await api.get('/api/v1/nodes');
  const pods: readonly Item[] = (await api.get('/api/v1/namespaces/default/pods')).items;
  const kinds = (items: readonly object[], kind: string): object[] =>
    items.map((item) => ({ apiVersion: 'v1', kind, ...item }));
  const list = { apiVersion: 'v1', kind: 'List', items: [...kinds(nodes.items, 'Node'), ...kinds(pods, 'Pod')] };
  const dump = parseDump([['cluster', Buffer.from(JSON.stringify(list))]]);
  if (!dump.ok) throw new Error(`the dump cannot be read: ${JSON.stringify(dump.error)}`);
  const madeAt = new Map(pods.map(({ metadata }) => [`default/${metadata.name}`, metadata.creationTimestamp]));
  const keyOf = ({ pod }: Observed): string => `${madeAt.get(pod.id)} ${pod.id}`;
  const observed = dump.value.pods.toSorted((left, right) => compareText(keyOf(left), keyOf(right)));
  return { machines: dump.value.machines, observed };
}

interface Observed {
  readonly pod: Pod;
  readonly machine: string | null;
}

/** The engine alone, pods in order. */
function replayed(machines: readonly Machine[], pods: readonly Pod[]): Placement {
  const book = new Book(machines);
  const placer = new Placer({ book, policy: new Tide(book), serviceCaps: DEFAULT_SERVICE_CAPS });
  return pods.map((pod) => {
    const decision = placer.place(pod);
    return decision.ok ? (book.machines[decision.holding.machine]?.id ?? null) : null;
  });
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
