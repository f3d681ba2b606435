import type { ObservedPod } from '@springtide/adapters/kubernetes';
import {
  chooseScaleIn,
  freedBy,
  kubernetesOrder,
  type Freed,
  type Replica,
  type ScaleInChoice,
} from '@springtide/core/scale-in';
import type { Cluster } from '../../cluster/index.ts';
import type { Target } from './target.ts';

/** What would become of a workload that shrinks. */
export type Plan =
  /** It has no more replicas than are to stay. */
  | { readonly kind: 'nothing' }
  /** A StatefulSet: Kubernetes lets nobody choose. */
  | { readonly kind: 'ordinal' }
  /** Several ReplicaSets have pods: who shrinks is not decided yet. */
  | { readonly kind: 'rollout'; readonly replicaSets: readonly string[] }
  | {
      readonly kind: 'choice';
      readonly choice: ScaleInChoice;
      /** What Kubernetes' own order would free. */
      readonly usual: Freed;
    };

export interface PlanAsked {
  readonly target: Target;
  readonly replicas: ReadonlyMap<string, readonly ObservedPod[]>;
  readonly to: number;
  readonly nowMs: number;
}

export function countOf(replicas: PlanAsked['replicas']): number {
  return replicas.values().reduce((sum, pods) => sum + pods.length, 0);
}

export function planOf({ book, isCard }: Cluster, { target, replicas, to, nowMs }: PlanAsked): Plan {
  const count = countOf(replicas) - to;
  if (count <= 0) return { kind: 'nothing' };
  if (target.kind === 'StatefulSet') return { kind: 'ordinal' };
  if (replicas.size > 1 && to > 0) return { kind: 'rollout', replicaSets: [...replicas.keys()].toSorted() };
  const all = [...replicas.values()].flat().flatMap(replicaOf);
  const options = { siblingsOn: siblingsOn(all), nowMs, isCounted: isCard };
  const usual = kubernetesOrder(all, options).slice(0, count);
  return {
    kind: 'choice',
    choice: chooseScaleIn(book, all, count, options),
    usual: freedBy(
      book,
      usual.map(({ pod }) => pod.id),
      isCard,
    ),
  };
}

function replicaOf({ pod, machine, replica }: ObservedPod): Replica[] {
  return replica === null ? [] : [{ ...replica, pod, machine }];
}

function siblingsOn(replicas: readonly Replica[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { machine } of replicas) counts.set(machine ?? '', (counts.get(machine ?? '') ?? 0) + 1);
  return counts;
}
