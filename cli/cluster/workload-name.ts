import type { Pod } from '@springtide/core/model';

/** Labels that tell what a pod belongs to, where it is no replica of a service. */
const LABELS = [
  'batch.kubernetes.io/job-name',
  'job-name',
  'jobset.sigs.k8s.io/jobset-name',
  'leaderworkerset.sigs.k8s.io/name',
  'training.kubeflow.org/job-name',
  'app.kubernetes.io/name',
  'app',
];

/** The workload of a pod as `namespace/name`: its service, its job, what it calls its app, else the pod itself. */
export function workloadName(pod: Pod): string {
  if (pod.service !== '') return pod.service;
  for (const label of LABELS) {
    const name = pod.labels.get(label);
    if (name !== undefined && name !== '') return `${pod.namespace}/${name}`;
  }
  return pod.id;
}
