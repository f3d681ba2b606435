import { loadavg } from 'node:os';
import type { TracePod } from '@springtide/adapters/traces';
import type { Machine } from '@springtide/core/model';
import { type AgentNodes, Churn, type ChurnPlan, NodeAgents, pluginVendor } from '@springtide/lab/device-plugin';
import { findTrace, loadTrace, orderOf, type Trace } from '@springtide/lab/replay';
import { type ControlPlane, nodeObject, podObject, startControlPlane } from '@springtide/testkit/controlplane';
import { Space, until } from '@springtide/testkit/controlplane/fixtures';
import { dumpOf, nameOf, type Observed, type Place, replayed, undecided } from '../openb-cluster/replayed.ts';
import { holds, writeResult } from '../report.ts';
import { CONTENDERS } from '../scheduler/contenders.ts';
import { addMachines, inParallel, makePod, untilQuiet } from '../scheduler/furnish.ts';

const TRACE = 'openb:default';
const SEED = 42;
/** One machine of so many: one process plays the plug-ins of all. */
const FLEET_PART = 8;
/** Pods come until they have asked for so much of the cards. */
const DEMAND = 1.3;
const NVIDIA = pluginVendor('nvidia');

const CHURN: ChurnPlan = {
  seed: 2,
  pods: 2000,
  nodesPerVendor: 3,
  cardsPerNode: 8,
  podsAtOnce: 300,
  schedulerKills: 5,
  pluginKills: 5,
};

/**
 * Slices through a real API server: openb's pods that share cards, on nodes with HAMi's plug-in, are to be on the very
 * cards where the engine's own replay puts them. Then pods of five vendors come and go while schedulers and plug-ins are
 * killed.
 */
export async function slicesCluster(data: string): Promise<boolean> {
  const files = findTrace(data, TRACE);
  if (files === null) throw new Error(`no trace ${TRACE} in ${data}`);
  const [loadBefore = 0] = loadavg();
  const packing = await packed(loadTrace(files));
  const churn = await churned();
  writeResult('slices-cluster', { trace: TRACE, seed: SEED, loadBefore, packing, churnPlan: CHURN, churn });
  return holds([
    { figure: 'pods on other cards than in the replay', value: packing.elsewhere, max: 0 },
    { figure: 'cards beyond what they have, at any moment', value: churn.broken.length, max: 0 },
    { figure: 'locks left', value: churn.locksLeft.length, max: 0 },
    { figure: 'pods stuck', value: churn.stuck.length, max: 0 },
    { figure: 'pods that a plug-in took for another', value: churn.mistaken, max: 0 },
  ]);
}

async function packed(trace: Trace) {
  const machines = trace.machines.filter((_, index) => index % FLEET_PART === 0);
  const pods = sharingPods(trace, machines);
  const plane = await startControlPlane({ auditLevel: 'None' });
  try {
    const seconds = await schedule(plane, machines, pods);
    const refused = await bindsRefused(plane);
    const { machines: seen, observed } = await dumpOf(plane);
    const engine = replayed(
      seen,
      observed.map(({ pod }) => pod),
    );
    const cards = seen.reduce((sum, machine) => sum + machine.cards.length, 0);
    const cluster = observed.map(placeOf);
    const elsewhere = engine.filter((place, index) => textOf(place) !== textOf(cluster[index] ?? null)).length;
    const rows = Object.entries({ cluster, engine }).map(([name, places]) => rowOf(name, places, observed, cards));
    for (const { name, pods: placed, allocatedPercent } of rows) {
      console.log(
        `${name.padEnd(9)}${placed} of ${pods.length} pods, ${allocatedPercent.toFixed(3)} % of ${cards} cards`,
      );
    }
    console.log(`${elsewhere} pods are on other cards than in the engine's own replay; ${seconds.toFixed(1)} s`);
    if (refused > 0) console.log(`${refused} binds were refused, so that pods were not placed in order`);
    return { machines: machines.length, cards, pods: pods.length, rows, elsewhere, bindsRefused: refused, seconds };
  } finally {
    await plane.stop();
  }
}

/** In the published order, those that share a card. */
function sharingPods(trace: Trace, machines: readonly Machine[]): TracePod[] {
  const arriving = orderOf(trace, SEED).order.map((index) => trace.pods[index] as TracePod);
  const sharing = arriving.filter(({ cardCount, cardMilli }) => cardCount === 1 && cardMilli < 1000);
  let leftMilli = DEMAND * 1000 * machines.reduce((sum, { cards }) => sum + cards.length, 0);
  return sharing.filter(({ cardMilli }) => (leftMilli -= cardMilli) >= 0);
}

/** Seconds from the scheduler's start until the last pod that fits runs. */
async function schedule(plane: ControlPlane, machines: readonly Machine[], pods: readonly TracePod[]): Promise<number> {
  await addMachines(plane.api, machines.map(nodeOf));
  const agents = await NodeAgents.start(plane, groupsOf(machines));
  await inParallel(pods.map(podOf), (pod) => makePod(plane.api, pod));
  const startMs = performance.now();
  const running = await (CONTENDERS[0] as (typeof CONTENDERS)[number]).start(plane);
  try {
    await until('every pod has a place or a reason', async () => (await undecided(plane)) === 0, 900_000);
    await until('whatever is bound runs', async () => (await boundPods(plane)) === agents.counts.started, 900_000);
    const seconds = (performance.now() - startMs) / 1000;
    await untilQuiet(running);
    return seconds;
  } finally {
    await running.stop();
    await agents.kill();
  }
}

/** Pods that a machine did not take when they were placed there: its lock stood too long. */
async function bindsRefused({ api }: ControlPlane): Promise<number> {
  const path = '/apis/events.k8s.io/v1/namespaces/default/events?fieldSelector=reason%3DFailedBinding';
  return (await api.get(path)).items.length;
}

async function boundPods({ api }: ControlPlane): Promise<number> {
  const { items } = await api.get('/api/v1/namespaces/default/pods?fieldSelector=spec.nodeName%21%3D');
  return items.length;
}

function nodeOf({ id, cpuMilli, memoryBytes }: Machine): object {
  return nodeObject(id, { cpu: `${cpuMilli}m`, memory: String(memoryBytes), podsMax: 1001, isPlayed: false });
}

/** Nodes by how many cards they have. */
function groupsOf(machines: readonly Machine[]): AgentNodes[] {
  const groups = Map.groupBy(machines, ({ cards }) => cards.length);
  return Array.from(groups, ([cardsPerNode, those]) => {
    return { vendor: NVIDIA, cardsPerNode, nodes: those.map(({ id }) => id) };
  });
}

function podOf({ request, cardMilli }: TracePod, index: number): object {
  const percent = String(cardMilli / 10);
  return podObject(nameOf(index), {
    cards: 1,
    resources: { 'nvidia.com/gpumem-percentage': percent, 'nvidia.com/gpucores': percent },
    cpu: `${request.cpuMilli}m`,
    memory: String(request.memoryBytes),
    schedulerName: 'springtide',
  });
}

function placeOf({ machine, held }: Observed): Place | null {
  return machine === null ? null : { machine, cards: (held ?? []).map(({ cardId }) => cardId) };
}

function textOf(place: Place | null): string {
  return place === null ? '' : `${place.machine} ${place.cards.join(' ')}`;
}

function rowOf(name: string, places: readonly (Place | null)[], observed: readonly Observed[], cards: number) {
  const placed = observed.filter((_, index) => places[index] !== null);
  const milli = placed.reduce((sum, { pod: { request } }) => {
    return sum + (request.cards.kind === 'slice' ? request.cards.computeMilli : 0);
  }, 0);
  return { name, pods: placed.length, allocatedPercent: milli / 10 / cards };
}

async function churned() {
  const plane = await startControlPlane({ auditLevel: 'None' });
  try {
    const figures = await new Churn(plane, await Space.open(plane), CHURN).run();
    const { ran, failed, deletedEarly, seconds, podsPerSecond } = figures;
    console.log(`${ran} pods ran, ${deletedEarly} were deleted before, ${failed} failed with their plug-in`);
    console.log(
      `${seconds.toFixed(1)} s, ${podsPerSecond.toFixed(1)} pods a second; ${figures.broken.length} breaches`,
    );
    return figures;
  } finally {
    await plane.stop();
  }
}
