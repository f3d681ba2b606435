/** The register of what can go wrong with a cluster. A code never changes meaning. */

/** What may be done about a failure. */
export type RetryClass =
  /** The same order will fail again. */
  | 'never'
  /** It was not done, and may work later, after `retryAfterMs` where that is told. */
  | 'later'
  /** It was not done, because the world is not as it was thought to be: decide anew once the view has caught up. */
  | 'on-change'
  /** It may have been done: look before anything else. */
  | 'read-back';

export const CLUSTER_ERRORS = {
  stopped: { when: 'the client was stopped before the order was sent', retry: 'never' },
  fenced: { when: 'the lease under which the order was given is no longer held', retry: 'never' },
  'queue-full': { when: 'as many orders of its kind wait as may wait', retry: 'later' },
  'too-late': { when: 'the order waited longer than an order may wait to be sent', retry: 'later' },
  config: { when: 'kubeconfig or service account cannot be read or says nothing usable', retry: 'never' },
  credentials: { when: 'no credentials could be had: token file, certificate or plug-in', retry: 'later' },
  unreachable: { when: 'no connection could be made, so nothing was sent', retry: 'later' },
  interrupted: { when: 'the connection broke or the time was up after sending', retry: 'read-back' },
  server: { when: 'the API server answered with an error of its own', retry: 'read-back' },
  malformed: { when: 'the answer is not what the API promises', retry: 'read-back' },
  throttled: { when: 'the API server asks to come back later', retry: 'later' },
  unauthorized: { when: 'the API server does not accept the credentials', retry: 'later' },
  forbidden: { when: 'the credentials are good but the permission is missing', retry: 'never' },
  'not-found': { when: 'the object, or another one under its name, is what there is', retry: 'never' },
  conflict: { when: 'the object changed, or is already bound', retry: 'on-change' },
  exists: { when: 'there is an object of that name already', retry: 'on-change' },
  budget: { when: 'a disruption budget does not allow the eviction now', retry: 'later' },
  invalid: { when: 'the API server finds the request wrong', retry: 'never' },
  unsupported: { when: 'the API server does not have the resource or the verb', retry: 'never' },
  expired: { when: 'the resource version is too old: the list has to be made anew', retry: 'later' },
  'too-large': { when: 'an answer is larger than the bound for its kind', retry: 'never' },
} as const satisfies Readonly<Record<string, { readonly when: string; readonly retry: RetryClass }>>;

export type ClusterErrorCode = keyof typeof CLUSTER_ERRORS;

export interface ClusterFailure {
  readonly code: ClusterErrorCode;
  readonly retry: RetryClass;
  /** How long to wait at least, where the cluster says so. */
  readonly retryAfterMs: number | null;
  /** The API server's words, or the system's, cut to a readable length; never a credential. */
  readonly message: string;
}

const MESSAGE_LENGTH_MAX = 512;

export function clusterFailure(
  code: ClusterErrorCode,
  message: string,
  retryAfterMs: number | null = null,
): ClusterFailure {
  return { code, retry: CLUSTER_ERRORS[code].retry, retryAfterMs, message: message.slice(0, MESSAGE_LENGTH_MAX) };
}
