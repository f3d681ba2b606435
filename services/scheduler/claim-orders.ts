import type { ClaimAllocation } from '@springtide/core/model';
import type { ClusterOrders, ClusterPod, DeviceClaim, ReserveClaimOrder } from '@springtide/ports/cluster';
import type { DeviceClaims } from './device-claims.ts';

/** A claim that was written for a pod. */
interface Reserved {
  readonly claim: Pick<DeviceClaim, 'uid' | 'id' | 'resourceVersion'>;
  /** It got its devices by that. */
  readonly isNew: boolean;
}

/** Writes what a pod's resource claims get before it is bound, and takes it back where it is not. */
export class ClaimOrders {
  readonly #claims: DeviceClaims;
  /** The last write of each claim that is under way: pods that share one must not overtake whoever gives it devices. */
  readonly #writes = new Map<string, Promise<unknown>>();

  constructor(claims: DeviceClaims) {
    this.#claims = claims;
  }

  /** All claims of a pod, or none: null where one of them could not be written. */
  async reserve(
    orders: ClusterOrders,
    pod: ClusterPod,
    allocations: readonly ClaimAllocation[],
  ): Promise<readonly Reserved[] | null> {
    const reserved: Reserved[] = [];
    for (const order of this.#claims.ordersFor(pod, allocations)) {
      const answer = await this.#inTurn(order, () => orders.reserveClaim(order));
      if (answer.answer !== 'written') {
        await this.giveBack(orders, pod, reserved);
        return null;
      }
      const { resourceVersion } = answer;
      reserved.push({ claim: { ...order.claim, resourceVersion }, isNew: order.allocation !== null });
    }
    return reserved;
  }

  /** What a pod will not use. What cannot be taken back keeps the pod near its devices, and is freed when that is in its way. */
  async giveBack(orders: ClusterOrders, pod: ClusterPod, reserved: readonly Reserved[]): Promise<void> {
    for (const { claim, isNew } of reserved) {
      const isFreed = isNew && (await orders.freeClaim({ claim })).answer === 'written';
      // Another pod uses it by now.
      if (!isFreed) await orders.unreserveClaim({ claim, pod });
    }
  }

  /** Takes the devices of claims back that nobody uses. */
  async free(orders: ClusterOrders, ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const claim = this.#claims.claimOf(id);
      if (claim !== undefined && claim.allocation !== null) await orders.freeClaim({ claim });
    }
  }

  async #inTurn<T>({ claim }: ReserveClaimOrder, write: () => Promise<T>): Promise<T> {
    const written = (this.#writes.get(claim.id) ?? Promise.resolve()).then(write);
    this.#writes.set(claim.id, written);
    try {
      return await written;
    } finally {
      if (this.#writes.get(claim.id) === written) this.#writes.delete(claim.id);
    }
  }
}
