import type { ClaimAllocation, DeviceNeed, DeviceTroubleKind } from '@springtide/core/model';
import type { SchedulerEvent } from '@springtide/core/scheduler';
import type {
  ClusterEvent,
  ClusterPod,
  DeviceClaim,
  PodDeviceClaim,
  ReserveClaimOrder,
} from '@springtide/ports/cluster';

/** Claims for devices (DRA) as last seen, and what they need of a machine. */
export class DeviceClaims {
  readonly #claims = new Map<string, DeviceClaim>();

  /** What the scheduler hears of it, and the claim that changed; null where the event is about something else. */
  take(event: ClusterEvent): { readonly heard: SchedulerEvent; readonly claim: string | null } | null {
    switch (event.kind) {
      case 'device-pool-seen':
        return { heard: { kind: 'device-pool', pool: event.pool }, claim: null };
      case 'device-pool-gone':
        return { heard: { kind: 'device-pool-gone', id: event.pool }, claim: null };
      case 'device-claim-seen': {
        const { id, allocation } = event.claim;
        this.#claims.set(id, event.claim);
        return { heard: { kind: 'device-claim', claim: id, allocation }, claim: id };
      }
      case 'device-claim-gone':
        this.#claims.delete(event.claim);
        return { heard: { kind: 'device-claim', claim: event.claim, allocation: null }, claim: event.claim };
      default:
        return null;
    }
  }

  /** What a pod's claims need of a machine, in their order. */
  needsOf(pod: ClusterPod): DeviceNeed[] {
    return pod.deviceClaims.map((asked) => this.#needOf(pod, asked));
  }

  /** What has to be written about a pod's claims before it is bound; null: one of them is gone. */
  ordersFor(pod: ClusterPod, allocations: readonly ClaimAllocation[]): ReserveClaimOrder[] | null {
    const orders: ReserveClaimOrder[] = [];
    for (const id of claimIds(pod)) {
      const claim = this.#claims.get(id);
      if (claim === undefined) return null;
      const allocation = allocations.find((each) => each.claim === id) ?? null;
      if (allocation !== null || !claim.reservedFor.includes(pod.uid)) orders.push({ claim, allocation, pod });
    }
    return orders;
  }

  /** A claim as last seen. */
  claimOf(id: string): DeviceClaim | undefined {
    return this.#claims.get(id);
  }

  #needOf(pod: ClusterPod, { name, claim: object, isOwn }: PodDeviceClaim): DeviceNeed {
    const claim = this.#claims.get(`${pod.namespace}/${object}`);
    const wrong = (kind: DeviceTroubleKind): DeviceNeed => {
      const trouble = { kind, claim: object || name, path: '', detail: '' };
      return { ...NOTHING, claim: object, trouble };
    };
    if (object === '') return wrong('not-made');
    if (claim === undefined) return wrong('missing');
    const { id, requests, constraints, allocation, failing, reservedFor } = claim;
    if (isOwn && claim.owner !== pod.uid) return wrong('foreign');
    if (claim.isDeleting) return wrong('going');
    const isMine = reservedFor.includes(pod.uid);
    if (claim.isFull && !isMine) return wrong('full');
    if (allocation !== null) {
      const isLoose = reservedFor.length === 0 || (isMine && reservedFor.length === 1);
      return { ...NOTHING, claim: id, isLoose };
    }
    return { ...NOTHING, claim: isOwn ? '' : id, requests, constraints, failing, trouble: claim.trouble };
  }
}

const NOTHING: DeviceNeed = {
  claim: '',
  requests: [],
  constraints: [],
  isLoose: false,
  trouble: null,
  failing: null,
};

/** A pod's claims, `namespace/name`, in order. */
export function claimIds({ namespace, deviceClaims }: ClusterPod): string[] {
  return deviceClaims.map(({ claim }) => `${namespace}/${claim}`);
}
