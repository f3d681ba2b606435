import type { ProgressReport, TroubleVerdict } from '@springtide/core/model';
import type { ProgressRecord } from '@springtide/core/progress';
import type { Result } from '@springtide/core/base';
import type { ClusterFailure, PodRef } from '../cluster/index.ts';

/** The object whose pods are a job; a pod that nobody keeps is its own. */
export interface JobObject {
  /** As the queue calls the job, `namespace/name`. */
  readonly id: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A pod whose own token was shown. */
export interface TokenPod {
  readonly pod: PodRef;
  readonly job: JobObject;
  /** Empty: not known. */
  readonly machine: string;
  /** The incarnation that it was started as; null: nobody has said. */
  readonly incarnation: number | null;
}

export type TokenAnswer =
  | { readonly answer: 'pod'; readonly owner: TokenPod }
  | { readonly answer: 'unauthenticated' }
  /** It is somebody's whose token is bound to no pod. */
  | { readonly answer: 'no-pod'; readonly who: string }
  | { readonly answer: 'gone'; readonly pod: string }
  /** As many tokens are being looked at as may be. */
  | { readonly answer: 'busy' }
  | { readonly answer: 'failed'; readonly failure: ClusterFailure };

export type SaveAnswer =
  | { readonly answer: 'saved' }
  /** A later incarnation is kept already: nothing was written. */
  | { readonly answer: 'fenced'; readonly live: number }
  | { readonly answer: 'gone' }
  | { readonly answer: 'failed'; readonly failure: ClusterFailure };

/** Jobs that report: who they are, and what is kept of their progress, with the object of the job. */
export interface JobsInProgress {
  /** The audience that tokens have to be for. */
  readonly audience: string;
  readonly podOf: (token: string) => Promise<TokenAnswer>;
  /** What was saved last; null: nothing yet. */
  readonly load: (job: JobObject) => Promise<Result<ProgressRecord | null, ClusterFailure>>;
  /** Never over a later incarnation. `verdict`: written with it, for whoever admits the job; null: the last one stays. */
  readonly save: (job: JobObject, record: ProgressRecord, verdict: TroubleVerdict | null) => Promise<SaveAnswer>;
  /** Whether the pod is still there and has not ended. */
  readonly isRunning: (pod: PodRef) => Promise<Result<boolean, ClusterFailure>>;
}

/** What a job sends, read. */
export interface ProgressMessage {
  /** Its name, as the pod believes. */
  readonly job: string;
  readonly report: ProgressReport;
}

/** What is wrong with what a job sent. */
export interface MessageFault {
  /** Empty: it is no JSON object. */
  readonly path: string;
  readonly expected: string;
  readonly found: string;
}
