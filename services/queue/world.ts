import type { AdmissionEvent, SeenJobPod } from '@springtide/core/admission';
import type { Machine } from '@springtide/core/model';
import type { ClusterEvent, ClusterPod, PriorityClass } from '@springtide/ports/cluster';

/** The pod set of a job that a pod is of. */
export interface PodPlace {
  readonly job: string;
  readonly podSet: string;
}

const NO_LABELS: ReadonlyMap<string, string> = new Map();

/** Machines, pods, namespaces and priority classes as they were last seen. */
export class World {
  readonly #machines = new Map<string, Machine>();
  readonly #pods = new Map<string, ClusterPod>();
  readonly #labels = new Map<string, ReadonlyMap<string, string>>();
  readonly #classes = new Map<string, PriorityClass>();
  /** Pods of groups, by uid. */
  readonly #grouped = new Map<string, PodPlace>();

  /** What admission hears of it. */
  take(event: ClusterEvent): AdmissionEvent[] {
    switch (event.kind) {
      case 'machine-seen':
        this.#machines.set(event.machine.id, event.machine);
        return [event.machine].map((machine) => ({ kind: 'machine', machine }));
      case 'machine-gone':
        this.#machines.delete(event.machine);
        return [{ kind: 'machine-gone', id: event.machine }];
      case 'pod-seen':
        this.#pods.set(event.pod.uid, event.pod);
        return [{ kind: 'pod', seen: this.#seen(event.pod) }];
      case 'pod-gone':
        this.#pods.delete(event.pod.uid);
        return [{ kind: 'pod-gone', uid: event.pod.uid }];
      default:
        this.#takeOther(event);
        return [];
    }
  }

  #takeOther(event: ClusterEvent): void {
    if (event.kind === 'namespace-seen') this.#labels.set(event.namespace.name, event.namespace.labels);
    if (event.kind === 'namespace-gone') this.#labels.delete(event.namespace);
    if (event.kind === 'priority-class-seen') this.#classes.set(event.priorityClass.name, event.priorityClass);
    if (event.kind === 'priority-class-gone') this.#classes.delete(event.priorityClass);
  }

  /** All that is there, for an admission that knows nothing. */
  *all(): Generator<AdmissionEvent> {
    for (const machine of this.#machines.values()) yield { kind: 'machine', machine };
    for (const pod of this.#pods.values()) yield { kind: 'pod', seen: this.#seen(pod) };
  }

  labelsOf(namespace: string): ReadonlyMap<string, string> {
    return this.#labels.get(namespace) ?? NO_LABELS;
  }

  /** Of a class that is not there, that of pods without one. */
  priorityOf(priorityClass: string): number {
    const named = this.#classes.get(priorityClass);
    if (named !== undefined) return named.value;
    for (const each of this.#classes.values()) if (each.isDefault) return each.value;
    return 0;
  }

  /** Pods that are a job together, whatever their owner is; the events tell those that are there already again. */
  group(job: string, pods: ReadonlyMap<string, string>): AdmissionEvent[] {
    return [...pods].flatMap(([uid, podSet]): AdmissionEvent[] => {
      const before = this.#grouped.get(uid);
      this.#grouped.set(uid, { job, podSet });
      const pod = this.#pods.get(uid);
      return pod === undefined || before?.podSet === podSet ? [] : [{ kind: 'pod', seen: this.#seen(pod) }];
    });
  }

  ungroup(pods: ReadonlyMap<string, string>): void {
    for (const uid of pods.keys()) this.#grouped.delete(uid);
  }

  #seen(cluster: ClusterPod): SeenJobPod {
    const { uid, pod, machine, isDeleting, held, fractionGroups } = cluster;
    const place = this.#grouped.get(uid) ?? placeByOwner(cluster);
    return {
      uid,
      pod,
      machine,
      isDeleting,
      held,
      fractionGroups,
      job: place?.job ?? null,
      podSet: place?.podSet ?? '',
    };
  }
}

const JOB_SET = 'jobset.sigs.k8s.io/jobset-name';
const REPLICATED_JOB = 'jobset.sigs.k8s.io/replicatedjob-name';
const REPLICA_TYPE = 'training.kubeflow.org/replica-type';

/** The job that a pod's owner and labels tell; null: none. */
function placeByOwner({
  namespace,
  owner,
  pod: { labels },
}: Pick<ClusterPod, 'namespace' | 'owner' | 'pod'>): PodPlace | null {
  if (owner === null) return null;
  const set = labels.get(JOB_SET) ?? '';
  if (set !== '') return { job: `${namespace}/jobset-${set}`, podSet: labels.get(REPLICATED_JOB) ?? '' };
  const podSet = owner.kind === 'Job' ? 'main' : (labels.get(REPLICA_TYPE) ?? '').toLowerCase();
  return podSet === '' ? null : { job: `${namespace}/${owner.kind.toLowerCase()}-${owner.name}`, podSet };
}
