import type { ClusterEvent } from '@springtide/ports/cluster';
import { KeyedQueue } from './keyed-queue.ts';

/** What an event is about: of two events with one key only the newer is told. */
export function keyOf(event: ClusterEvent): string {
  switch (event.kind) {
    case 'machine-seen':
      return `machine ${event.machine.id}`;
    case 'machine-gone':
      return `machine ${event.machine}`;
    case 'pod-seen':
    case 'pod-gone':
      return `pod ${event.pod.uid}`;
    case 'budget-seen':
      return `budget ${event.budget.id}`;
    case 'budget-gone':
      return `budget ${event.budget}`;
    case 'priority-class-seen':
      return `priority class ${event.priorityClass.name}`;
    case 'priority-class-gone':
      return `priority class ${event.priorityClass}`;
    case 'gang-seen':
      return `gang ${event.gang.id}`;
    case 'gang-gone':
      return `gang ${event.gang}`;
    case 'claim-seen':
      return `claim ${event.claim.id}`;
    case 'claim-gone':
      return `claim ${event.claim}`;
    case 'volume-seen':
      return `volume ${event.volume.name}`;
    case 'volume-gone':
      return `volume ${event.volume}`;
    case 'storage-class-seen':
      return `storage class ${event.storageClass.name}`;
    case 'storage-class-gone':
      return `storage class ${event.storageClass}`;
    case 'namespace-seen':
      return `namespace ${event.namespace.name}`;
    case 'namespace-gone':
      return `namespace ${event.namespace}`;
    case 'quota-seen':
      return `quota ${event.quota.id}`;
    case 'quota-gone':
      return `quota ${event.quota}`;
    case 'pool-seen':
      return `pool ${event.pool.name}`;
    case 'pool-gone':
      return `pool ${event.pool}`;
    case 'device-pool-seen':
      return `device pool ${event.pool.id}`;
    case 'device-pool-gone':
      return `device pool ${event.pool}`;
    case 'device-claim-seen':
      return `device claim ${event.claim.id}`;
    case 'device-claim-gone':
      return `device claim ${event.claim}`;
    case 'unreadable':
      return `unreadable ${event.object.kind} ${event.object.uid}`;
    case 'synced':
    case 'freshness':
      return event.kind;
  }
}

/** Events on their way to whoever takes them. */
export class Outbox {
  readonly #queue: KeyedQueue<ClusterEvent>;

  constructor(countMax: number) {
    this.#queue = new KeyedQueue(countMax);
  }

  get length(): number {
    return this.#queue.length;
  }

  get folded(): number {
    return this.#queue.folded;
  }

  readonly put = (event: ClusterEvent): void => this.#queue.put(keyOf(event), event);

  /** Null: there is room. */
  readonly room = (): Promise<void> | null => (this.#queue.hasRoom ? null : this.#queue.room());

  readonly take = (countMax: number): readonly ClusterEvent[] => this.#queue.take(countMax);

  readonly onReady = (listener: () => void): (() => void) => this.#queue.onReady(listener);

  release(): void {
    this.#queue.release();
  }
}
