import { ok, type Result } from '@springtide/core/base';
import type { TroubleVerdict } from '@springtide/core/model';
import type { ProgressRecord } from '@springtide/core/progress';
import type { Clock } from '@springtide/ports/clock';
import type { ClusterFailure, PodRef } from '@springtide/ports/cluster';
import type { JobObject, JobsInProgress, SaveAnswer } from '@springtide/ports/progress';
import type { ApiClient } from '../client/api-client.ts';
import { readOr } from '../fault.ts';
import { type Fields, fieldsAt, fieldsOf, has, textAt, textMapAt } from '../fields.ts';
import { isFinished } from '../observed-pod.ts';
import { jobPath } from './job-object.ts';
import { PodTokens, PROGRESS_AUDIENCE } from './pod-tokens.ts';
import { PROGRESS, recordOf, recordText } from './record-text.ts';
import { VERDICT, verdictText } from './verdict-text.ts';

type Client = Pick<ApiClient, 'request'>;

/** A write that meets another one is tried so often. */
const TRIES = 3;

const NOTHING: Fields = { values: {}, path: null };

/** Jobs of an API server: tokens by TokenReview, progress in an annotation of the job's object. */
export function jobsInProgress(client: Client, clock: Clock): JobsInProgress {
  const tokens = new PodTokens(client, clock);
  return {
    audience: PROGRESS_AUDIENCE,
    podOf: (token) => tokens.podOf(token),
    load: async (job) => {
      const found = await kept(client, job);
      return found.ok ? ok(found.value.record) : found;
    },
    save: (job, record, verdict) => save(client, job, record, verdict),
    isRunning: (pod) => isRunning(client, pod),
  };
}

interface Kept {
  readonly record: ProgressRecord | null;
  readonly metadata: Fields;
}

async function kept(client: Client, job: JobObject): Promise<Result<Kept, ClusterFailure>> {
  const found = await client.request({ method: 'GET', path: jobPath(job) });
  if (!found.ok) return found;
  const metadata = readOr(NOTHING, () => fieldsAt(fieldsOf(found.value, null), 'metadata'));
  const text = readOr('', () => textMapAt(metadata, 'annotations').get(PROGRESS) ?? '');
  return ok({ record: recordOf(text), metadata });
}

/** Only on the object as it was read: a later incarnation that somebody else wrote meanwhile stays. */
async function save(
  client: Client,
  job: JobObject,
  record: ProgressRecord,
  verdict: TroubleVerdict | null,
): Promise<SaveAnswer> {
  for (let left = TRIES; ; left -= 1) {
    const found = await kept(client, job);
    if (!found.ok) return failed(found.error);
    const { record: before, metadata } = found.value;
    if (before !== null && before.incarnation > record.incarnation) {
      return { answer: 'fenced', live: before.incarnation };
    }
    const [uid, resourceVersion] = [textAt(metadata, 'uid'), textAt(metadata, 'resourceVersion')];
    const answer = await client.request({
      method: 'PATCH',
      path: jobPath(job),
      contentType: 'application/merge-patch+json',
      body: { metadata: { uid, resourceVersion, annotations: annotationsOf(record, verdict) } },
    });
    if (answer.ok) return { answer: 'saved' };
    if (answer.error.code !== 'conflict' || left === 1) return failed(answer.error);
  }
}

function annotationsOf(record: ProgressRecord, verdict: TroubleVerdict | null): Readonly<Record<string, string>> {
  return { [PROGRESS]: recordText(record), ...(verdict === null ? {} : { [VERDICT]: verdictText(verdict) }) };
}

function failed(failure: ClusterFailure): SaveAnswer {
  return failure.code === 'not-found' ? { answer: 'gone' } : { answer: 'failed', failure };
}

async function isRunning(client: Client, { namespace, name, uid }: PodRef): Promise<Result<boolean, ClusterFailure>> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
  const found = await client.request({ method: 'GET', path });
  if (!found.ok) return found.error.code === 'not-found' ? ok(false) : found;
  const object = readOr(NOTHING, () => fieldsOf(found.value, null));
  const metadata = readOr(NOTHING, () => fieldsAt(object, 'metadata'));
  return ok(textAt(metadata, 'uid') === uid && !has(metadata, 'deletionTimestamp') && !isFinished(object));
}
