import { below, type Fields, fieldsAt, fieldsOf, integerAt, itemsAt, requiredTextAt, textAt } from '../fields.ts';

/** A template of an object's pods, and where it stands. */
export interface JobTemplate {
  /** Of the pod set. */
  readonly podSet: string;
  /** JSON pointer (RFC 6901) to the pods' spec. */
  readonly pointer: string;
  readonly template: Fields;
  /** Of all pods of the set that run at once. */
  readonly count: number;
}

/** What an object's status tells. */
export interface JobProgress {
  readonly ended: 'no' | 'done' | 'failed';
  /** All its pods are ready, or have done their work. */
  readonly isReady: boolean;
  /** No pod of it is left. */
  readonly isIdle: boolean;
}

/** A kind of object that is started and stopped by a field of its own. */
export interface JobKind {
  readonly kind: string;
  /** Versions that are understood, the best first: the first that is served is read. */
  readonly versions: readonly string[];
  readonly plural: string;
  /** JSON pointer to the field that suspends it. */
  readonly suspend: string;
  readonly templates: (object: Fields) => JobTemplate[];
  readonly progress: (object: Fields) => JobProgress;
  /** JSON pointer to the number of pods of an elastic job; empty: none is. */
  readonly parallelism: string;
}

/** More pods than any cluster runs are taken for a mistake. */
const COUNT = { absent: 1, min: 0, max: 1_000_000 };
const NONE = { ...COUNT, absent: 0 };

const JOB: JobKind = {
  kind: 'Job',
  versions: ['batch/v1'],
  plural: 'jobs',
  suspend: '/spec/suspend',
  parallelism: '/spec/parallelism',
  templates: (object) => [jobTemplate(fieldsAt(object, 'spec'), 'main', '/spec')],
  progress: (object) => {
    const status = fieldsAt(object, 'status');
    const count = (key: string): number => integerAt(status, key, NONE);
    const spec = fieldsAt(object, 'spec');
    // Of the completions that are left, as many as run at once.
    const left = integerAt(spec, 'completions', { ...COUNT, absent: jobCount(spec) }) - count('succeeded');
    const isReady = count('ready') >= Math.min(integerAt(spec, 'parallelism', COUNT), left);
    return {
      ended: endedBy(status, 'Complete', 'Failed'),
      isReady,
      isIdle: count('active') + count('terminating') === 0,
    };
  },
};

const JOB_SET: JobKind = {
  kind: 'JobSet',
  versions: ['jobset.x-k8s.io/v1alpha2'],
  plural: 'jobsets',
  suspend: '/spec/suspend',
  parallelism: '',
  templates: (object) =>
    itemsAt(fieldsAt(object, 'spec'), 'replicatedJobs').map((entry, index) => {
      const job = fieldsAt(fieldsAt(entry, 'template'), 'spec');
      const pointer = `/spec/replicatedJobs/${index}/template/spec`;
      return jobTemplate(job, requiredTextAt(entry, 'name'), pointer, integerAt(entry, 'replicas', COUNT));
    }),
  progress: (object) => {
    const status = fieldsAt(object, 'status');
    const jobs = itemsAt(status, 'replicatedJobsStatus');
    const told = (key: string): number => jobs.reduce((sum, each) => sum + integerAt(each, key, NONE), 0);
    const asked = itemsAt(fieldsAt(object, 'spec'), 'replicatedJobs');
    const wanted = asked.reduce((sum, each) => sum + integerAt(each, 'replicas', COUNT), 0);
    const isReady = told('ready') + told('succeeded') >= wanted;
    return { ended: endedBy(status, 'Completed', 'Failed'), isReady, isIdle: told('active') + told('ready') === 0 };
  },
};

/** Of Kubeflow's training operator: the field that holds the replicas differs by kind. */
function kubeflow(kind: string, plural: string, replicas: string, versions: readonly string[]): JobKind {
  return {
    kind,
    versions,
    plural,
    suspend: '/spec/runPolicy/suspend',
    parallelism: '',
    templates: (object) => {
      const roles = fieldsAt(fieldsAt(object, 'spec'), replicas);
      return Object.keys(roles.values).map((role) => {
        const entry = fieldsOf(roles.values[role], below(roles, role));
        const pointer = `/spec/${replicas}/${role}/template/spec`;
        const count = integerAt(entry, 'replicas', COUNT);
        return { podSet: role.toLowerCase(), pointer, template: fieldsAt(entry, 'template'), count };
      });
    },
    progress: (object) => {
      const status = fieldsAt(object, 'status');
      const roles = fieldsAt(status, 'replicaStatuses');
      const active = Object.keys(roles.values).reduce(
        (sum, role) => sum + integerAt(fieldsOf(roles.values[role], below(roles, role)), 'active', NONE),
        0,
      );
      return {
        ended: endedBy(status, 'Succeeded', 'Failed'),
        isReady: isTrue(status, 'Running'),
        isIdle: active === 0,
      };
    },
  };
}

const V1 = ['kubeflow.org/v1'];

/** Every kind that is queued as a whole. Gated pods and LeaderWorkerSets are queued by groups of pods. */
export const JOB_KINDS: readonly JobKind[] = [
  JOB,
  JOB_SET,
  kubeflow('PyTorchJob', 'pytorchjobs', 'pytorchReplicaSpecs', V1),
  kubeflow('TFJob', 'tfjobs', 'tfReplicaSpecs', V1),
  kubeflow('MPIJob', 'mpijobs', 'mpiReplicaSpecs', ['kubeflow.org/v2beta1', 'kubeflow.org/v1']),
  kubeflow('XGBoostJob', 'xgboostjobs', 'xgbReplicaSpecs', V1),
  kubeflow('PaddleJob', 'paddlejobs', 'paddleReplicaSpecs', V1),
  kubeflow('JAXJob', 'jaxjobs', 'jaxReplicaSpecs', V1),
];

/** Kinds whose pods and jobs are theirs, and not queued by themselves. */
export const OWNER_KINDS: ReadonlySet<string> = new Set([...JOB_KINDS.map(({ kind }) => kind), 'TrainJob']);

function jobTemplate(spec: Fields, podSet: string, at: string, replicas = 1): JobTemplate {
  const count = replicas * jobCount(spec);
  return { podSet, pointer: `${at}/template/spec`, template: fieldsAt(spec, 'template'), count };
}

/** Pods at once: never more than are to be completed. */
function jobCount(spec: Fields): number {
  const completions = integerAt(spec, 'completions', { ...COUNT, absent: COUNT.max });
  return Math.min(integerAt(spec, 'parallelism', COUNT), completions);
}

function endedBy(status: Fields, done: string, failed: string): JobProgress['ended'] {
  if (isTrue(status, done)) return 'done';
  return isTrue(status, failed) ? 'failed' : 'no';
}

export function isTrue(status: Fields, type: string): boolean {
  return itemsAt(status, 'conditions').some(
    (each) => textAt(each, 'type') === type && textAt(each, 'status') === 'True',
  );
}
