import type { Result } from '@springtide/core/base';
import type { ClusterFailure } from '@springtide/ports/cluster';
import type { Fields } from '../fields.ts';
import type { ObjectRef } from './known-objects.ts';

export interface ReflectedResource {
  /** Such as `/api/v1/pods`. */
  readonly path: string;
  /** Selectors. */
  readonly query: Readonly<Record<string, string>>;
  /** A cluster may lack it, or keep it from us: then it counts as listed, and empty. */
  readonly isOptional: boolean;
  /** Asked before a list is: what is not served is not asked for. */
  readonly isServed?: () => Promise<Result<boolean, ClusterFailure>>;
}

/** Where objects go. They are turned into nouns at once: the reflector keeps nothing of them but uid and version. */
export interface ReflectorSink {
  readonly seen: (object: Fields) => void;
  /** `last` is the object as it was at the end; null where a list did not have it any more. */
  readonly gone: (object: ObjectRef, last: Fields | null) => void;
  /** Null: go on. Else nothing more is read until it resolves. */
  readonly room: () => Promise<void> | null;
  /** It is listed, lost or back. */
  readonly changed: () => void;
}

export interface ReflectorState {
  readonly isListed: boolean;
  /** The version up to which everything has been told; empty while a list is being made. */
  readonly version: string;
  /** The API server does not have the resource, or does not show it to us. */
  readonly isAbsent: boolean;
  readonly disconnectedSinceMs: number | null;
  readonly heardAtMs: number;
  readonly failure: ClusterFailure | null;
  readonly objects: number;
  readonly lists: number;
  readonly watches: number;
  /** Objects that had no name or uid. */
  readonly skipped: number;
}

export interface ReflectorTimes {
  readonly pageSize: number;
  readonly pageBytesMax: number;
  readonly lineBytesMax: number;
  /** For a page of a list, and for the beginning of a watch. */
  readonly requestMs: number;
  /** A watch is asked to end after so many seconds, or up to twice that, so that not all begin anew at once. */
  readonly watchSeconds: number;
  /** Silence after which a watch is given up; bookmarks come every minute. */
  readonly idleMs: number;
  /** A watch that ends sooner counts as a failure. */
  readonly shortWatchMs: number;
  readonly backoffFirstMs: number;
  readonly backoffCapMs: number;
  /** How often a resource is looked for that is not there. */
  readonly absentMs: number;
  /** So many lists in a row that are older than one before are refused. */
  readonly staleListsMax: number;
}

export const REFLECTOR_TIMES: ReflectorTimes = {
  pageSize: 500,
  pageBytesMax: 256 << 20,
  lineBytesMax: 16 << 20,
  requestMs: 30_000,
  watchSeconds: 300,
  idleMs: 150_000,
  shortWatchMs: 1000,
  backoffFirstMs: 100,
  backoffCapMs: 5000,
  absentMs: 60_000,
  staleListsMax: 3,
};

/** How a list or a watch ended. */
export type Ending =
  /** All was well: go on at once. */
  { readonly kind: 'done' } | { readonly kind: 'failed'; readonly failure: ClusterFailure };

export const DONE: Ending = { kind: 'done' };

export function failed(failure: ClusterFailure): Ending {
  return { kind: 'failed', failure };
}
