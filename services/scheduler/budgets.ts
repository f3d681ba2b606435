import type { Pod } from '@springtide/core/model';
import { matchesSelector } from '@springtide/core/state';
import type { ClusterPod, DisruptionBudget } from '@springtide/ports/cluster';

/**
 * Which bound pods may be disrupted no further, kept as pods and budgets come and go: O(budgets of its namespace)
 * for a pod, O(pods) for a budget that is used up or lets somebody go again.
 */
export class Budgets {
  readonly #pods: ReadonlyMap<string, ClusterPod>;
  readonly #budgets = new Map<string, DisruptionBudget>();
  /** Those that let nobody go, by namespace. */
  readonly #empty = new Map<string, DisruptionBudget[]>();
  /** Ids of pods. */
  readonly #exhausted = new Set<string>();
  #hasChanged = false;

  /** `pods` are all that are known, by uid. */
  constructor(pods: ReadonlyMap<string, ClusterPod>) {
    this.#pods = pods;
  }

  /** Ids of the pods that may not be disrupted, when that has changed since it was last asked; else null. */
  takeChange(): ReadonlySet<string> | null {
    if (!this.#hasChanged) return null;
    this.#hasChanged = false;
    return new Set(this.#exhausted);
  }

  /** Whether all of these may go together, as every budget that covers them last counted. */
  allow(pods: readonly ClusterPod[]): boolean {
    return [...this.#budgets.values()].every((budget) => {
      const covered = pods.filter(({ pod }) => pod.namespace === budget.namespace && protects(budget, pod));
      return covered.length <= Math.max(0, budget.disruptionsAllowed);
    });
  }

  see(budget: DisruptionBudget): void {
    this.#replace(budget.namespace, budget.id, budget);
  }

  lose(id: string): void {
    const known = this.#budgets.get(id);
    if (known !== undefined) this.#replace(known.namespace, id, null);
  }

  seePod({ pod, machine }: ClusterPod): void {
    const empty = this.#empty.get(pod.namespace);
    if (empty === undefined && this.#exhausted.size === 0) return;
    this.#mark(pod.id, machine !== null && empty?.some((budget) => protects(budget, pod)) === true);
  }

  losePod({ pod }: ClusterPod): void {
    this.#mark(pod.id, false);
  }

  #replace(namespace: string, id: string, budget: DisruptionBudget | null): void {
    const wasEmpty = isEmpty(this.#budgets.get(id));
    if (budget === null) this.#budgets.delete(id);
    else this.#budgets.set(id, budget);
    if (!wasEmpty && !isEmpty(budget)) return;
    const others = (this.#empty.get(namespace) ?? []).filter((other) => other.id !== id);
    const empty = budget !== null && isEmpty(budget) ? [...others, budget] : others;
    if (empty.length === 0) this.#empty.delete(namespace);
    else this.#empty.set(namespace, empty);
    for (const known of this.#pods.values()) if (known.pod.namespace === namespace) this.seePod(known);
  }

  #mark(id: string, isExhausted: boolean): void {
    if (isExhausted === this.#exhausted.has(id)) return;
    if (isExhausted) this.#exhausted.add(id);
    else this.#exhausted.delete(id);
    this.#hasChanged = true;
  }
}

function isEmpty(budget: DisruptionBudget | null | undefined): boolean {
  return budget !== null && budget !== undefined && budget.disruptionsAllowed <= 0;
}

function protects({ selector }: DisruptionBudget, pod: Pod): boolean {
  return matchesSelector(selector, pod.labels);
}
