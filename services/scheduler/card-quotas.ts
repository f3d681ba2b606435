import { isAlike } from '@springtide/core/base';
import type { CardLimit } from '@springtide/core/model';
import type { CardQuota, ClusterEvent } from '@springtide/ports/cluster';

/** What namespaces may hold of cards: every limit of every quota of a namespace counts. */
export class CardQuotas {
  readonly #quotas = new Map<string, CardQuota>();

  /** The namespace in which something else may be held now; null: none. */
  take(event: ClusterEvent): string | null {
    if (event.kind !== 'quota-seen' && event.kind !== 'quota-gone') return null;
    const id = event.kind === 'quota-seen' ? event.quota.id : event.quota;
    const before = this.#quotas.get(id);
    const after = event.kind === 'quota-seen' && event.quota.limits.length > 0 ? event.quota : undefined;
    if (after === undefined) this.#quotas.delete(id);
    else this.#quotas.set(id, after);
    // Its status is written again and again; only what it allows matters.
    return isAlike(before?.limits, after?.limits) ? null : ((after ?? before)?.namespace ?? null);
  }

  /** Those of a namespace. O(quotas that limit cards). */
  limitsOf(namespace: string): CardLimit[] {
    return [...this.#quotas.values()].flatMap((quota) => (quota.namespace === namespace ? quota.limits : []));
  }
}
