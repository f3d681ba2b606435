import { err, ok, type Result } from '@springtide/core/base';
import type { Clock } from '@springtide/ports/clock';
import type { ClusterFailure, PodRef } from '@springtide/ports/cluster';
import type { TokenAnswer, TokenPod } from '@springtide/ports/progress';
import type { ApiClient } from '../client/api-client.ts';
import { Believed } from '../client/believed.ts';
import { readOr } from '../fault.ts';
import { booleanAt, type Fields, fieldsAt, fieldsOf, textAt, textMapAt, textsAt } from '../fields.ts';
import { jobOf } from './job-object.ts';

/** What tokens have to be made for: one that is good for the API server is not to be shown to anybody else. */
export const PROGRESS_AUDIENCE = 'springtide.io';

/** The annotation by which a pod is told as which incarnation of its job it was started. */
const INCARNATION = 'springtide.io/incarnation';

const BELIEVED_MS = 60_000;
const KEPT_MAX = 16_384;

/** In a TokenReview's `extra`: the pod that a service account's token is bound to (KEP 2799 and 4193). */
const POD_NAME = 'authentication.kubernetes.io/pod-name';
const POD_UID = 'authentication.kubernetes.io/pod-uid';
const ACCOUNT = /^system:serviceaccount:([^:]+):[^:]+$/;

type Owner = Exclude<TokenAnswer, { answer: 'busy' | 'failed' }>;

/**
 * Whose pod a token is: the API server reviews it, for our audience, and gives the pod. The API server itself sees to
 * it that a token ends with its pod. An answer is believed for a minute; tokens are not kept.
 */
export class PodTokens {
  readonly #client: Pick<ApiClient, 'request'>;
  readonly #believed: Believed<Result<Owner, ClusterFailure>>;

  constructor(client: Pick<ApiClient, 'request'>, clock: Clock) {
    this.#client = client;
    this.#believed = new Believed(clock, BELIEVED_MS, KEPT_MAX);
  }

  async podOf(token: string): Promise<TokenAnswer> {
    const asked = await this.#believed.get(token, () => this.#review(token));
    if (asked === null) return { answer: 'busy' };
    return asked.ok ? asked.value : { answer: 'failed', failure: asked.error };
  }

  async #review(token: string): Promise<Result<Owner, ClusterFailure>> {
    const apiVersion = 'authentication.k8s.io/v1';
    const answer = await this.#client.request({
      method: 'POST',
      path: `/apis/${apiVersion}/tokenreviews`,
      body: { apiVersion, kind: 'TokenReview', spec: { token, audiences: [PROGRESS_AUDIENCE] } },
    });
    if (!answer.ok) return answer;
    const owner = ownerOf(answer.value);
    if (owner.answer !== 'pod') return ok(owner);
    const { pod } = owner;
    const found = await this.#client.request({
      method: 'GET',
      path: `/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/pods/${encodeURIComponent(pod.name)}`,
    });
    const gone: Owner = { answer: 'gone', pod: `${pod.namespace}/${pod.name}` };
    if (!found.ok) return found.error.code === 'not-found' ? ok(gone) : err(found.error);
    const read = readOr(null, () => tokenPodOf(fieldsOf(found.value, null), pod));
    return ok(read === null ? gone : { answer: 'pod', owner: read });
  }
}

type Reviewed = Exclude<Owner, { answer: 'pod' | 'gone' }> | { readonly answer: 'pod'; readonly pod: PodRef };

/** What is no answer says no. */
function ownerOf(review: unknown): Reviewed {
  return readOr<Reviewed>({ answer: 'unauthenticated' }, () => {
    const status = fieldsAt(fieldsOf(review, null), 'status');
    const isForUs = textsAt(status, 'audiences').includes(PROGRESS_AUDIENCE);
    if (!booleanAt(status, 'authenticated') || !isForUs) return { answer: 'unauthenticated' };
    const user = fieldsAt(status, 'user');
    const who = textAt(user, 'username');
    const extra = fieldsAt(user, 'extra');
    const [name = ''] = textsAt(extra, POD_NAME);
    const [uid = ''] = textsAt(extra, POD_UID);
    const namespace = ACCOUNT.exec(who)?.[1];
    if (namespace === undefined || name === '' || uid === '') return { answer: 'no-pod', who };
    return { answer: 'pod', pod: { namespace, name, uid } };
  });
}

/** Null: another pod has taken its name since. */
function tokenPodOf(object: Fields, pod: PodRef): TokenPod | null {
  const metadata = fieldsAt(object, 'metadata');
  if (textAt(metadata, 'uid') !== pod.uid) return null;
  const said = textMapAt(metadata, 'annotations').get(INCARNATION) ?? '';
  return {
    pod,
    job: jobOf(metadata, pod),
    machine: textAt(fieldsAt(object, 'spec'), 'nodeName'),
    incarnation: /^[1-9]\d{0,8}$/.test(said) ? Number(said) : null,
  };
}
