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

/** An explanation reads every machine; beyond this many different ones the rest is only counted. */
const EXPLANATIONS_MAX = 200;

/** Pods without a machine, in groups, those with most pods first. */
export function waitingPods(cluster: Cluster): Waiting {
  const waiting = cluster.dump.pods.filter(({ machine }) => machine === null);
  const keys = new Map(waiting.map((observed) => [observed, sameAnswer(cluster, observed)]));
  const groups = Map.groupBy(waiting, (observed) => {
    const { pod, isGated, hasClaims } = observed;
    return [workloadName(pod), isGated, hasClaims, keys.get(observed)].join(' ');
  });
  const ordered = [...groups.values()].toSorted(
    (left, right) => right.length - left.length || compareText(firstId(left), firstId(right)),
  );
  const explanations = new Map<string, Explanation>();
  const told = ordered.flatMap((members): WaitingGroup[] => {
    const [first] = members as [ObservedPod];
    const key = keys.get(first) ?? '';
    const known = explanations.get(key);
    if (known === undefined && explanations.size === EXPLANATIONS_MAX) return [];
    const explanation = known ?? explain(cluster.placer, first.pod);
    explanations.set(key, explanation);
    return [groupOf(members, first, explanation)];
  });
  const explained = told.reduce((sum, { pods }) => sum + pods.length, 0);
  return { pods: waiting.length, groups: told, unexplained: waiting.length - explained };
}

function groupOf(members: readonly ObservedPod[], first: ObservedPod, explanation: Explanation): WaitingGroup {
  return {
    workload: workloadName(first.pod),
    pods: members.map(({ pod }) => pod.id).toSorted(compareText),
    request: first.pod.request,
    gated: first.isGated,
    hasClaims: first.hasClaims,
    explanation: { ...explanation, pod: first.pod.id },
  };
}

function firstId(members: readonly ObservedPod[]): string {
  return members.reduce((least, { pod }) => (pod.id < least ? pod.id : least), members[0]?.pod.id ?? '');
}

/** Labels that only number the pods of one workload. */
const NUMBERING = /(?:index|pod-name|uid)$/;

/** Equal for pods that get the same explanation: those that look at their neighbours differ by namespace and labels. */
function sameAnswer({ book }: Cluster, { pod }: ObservedPod): string {
  const requestClass = book.classOf(pod.request, pod.tenant);
  const index = String(requestClass.index);
  if (!requestClass.hasNeighbours && book.antiAffinityHoldings.size === 0) return index;
  const keys = sortedKeys(pod.labels).filter((key) => !NUMBERING.test(key));
  return [index, pod.namespace, ...keys.map((key) => `${key}=${pod.labels.get(key)}`)].join(' ');
}
