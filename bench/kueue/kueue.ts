import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlPlane } from '@springtide/testkit/controlplane';
import type { Kueue } from '@springtide/testkit/kueue';
import type { Condition, Contender, MadeWorkload, Patch, SeenWorkload, Stage } from './contender.ts';
import { startProgram } from '../program.ts';
import { type Plan, type PlannedQueue, queuesOf, type WorkloadClass } from './plan.ts';

const GROUP = '/apis/kueue.x-k8s.io/v1beta2';
const FLAVOR = 'rf';

/** Kueue as its own performance harness runs it: 50 requests a second and kind, a burst of 100. */
export function kueueWithLimits(kueue: Kueue): Contender {
  return {
    name: 'kueue',
    furnish: (plane, plan) => furnish(plane, plan, kueue.crdFolder),
    start: ({ adminKubeconfig, folder }) =>
      startProgram({
        name: 'minimalkueue',
        command: kueue.minimal,
        words: [`--kubeconfig=${adminKubeconfig}`],
        logFile: join(folder, 'minimalkueue.log'),
      }),
    watched: `${GROUP}/workloads`,
    pathOf: ({ name }) => `${GROUP}/namespaces/${name}/workloads`,
    workload,
    stageOf,
    finish,
    settle,
  };
}

async function furnish(plane: ControlPlane, plan: Plan, crdFolder: string): Promise<void> {
  for (const file of readdirSync(crdFolder)) {
    // Its kinds are too large for `apply`, which keeps a copy in an annotation.
    await plane.kubectl(['create', '-f', '-'], readFileSync(join(crdFolder, file), 'utf8'));
  }
  await plane.kubectl(['wait', '--for=condition=Established', 'crd', '--all']);
  await plane.api.create(`${GROUP}/resourceflavors`, {
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind: 'ResourceFlavor',
    metadata: { name: FLAVOR },
  });
  for (const queue of queuesOf(plan)) await addQueue(plane, plan, queue);
}

async function addQueue(plane: ControlPlane, plan: Plan, { name, cohort }: PlannedQueue): Promise<void> {
  const quota = { name: 'cpu', nominalQuota: `${plan.nominalCpu}`, borrowingLimit: `${plan.borrowingCpu}` };
  await plane.api.create(`${GROUP}/clusterqueues`, {
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind: 'ClusterQueue',
    metadata: { name },
    spec: {
      cohortName: cohort,
      namespaceSelector: {},
      queueingStrategy: 'BestEffortFIFO',
      preemption: { reclaimWithinCohort: 'Any', withinClusterQueue: 'LowerPriority' },
      resourceGroups: [{ coveredResources: ['cpu'], flavors: [{ name: FLAVOR, resources: [quota] }] }],
    },
  });
  await plane.api.create('/api/v1/namespaces', { metadata: { name } });
  await plane.api.create(`${GROUP}/namespaces/${name}/localqueues`, {
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind: 'LocalQueue',
    metadata: { name },
    spec: { clusterQueue: name },
  });
}

/** As the harness makes it: one pod set of one pod, made directly, with no job behind it. */
function workload(name: string, queue: PlannedQueue, { cpu, priority }: WorkloadClass): MadeWorkload {
  const container = { name: 'c', image: 'pause', resources: { requests: { cpu: `${cpu}` } } };
  return {
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind: 'Workload',
    metadata: { name },
    spec: {
      active: true,
      queueName: queue.name,
      priority,
      podSets: [{ name: 'main', count: 1, template: { spec: { restartPolicy: 'Never', containers: [container] } } }],
    },
  };
}

function stageOf({ status }: SeenWorkload): Stage {
  if (isTrue(status, 'Finished')) return 'finished';
  if (isTrue(status, 'Evicted')) return 'evicted';
  return isTrue(status, 'Admitted') ? 'admitted' : 'waiting';
}

function isTrue(status: SeenWorkload['status'], type: string): boolean {
  return (status?.conditions ?? []).some((each) => each.type === type && each.status === 'True');
}

function finish(seen: SeenWorkload): Patch {
  return statusPatch(seen, [condition('Finished', 'True', 'ByTest')], {});
}

/** A job's controller takes the reservation back when its pods are gone, as the harness does at once. */
function settle(seen: SeenWorkload): Patch | null {
  if (!isTrue(seen.status, 'QuotaReserved')) return null;
  const conditions = [condition('QuotaReserved', 'False', 'Pending'), condition('Admitted', 'False', 'NoReservation')];
  return statusPatch(seen, conditions, { admission: null });
}

function condition(type: string, status: 'True' | 'False', reason: string): Condition {
  const written = { reason, message: 'By the benchmark', lastTransitionTime: new Date().toISOString() };
  return { type, status, ...written };
}

function statusPatch(seen: SeenWorkload, changed: readonly Condition[], rest: object): Patch {
  const { namespace, name, resourceVersion } = seen.metadata;
  const kept = (seen.status?.conditions ?? []).filter((old) => changed.every(({ type }) => type !== old.type));
  return {
    path: `${GROUP}/namespaces/${namespace}/workloads/${name}/status`,
    // Conditions are one list: it is written only over the one that was read.
    body: { metadata: { resourceVersion }, status: { ...rest, conditions: [...kept, ...changed] } },
  };
}
