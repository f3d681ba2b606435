import type { ProgressRefusal } from '@springtide/core/model';
import type { ProgressAnswer } from '@springtide/core/progress';
import type { ClusterFailure } from '@springtide/ports/cluster';
import type { MessageFault } from '@springtide/ports/progress';
import { LANGUAGES, type Said, said, saidIn } from '@springtide/wire/messages';
import { progressRefusalSaid } from '@springtide/wire/reasons';

/** What a job is answered: an HTTP status, and an object for the body. */
export interface Reply {
  readonly status: number;
  /** A word for it, such as for metrics. */
  readonly outcome: string;
  readonly body: object;
}

/** `error.message` has one text for each language: nobody tells who reads it. */
function refused(status: number, code: string, why: Said, facts: object = {}): Reply {
  const message = Object.fromEntries(LANGUAGES.map((language) => [language, saidIn(language, why)]));
  return { status, outcome: code, body: { error: { code, message, ...facts } } };
}

export function taken(incarnation: number, { from, checkpointWithinMs }: ProgressAnswer): Reply {
  const load = from === null ? null : { uri: from.uri, step: from.step, bytes: from.bytes, sha256: from.sha256 };
  return { status: 200, outcome: 'taken', body: { incarnation, from: load, checkpointWithinMs } };
}

export function malformed({ path, expected, found }: MessageFault): Reply {
  if (path === '' && expected === 'JSON') return refused(400, 'malformed', said('progress.refused.json'));
  const where = path === '' ? '.' : path;
  return refused(400, 'malformed', said('progress.refused.field', { path: where, expected, found }), { path });
}

export function unauthenticated(audience: string): Reply {
  return refused(401, 'unauthenticated', said('progress.refused.unauthenticated', { audience }));
}

export function noPod(who: string): Reply {
  return refused(403, 'no-pod', said('progress.refused.noPod', { who }));
}

export function podGone(pod: string): Reply {
  return refused(403, 'pod-gone', said('progress.refused.podGone', { pod }));
}

export function otherJob(job: string, own: string): Reply {
  return refused(403, 'other-job', said('progress.refused.otherJob', { job, own }));
}

export function busy(): Reply {
  return refused(503, 'busy', said('progress.refused.busy'));
}

/** It may be sent again: what was taken of it already is taken once. */
export function unavailable({ message }: ClusterFailure): Reply {
  return refused(503, 'unavailable', said('progress.refused.unavailable', { why: message }));
}

const STATUS: Readonly<Record<ProgressRefusal['why'], number>> = {
  stale: 409,
  'not-its-own': 409,
  'too-often': 429,
  full: 503,
};

export function notTaken(refusal: ProgressRefusal): Reply {
  const { why, ...facts } = refusal;
  return refused(STATUS[why], why, progressRefusalSaid(refusal), facts);
}
