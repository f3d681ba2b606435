import type { Pod } from '@springtide/core/model';
import type { ClusterPod } from '@springtide/ports/cluster';

/** A pod of the cluster that waits for our scheduler; its id is its uid too, and its `namespace/name`. */
export function aClusterPod(pod: Pod, more: Partial<ClusterPod> = {}): ClusterPod {
  const [namespace = '', name = ''] = pod.id.split('/');
  return {
    uid: pod.id,
    namespace,
    name,
    resourceVersion: '1',
    pod,
    machine: null,
    phase: 'Pending',
    isReady: false,
    isDeleting: false,
    isGated: false,
    deviceClaims: [],
    volumeClaims: [],
    schedulerName: 'springtide',
    createdAtMs: 0,
    startedAtMs: null,
    held: null,
    fractionGroups: [],
    preemptionPolicy: 'PreemptLowerPriority',
    nominatedMachine: null,
    gang: null,
    owner: null,
    verdict: null,
    scaleInMark: null,
    malformed: [],
    ...more,
  };
}
