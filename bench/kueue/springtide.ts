import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { QUEUEING_DEFINITIONS } from '@springtide/adapters/kubernetes/install';
import type { ControlPlane } from '@springtide/testkit/controlplane';
import type { Contender, Patch, SeenWorkload, Stage } from './contender.ts';
import { startProgram } from '../program.ts';
import { type Plan, queuesOf, type WorkloadClass } from './plan.ts';

const GROUP = '/apis/springtide.io/v1alpha1';
const VERSION = 'springtide.io/v1alpha1';
const FLAVOR = 'rf';
const PROGRAM = fileURLToPath(new URL('../../cli/springtide.js', import.meta.url));

/**
 * The program `springtide queue-controller` with its defaults, which admits by quota alone as Kueue does. Work that has
 * begun is left alone for ten minutes, so that nothing is evicted here.
 */
export const springtide: Contender = {
  name: 'springtide',
  furnish,
  start: (plane) => {
    const place = ['--kubeconfig', plane.adminKubeconfig, '--listen', '127.0.0.1:0', '--lease-namespace', 'default'];
    const words = ['queue-controller', '--gate-only', ...place];
    const logFile = join(plane.folder, 'queue-controller.log');
    return startProgram({ name: 'springtide', command: process.execPath, words: [PROGRAM, ...words], logFile });
  },
  watched: `${GROUP}/workloads`,
  pathOf: ({ name }) => `${GROUP}/namespaces/${name}/workloads`,
  workload: (name, queue, kind) => ({
    apiVersion: VERSION,
    kind: 'Workload',
    metadata: { name },
    spec: { queue: queue.name, priority: kind.priority, podSets: [podSetOf(kind)] },
  }),
  stageOf,
  finish,
  settle: () => null,
};

async function furnish(plane: ControlPlane, plan: Plan): Promise<void> {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const definition of QUEUEING_DEFINITIONS) await plane.api.create(definitions, definition);
  await plane.kubectl(['wait', '--for=condition=Established', 'crd', '--all']);
  await make(plane, 'Flavor', 'flavors', FLAVOR, {});
  const queues = queuesOf(plan);
  for (const cohort of new Set(queues.map((queue) => queue.cohort))) await make(plane, 'Cohort', 'cohorts', cohort, {});
  const quota = { name: 'cpu', nominal: plan.nominalCpu, borrowingLimit: plan.borrowingCpu };
  for (const { name, cohort } of queues) {
    const flavors = [{ name: FLAVOR, resources: [quota] }];
    await make(plane, 'Queue', 'queues', name, { cohort, namespaceSelector: {}, flavors });
    await plane.api.create('/api/v1/namespaces', { metadata: { name } });
  }
}

function make(plane: ControlPlane, kind: string, plural: string, name: string, spec: object): Promise<unknown> {
  return plane.api.create(`${GROUP}/${plural}`, { apiVersion: VERSION, kind, metadata: { name }, spec });
}

function podSetOf({ cpu }: WorkloadClass): object {
  return { name: 'main', count: 1, requests: { cpu } };
}

function stageOf({ status }: SeenWorkload): Stage {
  switch (status?.state) {
    case 'done':
      return 'finished';
    case 'admitted':
    case 'running':
      return 'admitted';
    default:
      return status?.leaves === undefined ? 'waiting' : 'evicted';
  }
}

/** Whoever has made a Workload with no job behind it says when it is done. */
function finish({ metadata: { namespace, name } }: SeenWorkload): Patch {
  return { path: `${GROUP}/namespaces/${namespace}/workloads/${name}/status`, body: { status: { state: 'done' } } };
}
