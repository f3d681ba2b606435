import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlPlane, type ObjectChange, ObjectWatch } from '@springtide/testkit/controlplane';
import { podObject, Space } from '@springtide/testkit/controlplane/fixtures';
import { type GangFigures, GangLedger } from './ledger.ts';
import type { Party } from './parties.ts';
import { CARDS_PER_MACHINE, type GangPlan, machinesFor } from './plan.ts';

export interface GangRun extends GangFigures {
  readonly machines: number;
  readonly cpuMs: number;
  readonly rssPeakMiB: number;
  /** How busy the machine was in the minute before the start: other work makes all times longer. */
  readonly loadBefore: number;
}

const GANG_LABEL = 'bench.springtide.io/gang';
const CREATED_AT_ONCE = 64;

/**
 * All gangs are there when the scheduler starts, as native PodGroups, on a cluster that holds 60 % of them; members
 * end by themselves. What happens to them is read from the API server. Time runs from the start of the scheduler
 * until the last gang has run, or is over. The control plane is left as it is: it is to be stopped.
 */
export async function runGangs(
  plane: ControlPlane,
  party: Party,
  plan: readonly GangPlan[],
  timeoutMs: number,
): Promise<GangRun> {
  const space = await Space.open(plane);
  const machines = machinesFor(plan);
  await space.addNodes(machines, { cards: CARDS_PER_MACHINE });
  await createAll(plane, space, plan, party.schedulerName);
  const ledger = new GangLedger(plan);
  const watch = new ObjectWatch(plane, `${space.path}/pods`, (change) => see(ledger, change));
  const watching = watch.run();
  const start = await party.prepare(plane);
  const [loadBefore = 0] = loadavg();
  const startMs = performance.now();
  const running = await start();
  try {
    while (!ledger.isOver && performance.now() - startMs < timeoutMs) {
      await sleep(1000);
      ledger.look();
    }
    const figures = ledger.figures(startMs, performance.now());
    const usage = await running.usage();
    return {
      machines,
      ...figures,
      cpuMs: usage?.cpuMs ?? 0,
      rssPeakMiB: Math.round((usage?.rssPeakBytes ?? 0) / 2 ** 20),
      loadBefore,
    };
  } finally {
    watch.end();
    await watching;
    await running.stop();
  }
}

function see(ledger: GangLedger, { type, object: pod }: ObjectChange): void {
  const atMs = performance.now();
  const sight = {
    gang: pod.metadata.labels?.[GANG_LABEL] ?? '',
    name: pod.metadata.name,
    isBound: pod.spec.nodeName !== undefined,
    hasRun: pod.status.phase === 'Running' || pod.status.phase === 'Succeeded',
  };
  if (type === 'DELETED') ledger.lose(sight, atMs);
  else ledger.see(sight, atMs);
}

async function createAll(
  plane: ControlPlane,
  space: Space,
  plan: readonly GangPlan[],
  schedulerName: string,
): Promise<void> {
  const groups = `/apis/scheduling.k8s.io/v1beta1/namespaces/${space.namespace}/podgroups`;
  await inTurns(plan, ({ name, members }) => {
    const spec = { schedulingPolicy: { gang: { minCount: members } } };
    const group = { apiVersion: 'scheduling.k8s.io/v1beta1', kind: 'PodGroup', metadata: { name }, spec };
    return plane.api.create(groups, group);
  });
  const pods = plan.flatMap((gang) => Array.from({ length: gang.members }, (_, i) => podOf(gang, i)));
  await inTurns(pods, ({ name, options }) => {
    const nodeSelector = space.nodeLabels;
    return plane.api.create(`${space.path}/pods`, podObject(name, { ...options, nodeSelector, schedulerName }));
  });
}

function podOf({ name, cardsPerMember, runsForSeconds }: GangPlan, index: number) {
  const options = {
    cards: cardsPerMember,
    cpu: '500m',
    memory: '1Gi',
    labels: { [GANG_LABEL]: name },
    runsFor: `${runsForSeconds}s`,
    spec: { schedulingGroup: { podGroupName: name } },
  };
  return { name: `${name}-${index}`, options };
}

async function inTurns<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < items.length; from += CREATED_AT_ONCE) {
    await Promise.all(items.slice(from, from + CREATED_AT_ONCE).map((item) => act(item)));
  }
}
