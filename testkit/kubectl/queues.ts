import { kubeNode, kubePod, type Json } from './objects.ts';

/** Queues of ours and what waits in them, as kubectl prints them, in the namespace `t` and at one time. */

export const QUEUES_SEEN_AT = '2026-12-01T08:00:00Z';
const OURS = 'springtide.io/v1alpha1';

export const kubeFlavor = (name: string, spec: Json = {}): Json => ({
  apiVersion: OURS,
  kind: 'Flavor',
  metadata: { name },
  spec: { nodeSelector: { model: name }, cardMemoryMiB: 81_920, ...spec },
});

export const kubeCohort = (name: string, spec: Json = {}): Json => ({
  apiVersion: OURS,
  kind: 'Cohort',
  metadata: { name },
  spec,
});

/** `cards`: nominal of each flavor; with limits where it is an object. */
export function kubeQueue(name: string, cards: Readonly<Record<string, number | Json>>, spec: Json = {}): Json {
  const flavors = Object.entries(cards).map(([id, own]) => ({
    name: id,
    resources: [{ name: 'cards', ...(typeof own === 'number' ? { nominal: own } : own) }],
  }));
  return {
    apiVersion: OURS,
    kind: 'Queue',
    metadata: { name },
    spec: { cohort: 'research', namespaceSelector: {}, flavors, ...spec },
  };
}

const ago = (minutes: number): string => new Date(Date.parse(QUEUES_SEEN_AT) - minutes * 60_000).toISOString();

/** A Job of pods of so many cards each. */
export function kubeQueuedJob(name: string, inQueue: string, pods: number, cards: number, part: Json = {}): Json {
  const resources = { requests: { 'nvidia.com/gpu': String(cards) }, limits: { 'nvidia.com/gpu': String(cards) } };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace: 't',
      uid: `uid-${name}`,
      creationTimestamp: ago(30),
      labels: { 'springtide.io/queue-name': inQueue },
      ...part,
    },
    spec: {
      suspend: true,
      completionMode: 'Indexed',
      parallelism: pods,
      completions: pods,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'x', resources }] } },
    },
  };
}

/** The Workload of a job, with what was decided. */
function workload(name: string, inQueue: string, status: Json): Json {
  return {
    apiVersion: OURS,
    kind: 'Workload',
    metadata: { name: `job-${name}`, namespace: 't', uid: `w-${name}`, creationTimestamp: ago(30) },
    spec: {
      queue: inQueue,
      podSets: [{ name: 'main', count: 1 }],
      source: { apiVersion: 'batch/v1', kind: 'Job', name, uid: `uid-${name}` },
    },
    status,
  };
}

export const runningStatus = (machine: string, minutes: number, on = 'a100'): Json => ({
  state: 'running',
  since: ago(minutes),
  startedAt: ago(minutes),
  incarnation: 1,
  podSets: [{ podSet: 'main', count: 1, flavor: on, charged: { cards: on }, machines: [{ name: machine }] }],
});

/** A job that runs: its object goes on, and its pod is on the machine. */
export function kubeRunningJob(name: string, inQueue: string, machine: string, cards: number, minutes: number): Json[] {
  const object = kubeQueuedJob(name, inQueue, 1, cards);
  const spec = { ...(object['spec'] as Json), suspend: false };
  const pod = kubePod(`t/${name}-0`, machine, {
    requests: { 'nvidia.com/gpu': String(cards) },
    owner: { kind: 'Job', name },
    metadata: { uid: `pod-${name}` },
  });
  const owned = pod['metadata'] as Json;
  owned['ownerReferences'] = [{ apiVersion: 'batch/v1', kind: 'Job', name, uid: `uid-${name}`, controller: true }];
  return [
    { ...object, spec, status: { active: 1, ready: 1 } },
    workload(name, inQueue, runningStatus(machine, minutes)),
    pod,
  ];
}

export const queueNode = (name: string, model = 'a100', cards = '8'): Json =>
  kubeNode(name, { labels: { model }, capacity: { 'nvidia.com/gpu': cards } });

/** Two machines of eight A100 and one of eight H100. */
export const QUEUES_FLEET: readonly Json[] = [queueNode('m0'), queueNode('m1'), queueNode('n0', 'h100')];

/** Two queues of a cohort: `left` owns eight of each, `right` eight A100. */
export const QUEUES_QUOTAS: readonly Json[] = [
  kubeFlavor('a100', { priceMicrosPerCardHour: 2_000_000 }),
  kubeFlavor('h100', { priceMicrosPerCardHour: 5_000_000 }),
  kubeCohort('research'),
  kubeQueue('left', { a100: 8, h100: 8 }),
  kubeQueue('right', { a100: 8, h100: 0 }),
];

/** All A100 are held by `left`, which has borrowed eight; a job of `right` asks for sixteen of a kind, and waits. */
export const QUEUES_BUSY: readonly Json[] = [
  ...QUEUES_FLEET,
  ...QUEUES_QUOTAS,
  ...kubeRunningJob('r0', 'left', 'm0', 8, 20),
  ...kubeRunningJob('r1', 'left', 'm1', 8, 10),
  kubeQueuedJob('w', 'right', 2, 8),
];
