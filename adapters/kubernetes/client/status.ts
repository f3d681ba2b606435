import { type ClusterErrorCode, type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import { readOr } from '../fault.ts';
import { type Fields, fieldsAt, fieldsOf, has, integerAt, itemsAt, textAt } from '../fields.ts';

/** What the API server says when it says no: a `Status` object. */
export interface ApiStatus {
  readonly message: string;
  readonly reason: string;
  /** The object it is about; empty where a path is not served at all. */
  readonly name: string;
  readonly retryAfterMs: number | null;
  readonly causes: readonly { readonly reason: string; readonly field: string }[];
}

const NO_STATUS: ApiStatus = { message: '', reason: '', name: '', retryAfterMs: null, causes: [] };

/** The `Status` in an answer; an empty one where there is something else, as from a proxy in between. */
function statusOf(body: unknown): ApiStatus {
  return readOr(NO_STATUS, () => readStatus(fieldsOf(body, null)));
}

function readStatus(fields: Fields): ApiStatus {
  if (textAt(fields, 'kind') !== 'Status') return NO_STATUS;
  const details = fieldsAt(fields, 'details');
  const seconds = integerAt(details, 'retryAfterSeconds', { absent: 0, min: 0, max: 86_400 });
  return {
    message: textAt(fields, 'message'),
    reason: textAt(fields, 'reason'),
    name: textAt(details, 'name'),
    retryAfterMs: has(details, 'retryAfterSeconds') && seconds > 0 ? seconds * 1000 : null,
    causes: itemsAt(details, 'causes').map((item) => ({
      reason: textAt(item, 'reason'),
      field: textAt(item, 'field'),
    })),
  };
}

/** Codes that follow from the HTTP status alone. */
const CODES: ReadonlyMap<number, ClusterErrorCode> = new Map([
  [400, 'invalid'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [405, 'unsupported'],
  [406, 'unsupported'],
  [410, 'expired'],
  [413, 'invalid'],
  [415, 'unsupported'],
  [422, 'invalid'],
]);

/** What an answer that is no success means. `retryAfter` is the header of that name. */
export function failureOfAnswer(httpStatus: number, body: unknown, retryAfter: string | null = null): ClusterFailure {
  const status = statusOf(body);
  const message = status.message || `the API server answered ${httpStatus}`;
  return clusterFailure(codeOf(httpStatus, status), message, status.retryAfterMs ?? secondsOf(retryAfter));
}

function codeOf(httpStatus: number, status: ApiStatus): ClusterErrorCode {
  const isOfUid = status.causes.some((cause) => cause.field === 'metadata.uid');
  if (httpStatus === 404) return status.name === '' ? 'unsupported' : 'not-found';
  // A write that names the uid of an object which was made anew since.
  if (httpStatus === 422 && isOfUid) return 'not-found';
  if (httpStatus === 409) return status.reason === 'AlreadyExists' ? 'exists' : 'conflict';
  if (httpStatus === 429)
    return status.causes.some((cause) => cause.reason === 'DisruptionBudget') ? 'budget' : 'throttled';
  return CODES.get(httpStatus) ?? (httpStatus >= 500 ? 'server' : 'malformed');
}

function secondsOf(header: string | null): number | null {
  const seconds = header === null || !/^\d{1,5}$/.test(header) ? 0 : Number(header);
  return seconds === 0 ? null : seconds * 1000;
}

/** System errors after which it is certain that the request was not sent. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EACCES',
  'UND_ERR_CONNECT_TIMEOUT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_SIGNATURE_FAILURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** What an exception of the HTTP library means. */
export function failureOfError(error: unknown): ClusterFailure {
  const { code, message } = codeAndMessage(error);
  return clusterFailure(NEVER_SENT.has(code) ? 'unreachable' : 'interrupted', message);
}

function codeAndMessage(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: '', message: 'the connection broke' };
  const inner = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
  const code = 'code' in inner && typeof inner.code === 'string' ? inner.code : '';
  return { code, message: inner.message || code };
}
