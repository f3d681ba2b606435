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
  readonly #refresh: () => Promise<void>;
  /** The last write of each claim that is under way: pods that share one must not overtake whoever gives it devices. */
  readonly #writes = new Map<string, Promise<unknown>>();

  /** `refresh` lists claims anew. */
  constructor(claims: DeviceClaims, refresh: () => Promise<void>) {
    this.#claims = claims;
    this.#refresh = refresh;
  }

  /** What is to be written for a pod, of the claims as they are now; null: one of them is gone. */
  ordersFor(pod: ClusterPod, allocations: readonly ClaimAllocation[]): readonly ReserveClaimOrder[] | null {
    return this.#claims.ordersFor(pod, allocations);
  }

  /** All claims of a pod, or none: null where one of them could not be written. */
  async reserve(
    orders: ClusterOrders,
    pod: ClusterPod,
    wanted: readonly ReserveClaimOrder[],
  ): Promise<readonly Reserved[] | null> {
    const reserved: Reserved[] = [];
    for (const order of wanted) {
      const answer = await this.#inTurn(order, () => orders.reserveClaim(order));
      if (answer.answer !== 'written') {
        await this.giveBack(orders, pod, reserved);
        // Perhaps it was written: then the cluster says so before anybody else gets its devices (I1).
        if (answer.answer === 'unknown') await this.#refresh();
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
