/** When a job would start, as it is told. Times are from now on. */
export type ExpectedStart =
  /** A dry run has just placed it. */
  | { readonly kind: 'now' }
  /** As likely after `p50Ms` as before, and nine times of ten before `p90Ms`. */
  | { readonly kind: 'later'; readonly p50Ms: number; readonly p90Ms: number }
  /** Not as far as one can see. */
  | { readonly kind: 'unforeseeable' };

/** What a job is told of one flavor that it may have. */
export interface FlavorAdvice {
  readonly flavor: string;
  readonly start: ExpectedStart;
  /** Of all its cards together, in millionths of the currency. */
  readonly priceMicrosPerHour: number;
  /** Data that has to be moved there first; null: not known. */
  readonly bytesToMove: number | null;
  /** How old the estimate of the start is. */
  readonly ageMs: number;
}
