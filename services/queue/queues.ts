import type { CohortSpec, Flavor, QuotaSpecs } from '@springtide/core/model';
import { matchesSelector } from '@springtide/core/state';
import type { QueueAsk, QueueingEvent, SeenQueue } from '@springtide/ports/queueing';

type Labels = ReadonlyMap<string, string>;

/** Queues, cohorts and flavors as they are described, and whose work belongs to which. */
export class Queues {
  readonly #queues = new Map<string, SeenQueue>();
  readonly #cohorts = new Map<string, CohortSpec>();
  readonly #flavors = new Map<string, Flavor>();
  /** LocalQueues of Kueue, `namespace/name`. */
  readonly #foreign = new Set<string>();
  /** The queue that an alias names. */
  #byAlias = new Map<string, string>();

  /** Whether it was of queues, cohorts, flavors or LocalQueues. */
  take(event: QueueingEvent): boolean {
    switch (event.kind) {
      case 'queue-seen':
        this.#queues.set(event.queue.spec.id, event.queue);
        break;
      case 'queue-gone':
        this.#queues.delete(event.queue);
        break;
      case 'cohort-seen':
        this.#cohorts.set(event.cohort.id, event.cohort);
        break;
      case 'cohort-gone':
        this.#cohorts.delete(event.cohort);
        break;
      case 'flavor-seen':
        this.#flavors.set(event.flavor.id, event.flavor);
        break;
      case 'flavor-gone':
        this.#flavors.delete(event.flavor);
        break;
      case 'foreign-queue-seen':
        this.#foreign.add(event.queue);
        break;
      case 'foreign-queue-gone':
        this.#foreign.delete(event.queue);
        break;
      default:
        return false;
    }
    this.#byAlias = new Map(
      [...this.#queues.values()].flatMap(({ spec, aliases }) => aliases.map((alias) => [alias, spec.id])),
    );
    return true;
  }

  specs(): QuotaSpecs {
    const queues = [...this.#queues.values()].map(({ spec }) => spec);
    return { flavors: [...this.#flavors.values()], cohorts: [...this.#cohorts.values()], queues };
  }

  flavor(id: string): Flavor | undefined {
    return this.#flavors.get(id);
  }

  tenantOf(queue: string): string | undefined {
    return this.#queues.get(queue)?.spec.tenant;
  }

  has(queue: string): boolean {
    return this.#queues.has(queue);
  }

  /**
   * The queue that admits work of a namespace: the one that has the name there as an alias, else the one of that name
   * if it takes work of the namespace. Null: none of ours, or the work is Kueue's, whose LocalQueue it names (each
   * object belongs to exactly one of the two).
   */
  queueFor(ask: QueueAsk, namespace: string, labels: Labels): string | null {
    const alias = `${namespace}/${ask.queue}`;
    if (ask.isByKueueLabel && this.#foreign.has(alias)) return null;
    const named = this.#byAlias.get(alias);
    if (named !== undefined) return named;
    const { namespaces = null } = this.#queues.get(ask.queue) ?? {};
    return namespaces !== null && matchesSelector(namespaces, labels) ? ask.queue : null;
  }
}
