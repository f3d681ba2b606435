import type { ClaimAllocation, DeviceConstraint, DeviceRequest, DeviceTrouble } from '@springtide/core/model';
import type { ClusterFailure } from './errors.ts';
import type { PodRef } from './pod.ts';

/** A claim of a pod for devices. */
export interface PodDeviceClaim {
  /** As the pod calls it. */
  readonly name: string;
  /** The claim in its namespace; empty: it is yet to be made from its template. */
  readonly claim: string;
  /** It is made from a template, for this pod alone. */
  readonly isOwn: boolean;
}

/** A claim for devices (DRA). */
export interface DeviceClaim {
  readonly uid: string;
  /** `namespace/name`. */
  readonly id: string;
  /** Opaque; it differs whenever the object does. */
  readonly resourceVersion: string;
  readonly requests: readonly DeviceRequest[];
  readonly constraints: readonly DeviceConstraint[];
  /** Null: it has no devices yet. */
  readonly allocation: ClaimAllocation | null;
  /** Uids of those that may use it, and whether nobody else may any more. */
  readonly reservedFor: readonly string[];
  readonly isFull: boolean;
  /** Uid of the pod that it was made for; empty: nobody in particular. */
  readonly owner: string;
  readonly isDeleting: boolean;
  /** Why it cannot be given anything, where that lies in the claim or its classes; null: it can. */
  readonly trouble: DeviceTrouble | null;
  /** A selector that fails on some device; that device is passed over. Null: none does. */
  readonly failing: DeviceTrouble | null;
}

/** Gives a claim its devices, if it has none, and lets a pod use it. Only as it was seen, where it gets devices. */
export interface ReserveClaimOrder {
  /** As last seen. */
  readonly claim: Pick<DeviceClaim, 'uid' | 'id' | 'resourceVersion'>;
  /** Null: it has its devices. */
  readonly allocation: ClaimAllocation | null;
  readonly pod: PodRef;
}

/** Takes a claim's devices back. Only as it was seen: somebody may have begun to use it. */
export interface FreeClaimOrder {
  readonly claim: Pick<DeviceClaim, 'uid' | 'id' | 'resourceVersion'>;
}

/** A pod that was to use a claim will not. */
export interface UnreserveClaimOrder {
  readonly claim: Pick<DeviceClaim, 'uid' | 'id'>;
  readonly pod: PodRef;
}

export type ClaimAnswer =
  /** `resourceVersion` is that of the claim as it is now. */
  | { readonly answer: 'written'; readonly resourceVersion: string }
  /** It is not as it was seen. */
  | { readonly answer: 'conflict'; readonly failure: ClusterFailure }
  | { readonly answer: 'gone'; readonly failure: ClusterFailure }
  | { readonly answer: 'forbidden'; readonly failure: ClusterFailure }
  | { readonly answer: 'refused'; readonly failure: ClusterFailure }
  | { readonly answer: 'unknown'; readonly failure: ClusterFailure };
