import type { PodSet } from '@springtide/core/model';
import { compareText } from '@springtide/core/base';
import type { PodSetPlacement, SeenJob } from '@springtide/ports/queueing';
import type { ApiRequest } from '../client/api-client.ts';
import { ADMISSION_GATE, BEFORE_ADMISSION } from './labels.ts';
import { workloadNameOf } from './read-job.ts';
import type { QueuedPod } from './read-pod.ts';
import { writtenFields } from './steps.ts';

/** Pods by the set that they are of, in order of their names. */
function setsOf(pods: readonly QueuedPod[]): ReadonlyMap<string, readonly QueuedPod[]> {
  const inOrder = pods.toSorted((left, right) => compareText(left.source.name, right.source.name));
  const alike = Map.groupBy(inOrder, (pod) => pod.role || askKey(pod));
  const names = [...alike].map(([, members], index): [string, readonly QueuedPod[]] => {
    const role = members[0]?.role ?? '';
    return [role || (alike.size === 1 ? 'main' : `main-${index}`), members];
  });
  return new Map(names);
}

/** What a pod asks for, as text; where it may go is its own. */
function askKey({ request: { cpuMilli, memoryBytes, resources, cards } }: QueuedPod): string {
  return JSON.stringify([
    cpuMilli,
    memoryBytes,
    [...resources].toSorted(([left], [right]) => compareText(left, right)),
    cards,
  ]);
}

/** The key of the group that a pod is in: by itself, or with others. */
export function groupKeyOf({ source, group }: QueuedPod): string {
  return group === '' ? `${source.namespace}/pod/${source.name}` : `${source.namespace}/group/${group}`;
}

/**
 * The pods of one group that are there as one job; `pods` has at least one. Those that have ended and were replaced do
 * not count: of more than the total, the ended ones are left out first.
 */
export function jobOfPods(all: readonly QueuedPod[]): SeenJob {
  const pods = counted(all);
  const [first] = pods as readonly [QueuedPod, ...QueuedPod[]];
  const { source, group, total } = first;
  const name = group || source.name;
  const ofGroup = group === '' ? source : { ...source, name, uid: '' };
  const ended = endOf(pods, total);
  const sets = setsOf(pods);
  const active = pods.filter((pod) => pod.ended === 'no' && !pod.isDeleting);
  return {
    id: `${source.namespace}/${workloadNameOf({ kind: group === '' ? 'pod' : 'group', name, uid: group || source.uid })}`,
    source: ofGroup,
    ask: first.ask,
    labels: first.labels,
    podSets: [...sets].map(([podSet, members]): PodSet => {
      return { name: podSet, count: members.length, role: 'worker', request: (members[0] as QueuedPod).request };
    }),
    minCounts: new Map(),
    topology: pods.find(({ topology }) => topology !== null)?.topology ?? null,
    createdAtMs: Math.min(...pods.map(({ createdAtMs }) => createdAtMs)),
    isDeleting: pods.every(({ isDeleting }) => isDeleting),
    isSuspended: active.every(({ isGated }) => isGated),
    isRestored: true,
    ended,
    progress: null,
    isReady: pods.filter((pod) => pod.isReady || pod.ended === 'done').length >= total,
    isIdle: pods.every((pod) => pod.ended !== 'no' || (pod.isGated && !pod.isDeleting)),
    podsMissing: Math.max(0, total - pods.length),
    pods: new Map([...sets].flatMap(([podSet, members]) => members.map((pod) => [pod.source.uid, podSet]))),
  };
}

function counted(pods: readonly QueuedPod[]): readonly QueuedPod[] {
  const total = pods[0]?.total ?? 0;
  const byWorth = pods.toSorted((left, right) => Number(left.ended === 'failed') - Number(right.ended === 'failed'));
  return byWorth.slice(0, total);
}

/** Pods that failed are not begun again by themselves. */
function endOf(pods: readonly QueuedPod[], total: number): SeenJob['ended'] {
  if (pods.length < total || pods.some(({ ended }) => ended === 'no')) return 'no';
  return pods.some(({ ended }) => ended === 'failed') ? 'failed' : 'done';
}

/** Takes the gate away from each pod that waits at it, and puts on it what its flavor asks for. */
export function openGates(pods: readonly QueuedPod[], placements: readonly PodSetPlacement[]): ApiRequest[] {
  return [...setsOf(counted(pods))].flatMap(([podSet, members]) => {
    const placement = placements.find((each) => each.podSet === podSet);
    return members.filter(({ isGated, isDeleting }) => isGated && !isDeleting).map((pod) => openGate(pod, placement));
  });
}

const NO_PLACEMENT: Omit<PodSetPlacement, 'podSet' | 'count'> = {
  nodeSelector: new Map(),
  tolerations: [],
  annotations: new Map(),
  avoids: [],
};

/** Of a pod that waits at a gate, selectors may be narrowed and tolerations be added. */
function openGate(pod: QueuedPod, { nodeSelector, tolerations, annotations } = NO_PLACEMENT): ApiRequest {
  const added = tolerations.map(writtenFields);
  const spec = {
    schedulingGates: [{ $patch: 'delete', name: ADMISSION_GATE }],
    ...(nodeSelector.size === 0 ? {} : { nodeSelector: Object.fromEntries(nodeSelector) }),
    ...(added.length === 0 ? {} : { tolerations: [...pod.tolerations, ...added] }),
  };
  const metadata = {
    uid: pod.source.uid,
    annotations: { ...Object.fromEntries(annotations), [BEFORE_ADMISSION]: 'gated' },
  };
  const body = { metadata, spec };
  return { method: 'PATCH', path: pathOf(pod), contentType: 'application/strategic-merge-patch+json', body };
}

/** A pod that was placed cannot wait at a gate again: it goes, and whoever keeps it makes another, which waits. */
export function removePods(pods: readonly QueuedPod[]): ApiRequest[] {
  return pods
    .filter(({ isGated, isDeleting, ended }) => !isGated && !isDeleting && ended === 'no')
    .map((pod) => ({ method: 'DELETE', path: pathOf(pod), body: { preconditions: { uid: pod.source.uid } } }));
}

function pathOf({ source: { namespace, name } }: QueuedPod): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
}
