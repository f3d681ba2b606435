import type { GangObject, GangSource } from '@springtide/ports/cluster';
import { type Fields, fieldsAt, fieldsOf, has, integerAt, itemsAt, requiredTextAt, textAt } from '../fields.ts';
import { levelOf } from '../topology.ts';
import { GANG_COUNT_MAX, gangId } from './gang-membership.ts';

const COUNT = { absent: 1, min: 0, max: GANG_COUNT_MAX };

interface GangTerms {
  readonly minCount: number;
  readonly isStaged?: boolean;
  readonly topologyKey?: string;
  readonly isEvictedWhole?: boolean;
  readonly priorityClassName?: string;
}

/** The gang that an object describes; null where it describes none. Throws an `InputFault` if it cannot be read. */
export type GangReader = (object: Fields, rackLabels: readonly string[]) => GangObject | null;

/** `scheduling.k8s.io` v1beta1 and the alpha versions before it. */
export const nativePodGroup = reader('pod-group', (spec) => {
  const policy = fieldsAt(spec, 'schedulingPolicy');
  const [topology] = itemsAt(fieldsAt(spec, 'schedulingConstraints'), 'topology');
  return {
    minCount: has(policy, 'gang') ? integerAt(fieldsAt(policy, 'gang'), 'minCount', COUNT) : 1,
    topologyKey: topology === undefined ? '' : textAt(topology, 'key'),
    isEvictedWhole: isAll(spec.values['disruptionMode']),
    priorityClassName: textAt(spec, 'priorityClassName'),
  };
});

/** An object with the field `all`, or in older versions the word `PodGroup`. */
function isAll(mode: unknown): boolean {
  return mode === 'PodGroup' || (typeof mode === 'object' && mode !== null && 'all' in mode);
}

/** `scheduling.x-k8s.io` and Volcano. */
export const coschedulingPodGroup = reader('coscheduling', memberTerms);
export const volcanoPodGroup = reader('volcano', memberTerms);

function memberTerms(spec: Fields): GangTerms {
  return { minCount: integerAt(spec, 'minMember', COUNT), priorityClassName: textAt(spec, 'priorityClassName') };
}

/**
 * A Job whose members are told apart and all run at once is a gang, as Kubernetes' own rule has it; one that works
 * through its indexes a few at a time is none.
 */
export const indexedJob = reader('indexed-job', (spec) => {
  if (textAt(spec, 'completionMode') !== 'Indexed') return null;
  const parallelism = integerAt(spec, 'parallelism', COUNT);
  const completions = integerAt(spec, 'completions', COUNT);
  return { minCount: parallelism === completions ? parallelism : 1 };
});

/** All jobs of a set together; of a set that starts in order, those that wait for no other. */
export const jobSet = reader('job-set', (spec) => {
  const all = itemsAt(spec, 'replicatedJobs');
  const isInOrder = textAt(fieldsAt(spec, 'startupPolicy'), 'startupPolicyOrder') === 'InOrder';
  const first = isInOrder ? all.slice(0, 1) : all.filter((item) => itemsAt(item, 'dependsOn').length === 0);
  const counts = first.map((item) => {
    const job = fieldsAt(fieldsAt(item, 'template'), 'spec');
    return integerAt(item, 'replicas', COUNT) * integerAt(job, 'parallelism', COUNT);
  });
  return { minCount: sum(counts) };
});

/** Each replica of a set is a gang of its own, whose size its pods tell. */
export const leaderWorkerSet = reader('leader-worker-set', (spec) => ({
  minCount: integerAt(fieldsAt(spec, 'leaderWorkerTemplate'), 'size', COUNT),
  isStaged: textAt(spec, 'startupPolicy') === 'LeaderReady',
}));

/** All replicas of a job, or as many as its scheduling policy says. */
export const kubeflowJob = reader('kubeflow', (spec) => {
  const policy = fieldsAt(fieldsAt(spec, 'runPolicy'), 'schedulingPolicy');
  const key = Object.keys(spec.values).find((name) => name.endsWith('ReplicaSpecs')) ?? '';
  const replicas = fieldsAt(spec, key);
  // The launcher of an MPIJob may be made only once its workers are ready.
  const isLater = (role: string): boolean =>
    role === 'Launcher' && textAt(spec, 'launcherCreationPolicy') === 'WaitForWorkersReady';
  const roles = Object.keys(replicas.values).filter((role) => !isLater(role));
  const counts = roles.map((role) => integerAt(fieldsOf(replicas.values[role], replicas.path), 'replicas', COUNT));
  const minCount = has(policy, 'minAvailable') ? integerAt(policy, 'minAvailable', COUNT) : sum(counts);
  return { minCount, priorityClassName: textAt(policy, 'priorityClass') };
});

function reader(source: GangSource, termsOf: (spec: Fields) => GangTerms | null): GangReader {
  return (object, rackLabels) => {
    const terms = termsOf(fieldsAt(object, 'spec'));
    if (terms === null) return null;
    const metadata = fieldsAt(object, 'metadata');
    const [namespace, name] = [textAt(metadata, 'namespace'), requiredTextAt(metadata, 'name')];
    const topologyKey = terms.topologyKey ?? '';
    return {
      uid: requiredTextAt(metadata, 'uid'),
      id: gangId(source, namespace, name),
      source,
      namespace,
      name,
      minCount: Math.max(1, terms.minCount),
      isStaged: terms.isStaged ?? false,
      topologyKey,
      topologyLevel: levelOf(topologyKey, rackLabels) ?? null,
      isEvictedWhole: terms.isEvictedWhole ?? false,
      priorityClassName: terms.priorityClassName ?? '',
    };
  };
}

function sum(counts: readonly number[]): number {
  return Math.min(
    GANG_COUNT_MAX,
    counts.reduce((total, count) => total + count, 0),
  );
}
