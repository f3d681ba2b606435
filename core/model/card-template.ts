import type { Toleration } from './constraints.ts';

/** The three granularities (P3): whole cards; slices, isolated; shared, with a priority. */
export type Granularity = 'whole' | 'slice' | 'shared';

/** What users pick by name instead of a vendor's resources: an object `CardTemplate`. */
export interface CardTemplate {
  readonly name: string;
  readonly granularity: Granularity;
  readonly cards: number;
  /** Of each card; 0 where cards are whole. */
  readonly memoryMiB: number;
  /** Of each card; 0: not limited. */
  readonly computePercent: number;
  /** Of shared cards, as the vendor's plug-in counts it; null: it yields to others. */
  readonly priority: number | null;
  /** Card resources that it may be made of, the first that the cluster has; empty: any vendor's, in the table's order. */
  readonly resources: readonly string[];
  readonly tolerations: readonly Toleration[];
  /** The isolated pool that its pods go to; empty: the common one. */
  readonly pool: string;
}
