import { err, ok, type Result } from '@springtide/core/base';
import type { Clock } from '@springtide/ports/clock';
import { type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import { InputFault } from '../fault.ts';
import { fieldsOf, itemsAt, textAt } from '../fields.ts';
import type { ApiClient } from './api-client.ts';

type Served = Result<ReadonlySet<string>, ClusterFailure>;

/** Which versions of which API groups are served, asked once for everybody and again when that is old. */
export class Discovery {
  readonly #client: Pick<ApiClient, 'request'>;
  readonly #clock: Clock;
  readonly #freshMs: number;
  #asked: { readonly atMs: number; readonly served: Promise<Served> } | null = null;

  constructor(client: Pick<ApiClient, 'request'>, clock: Clock, freshMs = 20_000) {
    this.#client = client;
    this.#clock = clock;
    this.#freshMs = freshMs;
  }

  /** Such as `scheduling.k8s.io/v1beta1`. */
  served(): Promise<Served> {
    const nowMs = this.#clock.nowMs();
    if (this.#asked === null || nowMs - this.#asked.atMs >= this.#freshMs) {
      this.#asked = { atMs: nowMs, served: this.#ask() };
    }
    return this.#asked.served;
  }

  async #ask(): Promise<Served> {
    const answer = await this.#client.request({ method: 'GET', path: '/apis' });
    if (!answer.ok) this.#asked = null;
    return answer.ok ? versionsOf(answer.value) : answer;
  }
}

function versionsOf(body: unknown): Served {
  try {
    const groups = itemsAt(fieldsOf(body, null), 'groups');
    return ok(
      new Set(groups.flatMap((group) => itemsAt(group, 'versions').map((item) => textAt(item, 'groupVersion')))),
    );
  } catch (error) {
    if (!(error instanceof InputFault)) throw error;
    return err(clusterFailure('malformed', '/apis: no list of API groups'));
  }
}
