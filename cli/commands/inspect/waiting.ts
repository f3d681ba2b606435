import type { ObservedPod } from '@springtide/adapters/kubernetes';
import { compareText, sortedKeys } from '@springtide/core/base';
import type { Explanation, Request } from '@springtide/core/model';
import { explain } from '@springtide/core/placement';
import { workloadName, type Cluster } from '../../cluster/index.ts';

/** Waiting pods that no filter can tell apart, with one explanation for all of them. */
export interface WaitingGroup {
  readonly workload: string;
  readonly pods: readonly string[];
  readonly request: Request;
  /** Scheduling gates hold the pods back: nothing may place them yet. */
  readonly gated: boolean;
  /** They ask for devices by resource claims, which a dump does not resolve. */
  readonly hasClaims: boolean;
  readonly explanation: Explanation;
}

export interface Waiting {
  readonly pods: number;
  readonly groups: readonly WaitingGroup[];
  /** Pods of further groups, which nobody explained. */
  readonly unexplained: number;
}

/** An explanation reads every machine; beyond this many groups the rest is only counted. */
export const GROUPS_MAX = 200;

/** Pods without a machine, in groups, those with most pods first. */
export function waitingPods(cluster: Cluster): Waiting {
  const { dump, placer } = cluster;
  const waiting = dump.pods.filter(({ machine }) => machine === null);
  const groups = new Map<string, ObservedPod[]>();
  for (const observed of waiting) {
    const key = keyOf(cluster, observed);
    const members = groups.get(key);
    if (members === undefined) groups.set(key, [observed]);
    else members.push(observed);
  }
  const ordered = [...groups.values()].toSorted(
    (left, right) => right.length - left.length || compareText(firstId(left), firstId(right)),
  );
  const told = ordered.slice(0, GROUPS_MAX).map((members): WaitingGroup => {
    const [first] = members as [ObservedPod];
    return {
      workload: workloadName(first.pod),
      pods: members.map(({ pod }) => pod.id).toSorted(compareText),
      request: first.pod.request,
      gated: first.isGated,
      hasClaims: first.hasClaims,
      explanation: explain(placer, first.pod),
    };
  });
  const explained = told.reduce((sum, { pods }) => sum + pods.length, 0);
  return { pods: waiting.length, groups: told, unexplained: waiting.length - explained };
}

function firstId(members: readonly ObservedPod[]): string {
  return members.reduce((least, { pod }) => (pod.id < least ? pod.id : least), members[0]?.pod.id ?? '');
}

/** Labels that only number the pods of one workload. */
const NUMBERING = /(?:index|pod-name|uid)$/;

/** Pods that look at their neighbours differ by namespace and labels too. */
function keyOf({ book }: Cluster, { pod, isGated, hasClaims }: ObservedPod): string {
  const requestClass = book.classOf(pod.request, pod.tenant);
  const base = [workloadName(pod), requestClass.index, isGated, hasClaims];
  if (!requestClass.hasNeighbours && book.antiAffinityHoldings.size === 0) return base.join(' ');
  const keys = sortedKeys(pod.labels).filter((key) => !NUMBERING.test(key));
  return [...base, pod.namespace, ...keys.map((key) => `${key}=${pod.labels.get(key)}`)].join(' ');
}
