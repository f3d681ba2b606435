import type { ClusterFailure } from './errors.ts';

/** One time in office. Once it has ended it never becomes valid again, even if the same holder leads anew. */
export interface Term {
  readonly holder: string;
  /** Grows with every change of holder: of two terms the one with more is the later. */
  readonly transitions: number;
  /** How the lease was had; after `expired` the one before may have orders under way. */
  readonly cameBy: 'free' | 'released' | 'expired' | 'own';
  /** It is certain that nobody else leads now, by the monotone clock. */
  readonly isValid: () => boolean;
  /** `Clock.nowMs` up to which that is certain, if no renewal succeeds. */
  readonly validUntilMs: () => number;
}

export type LeaseState =
  | { readonly state: 'leading'; readonly term: Term }
  /** `holder` is empty while nobody is known to lead. */
  | { readonly state: 'following'; readonly holder: string }
  | { readonly state: 'stopped' };

/** Leader election: one at a time is in office. Renewed on a timer of its own, whatever its caller does. */
export interface Lease {
  readonly state: () => LeaseState;
  /** Called at each change, at once; the answer unsubscribes. */
  readonly onChange: (listener: (state: LeaseState) => void) => () => void;
  /** Begins to stand for election. */
  readonly start: () => void;
  /** Gives the office up, so that the next need not wait for it to expire, and stops standing. */
  readonly release: () => Promise<void>;
  /** The last thing that went wrong, for `/debug/state` and readiness; null: nothing since the last success. */
  readonly failure: () => ClusterFailure | null;
}
