import { fail } from '@springtide/core/base';
import type { ClusterEvent } from '@springtide/ports/cluster';

/** What is told when the object of a `seen` is no longer there. */
export function goneOf(event: ClusterEvent): ClusterEvent {
  switch (event.kind) {
    case 'machine-seen':
      return { kind: 'machine-gone', machine: event.machine.id };
    case 'pod-seen': {
      const { uid, namespace, name } = event.pod;
      return { kind: 'pod-gone', pod: { uid, namespace, name }, phase: null };
    }
    case 'budget-seen':
      return { kind: 'budget-gone', budget: event.budget.id };
    case 'priority-class-seen':
      return { kind: 'priority-class-gone', priorityClass: event.priorityClass.name };
    case 'gang-seen':
      return { kind: 'gang-gone', gang: event.gang.id };
    case 'claim-seen':
      return { kind: 'claim-gone', claim: event.claim.id };
    case 'volume-seen':
      return { kind: 'volume-gone', volume: event.volume.name };
    case 'storage-class-seen':
      return { kind: 'storage-class-gone', storageClass: event.storageClass.name };
    case 'namespace-seen':
      return { kind: 'namespace-gone', namespace: event.namespace.name };
    case 'quota-seen':
      return { kind: 'quota-gone', quota: event.quota.id };
    case 'pool-seen':
      return { kind: 'pool-gone', pool: event.pool.name };
    default:
      return fail(`${event.kind} is about nothing that can go`);
  }
}
