/** The card: what a vendor's device plug-in offers, one abstraction over all vendors (H1). */

export type CardHealth = 'ok' | 'degraded' | 'fault' | 'unknown';

/**
 * How a card may be cut. `none`: only whole. `memory`: MiB and compute share, by a plug-in that enforces them (HAMi).
 * `fraction`: shares that another scheduler keeps in annotations (KAI); no plug-in knows them.
 */
export type Slicing = 'none' | 'memory' | 'fraction' | 'mig' | 'template';

/** A MIG profile as a plug-in offers it on a card: fewer than the product has, with the sizes of that very card. */
export interface MigOffer {
  /** Such as `1g.5gb`. */
  readonly name: string;
  readonly memoryMiB: number;
  readonly computeMilli: number;
  /** First memory slices allowed, best first. */
  readonly starts: readonly number[];
  /** Memory slices taken. */
  readonly size: number;
}

/**
 * How far the promises made on a card may go beyond the card itself, to pods of kind `shared` alone (P3). A part that
 * is no larger than the card's own is no oversubscription.
 */
export interface SharedBound {
  /** All that pods hold of the card together; what a guaranteed pod holds is within the card's own memory. */
  readonly memoryMiB: number;
  /** What shared pods hold together, beside the guaranteed ones. */
  readonly computeMilli: number;
}

export interface Card {
  /** Unique in the fleet: the vendor's UUID, else `machine/index`. */
  readonly id: string;
  /** Key of the vendor table, such as `nvidia`. Sizes of different vendors are never compared by number. */
  readonly vendor: string;
  /** The extended resource a pod names to get it, such as `nvidia.com/gpu`; requests match cards by it. */
  readonly resource: string;
  /** The vendor's product name; empty when the cluster does not tell. */
  readonly model: string;
  /** 0 when unknown: then requests in MiB are refused and only whole cards and compute shares are counted. */
  readonly memoryMiB: number;
  /** Thousandths of a card, always 1,000 for a healthy physical card. */
  readonly computeMilli: number;
  /** The most pods at once where the plug-in has such a limit (HAMi's count), else null. */
  readonly sharesMax: number | null;
  readonly slicing: Slicing;
  /** Absent: shared pods are judged like slices. */
  readonly shared?: SharedBound;
  /** Ascending by memory, where `slicing` is `mig` and the plug-in tells; absent: the product's own. */
  readonly migProfiles?: readonly MigOffer[];
  /** Number of the fast-link island (NVLink, HCCS) within the machine. */
  readonly island: number;
  /** Number of the NUMA node that it hangs on; absent: nobody tells. */
  readonly numa?: number;
  readonly health: CardHealth;
}

/** A card takes new work only in these states; unknown is not ok (exporter silent: no new work there). */
export function isUsable(health: CardHealth): boolean {
  return health === 'ok' || health === 'degraded';
}

/** What the book says of one card: which part of it a pod holds. */
export interface SliceHeld {
  readonly cardId: string;
  readonly memoryMiB: number;
  readonly computeMilli: number;
  /** First memory slice of a MIG instance, else null. */
  readonly migStart: number | null;
}
