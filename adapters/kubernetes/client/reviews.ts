import { createHash } from 'node:crypto';
import { err, ok, type Result } from '@springtide/core/base';
import type { Clock } from '@springtide/ports/clock';
import type { ClusterFailure } from '@springtide/ports/cluster';
import { readOr } from '../fault.ts';
import { booleanAt, type Fields, fieldsAt, fieldsOf, textAt, textsAt } from '../fields.ts';
import type { ApiClient } from './api-client.ts';

/** Whether the owner of a token may do a thing, as the API server says. */
export type Review = 'allowed' | 'unauthenticated' | 'forbidden';

/** As long as kube-scheduler believes an answer, for either answer. */
const BELIEVED_MS = 10_000;
/** Answers kept; when full the oldest goes. */
const KEPT_MAX = 256;
/** Questions under way at once; beyond that nobody is asked. */
const ASKED_MAX = 8;

interface Kept {
  readonly untilMs: number;
  readonly review: Promise<Result<Review, ClusterFailure> | null>;
}

/**
 * Asks the API server who a bearer token is (TokenReview) and whether he may get a path that is no resource
 * (SubjectAccessReview), as kube-scheduler does. Answers are believed for ten seconds; tokens are not kept.
 */
export class Reviews {
  readonly #client: Pick<ApiClient, 'request'>;
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();
  #asking = 0;

  constructor(client: Pick<ApiClient, 'request'>, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Null: too many are being asked already. */
  mayGet(token: string, path: string): Promise<Result<Review, ClusterFailure> | null> {
    const nowMs = this.#clock.nowMs();
    const key = createHash('sha256').update(`${path}\0${token}`).digest('base64');
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.untilMs > nowMs) return kept.review;
    if (this.#asking >= ASKED_MAX) return Promise.resolve(null);
    const review = this.#ask(token, path, key);
    this.#kept.delete(key);
    this.#kept.set(key, { untilMs: nowMs + BELIEVED_MS, review });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest);
    return review;
  }

  async #ask(token: string, path: string, key: string): Promise<Result<Review, ClusterFailure>> {
    this.#asking += 1;
    const review = await this.#review(token, path);
    this.#asking -= 1;
    // What nobody could tell is asked again.
    if (!review.ok) this.#kept.delete(key);
    return review;
  }

  async #review(token: string, path: string): Promise<Result<Review, ClusterFailure>> {
    const asked = await this.#create('authentication.k8s.io', 'TokenReview', { token });
    if (!asked.ok) return asked;
    const user = userOf(asked.value);
    if (user === null) return ok('unauthenticated');
    const nonResourceAttributes = { path, verb: 'get' };
    const judged = await this.#create('authorization.k8s.io', 'SubjectAccessReview', {
      ...user,
      nonResourceAttributes,
    });
    if (!judged.ok) return judged;
    return ok(isTrue(judged.value, 'allowed') ? 'allowed' : 'forbidden');
  }

  async #create(group: string, kind: string, spec: object): Promise<Result<Fields, ClusterFailure>> {
    const apiVersion = `${group}/v1`;
    const answer = await this.#client.request({
      method: 'POST',
      path: `/apis/${apiVersion}/${kind.toLowerCase()}s`,
      body: { apiVersion, kind, spec },
    });
    return answer.ok ? ok(statusOf(answer.value)) : err(answer.error);
  }
}

const NOTHING: Fields = { values: {}, path: null };

/** What is no answer says no. */
function statusOf(body: unknown): Fields {
  return readOr(NOTHING, () => fieldsAt(fieldsOf(body, null), 'status'));
}

function isTrue(status: Fields, key: string): boolean {
  return readOr(false, () => booleanAt(status, key));
}

/** The user as a SubjectAccessReview takes it; null: the token is nobody's. */
function userOf(status: Fields): object | null {
  return readOr(null, () => {
    const user = fieldsAt(status, 'user');
    const [name, uid] = [textAt(user, 'username'), textAt(user, 'uid')];
    if (!booleanAt(status, 'authenticated') || name === '') return null;
    return { user: name, uid, groups: textsAt(user, 'groups'), extra: fieldsAt(user, 'extra').values };
  });
}
