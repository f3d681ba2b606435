import type { PodRef } from '@springtide/ports/cluster';
import type { JobObject } from '@springtide/ports/progress';
import { booleanAt, type Fields, itemsAt, textAt, textMapAt } from '../fields.ts';

/** Kinds whose pods are one job, by group, and their names in a path. */
const PLURALS: ReadonlyMap<string, string> = new Map([
  ['batch/Job', 'jobs'],
  ['jobset.x-k8s.io/JobSet', 'jobsets'],
  ['kubeflow.org/PyTorchJob', 'pytorchjobs'],
  ['kubeflow.org/TFJob', 'tfjobs'],
  ['kubeflow.org/MPIJob', 'mpijobs'],
  ['kubeflow.org/XGBoostJob', 'xgboostjobs'],
  ['kubeflow.org/PaddleJob', 'paddlejobs'],
  ['kubeflow.org/JAXJob', 'jaxjobs'],
]);

const JOB_SET_NAME = 'jobset.sigs.k8s.io/jobset-name';

function kindKey(apiVersion: string, kind: string): string {
  return `${apiVersion.split('/')[0]}/${kind}`;
}

/** The job of a pod: the JobSet that it names, else whoever made it where that is a kind of job, else the pod itself. */
export function jobOf(metadata: Fields, pod: PodRef): JobObject {
  const { namespace } = pod;
  const jobSet = textMapAt(metadata, 'labels').get(JOB_SET_NAME) ?? '';
  if (jobSet !== '') return jobObject('jobset.x-k8s.io/v1alpha2', 'JobSet', namespace, jobSet);
  const owner = itemsAt(metadata, 'ownerReferences').find((each) => booleanAt(each, 'controller'));
  if (owner !== undefined) {
    const [apiVersion, kind, name] = [textAt(owner, 'apiVersion'), textAt(owner, 'kind'), textAt(owner, 'name')];
    if (PLURALS.has(kindKey(apiVersion, kind)) && name !== '') return jobObject(apiVersion, kind, namespace, name);
  }
  return jobObject('v1', 'Pod', namespace, pod.name);
}

function jobObject(apiVersion: string, kind: string, namespace: string, name: string): JobObject {
  // As its Workload is called.
  return { id: `${namespace}/${kind.toLowerCase()}-${name}`, apiVersion, kind, namespace, name };
}

export function jobPath({ apiVersion, kind, namespace, name }: JobObject): string {
  const plural = PLURALS.get(kindKey(apiVersion, kind)) ?? 'pods';
  const group = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return `${group}/namespaces/${encodeURIComponent(namespace)}/${plural}/${encodeURIComponent(name)}`;
}
