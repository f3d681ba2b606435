import type { GangMembership, GangSource } from '@springtide/ports/cluster';
import { type Fields, fieldsAt, textAt } from '../fields.ts';
import { topologyOf } from '../topology.ts';

export const GANG_COUNT_MAX = 100_000;

const COSCHEDULING = 'scheduling.x-k8s.io/pod-group';
const LABEL_NAME = 'pod-group.scheduling.sigs.k8s.io/name';
const LABEL_MIN = 'pod-group.scheduling.sigs.k8s.io/min-available';
const VOLCANO = ['scheduling.k8s.io/group-name', 'scheduling.volcano.sh/group-name'];
const VOLCANO_MIN = 'scheduling.volcano.sh/group-min-member';
const LWS_NAME = 'leaderworkerset.sigs.k8s.io/name';
const LWS_INDEX = 'leaderworkerset.sigs.k8s.io/group-index';
const LWS_SIZE = 'leaderworkerset.sigs.k8s.io/size';
const LWS_WORKER = 'leaderworkerset.sigs.k8s.io/worker-index';
const LWS_EXCLUSIVE = 'leaderworkerset.sigs.k8s.io/exclusive-topology';
const KUBEFLOW = 'training.kubeflow.org/job-name';
const JOB_SET = 'jobset.sigs.k8s.io/jobset-name';
const JOB_NAME = 'batch.kubernetes.io/job-name';
const JOB_INDEX = 'batch.kubernetes.io/job-completion-index';
/** Ours: what would be a gang by its owner may say that it is none. */
const GANG = 'springtide.io/gang';

/** What a pod says of itself. */
export interface GangAsk {
  readonly spec: Fields;
  readonly namespace: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly annotations: ReadonlyMap<string, string>;
  readonly rackLabels: readonly string[];
  /** A label or an annotation cannot be read. */
  readonly complain: (key: string) => void;
}

export function gangId(source: GangSource, namespace: string, name: string): string {
  return `${source}:${namespace}/${name}`;
}

/** The gang that a pod belongs to: what names a group comes before what only follows from its owner. */
export function gangOf(ask: GangAsk): GangMembership | null {
  const { labels, annotations } = ask;
  const native = textAt(fieldsAt(ask.spec, 'schedulingGroup'), 'podGroupName');
  if (native !== '') return member(ask, 'pod-group', native);
  const coscheduling = labels.get(COSCHEDULING) ?? '';
  if (coscheduling !== '') return member(ask, 'coscheduling', coscheduling);
  const labelled = labels.get(LABEL_NAME) ?? '';
  if (labelled !== '') return member(ask, 'pod-group-labels', labelled, countAt(ask, labels, LABEL_MIN) ?? 1);
  const volcano = VOLCANO.map((key) => annotations.get(key) ?? '').find((name) => name !== '');
  if (volcano !== undefined) return member(ask, 'volcano', volcano, countAt(ask, annotations, VOLCANO_MIN));
  const said = annotations.get(GANG);
  if (said !== undefined && said !== 'true' && said !== 'false') ask.complain(GANG);
  return said === 'false' ? null : gangOfOwner(ask);
}

function gangOfOwner(ask: GangAsk): GangMembership | null {
  const { labels } = ask;
  const leaderWorkerSet = labels.get(LWS_NAME) ?? '';
  if (leaderWorkerSet !== '') return gangOfReplica(ask, leaderWorkerSet);
  const kubeflow = labels.get(KUBEFLOW) ?? '';
  if (kubeflow !== '') return member(ask, 'kubeflow', kubeflow);
  const jobSet = labels.get(JOB_SET) ?? '';
  if (jobSet !== '') return member(ask, 'job-set', jobSet);
  const job = labels.get(JOB_NAME) ?? '';
  return job !== '' && labels.has(JOB_INDEX) ? member(ask, 'indexed-job', job) : null;
}

/** The workers of a replica that has a part of the fleet to itself are made once its leader has a place there. */
function gangOfReplica(ask: GangAsk, set: string): GangMembership | null {
  const { labels, annotations } = ask;
  const isExclusive = annotations.has(LWS_EXCLUSIVE);
  if (isExclusive && labels.get(LWS_WORKER) === '0') return null;
  const size = (countAt(ask, annotations, LWS_SIZE) ?? 1) - (isExclusive ? 1 : 0);
  const replica = member(ask, 'leader-worker-set', `${set}-${labels.get(LWS_INDEX) ?? '0'}`, Math.max(1, size));
  return { ...replica, object: gangId('leader-worker-set', ask.namespace, set) };
}

function member(ask: GangAsk, source: GangSource, name: string, minCount: number | null = null): GangMembership {
  const id = gangId(source, ask.namespace, name);
  return { id, source, name, object: id, minCount, topology: topologyOf(ask.annotations, ask.rackLabels) };
}

/** A count that a label or an annotation tells; null where there is none, or none that makes sense. */
function countAt({ complain }: GangAsk, texts: ReadonlyMap<string, string>, key: string): number | null {
  const text = texts.get(key);
  if (text === undefined) return null;
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= GANG_COUNT_MAX) return count;
  complain(key);
  return null;
}
