import type { Request, TopologyRequest } from '@springtide/core/model';
import type { JobSource, QueueAsk } from '@springtide/ports/queueing';
import { InputFault } from '../fault.ts';
import { below, type Fields, fieldsAt, has, itemsAt, textAt, textMapAt } from '../fields.ts';
import { RACK_LABELS } from '../node.ts';
import { readPod } from '../observed-pod.ts';
import { topologyOf } from '../topology.ts';
import { isTrue, OWNER_KINDS } from './kinds.ts';
import { ADMISSION_GATE, BEFORE_ADMISSION, controllerKindOf, firstOf, metadataOf, queueAskOf } from './labels.ts';
import { sourceOf } from './read-job.ts';

/** A pod that is queued: by itself, or with the others of its group. */
export interface QueuedPod {
  readonly source: JobSource;
  readonly ask: QueueAsk;
  readonly labels: ReadonlyMap<string, string>;
  /** Empty: it is by itself. */
  readonly group: string;
  /** Pods that the group has when it is complete. */
  readonly total: number;
  /** The part that it plays in its group, where it says so; empty: pods that ask alike are a set. */
  readonly role: string;
  readonly request: Request;
  readonly topology: TopologyRequest | null;
  readonly createdAtMs: number;
  readonly isGated: boolean;
  readonly isDeleting: boolean;
  readonly isReady: boolean;
  readonly ended: 'no' | 'done' | 'failed';
  readonly tolerations: readonly unknown[];
}

const GROUP_NAMES = ['springtide.io/pod-group', 'kueue.x-k8s.io/pod-group-name'];
const GROUP_TOTALS = ['springtide.io/pod-group-total-count', 'kueue.x-k8s.io/pod-group-total-count'];
const SET_NAME = 'leaderworkerset.sigs.k8s.io/name';
const SET_GROUP = 'leaderworkerset.sigs.k8s.io/group-index';
const SET_WORKER = 'leaderworkerset.sigs.k8s.io/worker-index';
const SET_SIZE = 'leaderworkerset.sigs.k8s.io/size';

/**
 * Null: it names no queue, a job has made it that is queued itself, or it was never held at our gate. Throws an
 * `InputFault` where it cannot be read.
 */
export function readQueuedPod(object: Fields): QueuedPod | null {
  const metadata = metadataOf(object);
  const ask = queueAskOf(metadata);
  if (ask === null || OWNER_KINDS.has(controllerKindOf(metadata))) return null;
  const annotations = textMapAt(metadata, 'annotations');
  const spec = fieldsAt(object, 'spec');
  const isGated = itemsAt(spec, 'schedulingGates').some((gate) => textAt(gate, 'name') === ADMISSION_GATE);
  if (!isGated && !annotations.has(BEFORE_ADMISSION)) return null;
  const { pod, phase, isDeleting } = readPod(object, { tenantLabel: '' });
  const source = { ...sourceOf({ ...object, values: { apiVersion: 'v1', kind: 'Pod', ...object.values } }) };
  return {
    source,
    ask: { ...ask, priorityClass: ask.priorityClass || textAt(spec, 'priorityClassName') },
    labels: pod.labels,
    ...groupOf(metadata, pod.labels, annotations),
    request: pod.request,
    topology: topologyOf(annotations, RACK_LABELS),
    createdAtMs: Date.parse(textAt(metadata, 'creationTimestamp')) || 0,
    isGated,
    isDeleting,
    isReady: isTrue(fieldsAt(object, 'status'), 'Ready'),
    ended: phase === 'Succeeded' ? 'done' : phase === 'Failed' ? 'failed' : 'no',
    tolerations: has(spec, 'tolerations') ? itemsAt(spec, 'tolerations').map(({ values }) => values) : [],
  };
}

type Group = Pick<QueuedPod, 'group' | 'total' | 'role'>;

/** A replica of a LeaderWorkerSet is a group without being told. */
function groupOf(
  metadata: Fields,
  labels: ReadonlyMap<string, string>,
  annotations: ReadonlyMap<string, string>,
): Group {
  const group = firstOf(labels, GROUP_NAMES);
  if (group !== '') return { group, total: totalAt(metadata, annotations, GROUP_TOTALS), role: '' };
  const set = labels.get(SET_NAME) ?? '';
  if (set === '') return { group: '', total: 1, role: '' };
  const role = labels.get(SET_WORKER) === '0' ? 'leader' : 'worker';
  return { group: `${set}-${labels.get(SET_GROUP) ?? '0'}`, total: totalAt(metadata, annotations, [SET_SIZE]), role };
}

/** More pods in one group than any cluster runs are taken for a mistake. */
const TOTAL = /^[1-9]\d{0,4}$/;

function totalAt(metadata: Fields, annotations: ReadonlyMap<string, string>, keys: readonly string[]): number {
  const text = firstOf(annotations, keys);
  if (TOTAL.test(text)) return Number(text);
  const key = keys.find((each) => annotations.has(each)) ?? keys[0] ?? '';
  const path = { parent: below(metadata, 'annotations'), key };
  throw new InputFault(
    text === '' ? 'missing' : 'value',
    path,
    'the number of pods in the group',
    annotations.get(key),
  );
}
