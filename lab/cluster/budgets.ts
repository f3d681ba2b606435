import { matchesSelector } from '@springtide/core/state';
import type { ClusterPod } from '@springtide/ports/cluster';
import type { LabBudget } from './lab-world.ts';

/**
 * How many of the pods it covers may be evicted now; null: it does not cover `pod`. Pods that are not ready may
 * always be, as they are not available anyway.
 */
export function budgetAllows(budget: LabBudget, pod: ClusterPod | null, pods: Iterable<ClusterPod>): number | null {
  if (pod !== null && !covers(budget, pod)) return null;
  if (pod !== null && !pod.isReady) return null;
  let ready = 0;
  for (const each of pods) if (each.isReady && !each.isDeleting && covers(budget, each)) ready += 1;
  return Math.max(0, ready - budget.minAvailable);
}

function covers({ namespace, selector }: LabBudget, { pod }: ClusterPod): boolean {
  return pod.namespace === namespace && matchesSelector(selector, pod.labels);
}
