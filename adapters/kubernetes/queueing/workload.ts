import type { PodSet, QueuedJob } from '@springtide/core/model';
import type { SeenJob, SeenWorkload } from '@springtide/ports/queueing';
import { InputFault } from '../fault.ts';
import { below, type Fields, fieldsAt, has, integerAt, itemsAt, requiredTextAt, textAt, textsAt } from '../fields.ts';
import { podOf } from '../pod.ts';
import { recordOf } from './record.ts';
import { timeAt } from './times.ts';
import { QUEUEING_VERSION } from './version.ts';

const PRIORITY = { absent: 0, min: -(2 ** 31), max: 2 ** 31 - 1 };
const COUNT = { absent: 1, min: 0, max: 1_000_000 };

/** Throws an `InputFault` where it cannot be read. */
export function workloadObjectOf(object: Fields): SeenWorkload {
  const metadata = fieldsAt(object, 'metadata');
  const spec = fieldsAt(object, 'spec');
  const [namespace, name] = [textAt(metadata, 'namespace') || 'default', requiredTextAt(metadata, 'name')];
  const queue = requiredTextAt(spec, 'queue');
  const id = `${namespace}/${name}`;
  const uid = requiredTextAt(metadata, 'uid');
  const job: QueuedJob = {
    workload: {
      id,
      namespace,
      tenant: namespace,
      queue,
      priority: integerAt(spec, 'priority', PRIORITY),
      labels: new Map(),
      service: '',
      podSets: itemsAt(spec, 'podSets').map((item) => podSetOf(item, namespace, name)),
      gang: true,
      topology: null,
    },
    idempotencyKey: textAt(spec, 'idempotencyKey', uid),
    priorityClass: textAt(spec, 'priorityClass'),
    isPreemptible: spec.values['isPreemptible'] !== false,
    submittedAtMs: timeAt(metadata, 'creationTimestamp') ?? 0,
    deadlineMs: timeAt(spec, 'deadline'),
    minCounts: minCountsOf(spec),
    flavors: textsAt(spec, 'flavors'),
    expectedRunMs: null,
  };
  const sourceUid = textAt(fieldsAt(spec, 'source'), 'uid');
  const record = recordOf(fieldsAt(object, 'status'));
  return {
    id,
    uid,
    version: textAt(metadata, 'resourceVersion'),
    hasSource: has(spec, 'source'),
    sourceUid,
    job,
    record,
    isDeleting: has(metadata, 'deletionTimestamp'),
  };
}

/** Its requests as those of a pod with one container. */
function podSetOf(item: Fields, namespace: string, name: string): PodSet {
  const path = below(item, 'requests');
  const requests = fieldsAt(item, 'requests').values;
  const container = { values: { name: 'main', resources: { requests } }, path };
  const pod = { values: { spec: { containers: [container.values] } }, path: item.path };
  const labels: ReadonlyMap<string, string> = new Map();
  const { request } = podOf(pod, {
    name,
    namespace,
    labels,
    annotations: labels,
    service: '',
    tenant: namespace,
    isBound: false,
    complain: () => {},
  });
  return { name: requiredTextAt(item, 'name'), count: integerAt(item, 'count', COUNT), role: 'worker', request };
}

function minCountsOf(spec: Fields): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of itemsAt(spec, 'podSets')) {
    if (!has(item, 'minCount')) continue;
    const most = integerAt(item, 'count', COUNT);
    const minCount = integerAt(item, 'minCount', COUNT);
    if (minCount < 1 || minCount > most) {
      throw new InputFault('value', below(item, 'minCount'), `a number from 1 to count, ${most}`, minCount);
    }
    counts.set(requiredTextAt(item, 'name'), minCount);
  }
  return counts;
}

/** The Workload of a job, which goes when the job does. What the job asks for stands in its own templates. */
export function workloadFor({ id, source, podSets }: SeenJob, queue: string): { readonly [field: string]: unknown } {
  const { apiVersion, kind, name, uid, namespace } = source;
  const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false };
  return {
    apiVersion: QUEUEING_VERSION,
    kind: 'Workload',
    metadata: {
      name: id.slice(namespace.length + 1),
      namespace,
      ...(uid === '' ? {} : { ownerReferences: [owner] }),
    },
    spec: {
      queue,
      podSets: podSets.map((podSet) => ({ name: podSet.name, count: podSet.count })),
      source: { apiVersion, kind, name, ...(uid === '' ? {} : { uid }) },
    },
  };
}
