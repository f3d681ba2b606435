import { err, ok, type Result } from '@springtide/core/base';
import type { Clock } from '@springtide/ports/clock';
import type { ClusterFailure } from '@springtide/ports/cluster';
import { readOr } from '../fault.ts';
import { booleanAt, type Fields, fieldsAt, fieldsOf, textAt, textsAt } from '../fields.ts';
import type { ApiClient } from './api-client.ts';
import { Believed } from './believed.ts';

/** Whether the owner of a token may do a thing, as the API server says. */
export type Review = 'allowed' | 'unauthenticated' | 'forbidden';

/** As long as kube-scheduler believes an answer, for either answer. */
const BELIEVED_MS = 10_000;
const KEPT_MAX = 256;

/**
 * Asks the API server who a bearer token is (TokenReview) and whether he may get a path that is no resource
 * (SubjectAccessReview), as kube-scheduler does. Answers are believed for ten seconds; tokens are not kept.
 */
export class Reviews {
  readonly #client: Pick<ApiClient, 'request'>;
  readonly #believed: Believed<Result<Review, ClusterFailure>>;

  constructor(client: Pick<ApiClient, 'request'>, clock: Clock) {
    this.#client = client;
    this.#believed = new Believed(clock, BELIEVED_MS, KEPT_MAX);
  }

  /** Null: too many are being asked already. */
  async mayGet(token: string, path: string): Promise<Result<Review, ClusterFailure> | null> {
    return this.#believed.get(`${path}\0${token}`, () => this.#review(token, path));
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
