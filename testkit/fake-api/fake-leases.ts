import { err, ok, type Result } from '@springtide/core/base';
import type { ApiRequest } from '@springtide/adapters/kubernetes/client';
import type { Clock } from '@springtide/ports/clock';
import { type ClusterErrorCode, type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import type { Json } from './fake-store.ts';

type Answer = Result<unknown, ClusterFailure>;

/** What happens to one request on its way. */
export interface Journey {
  readonly thereMs: number;
  readonly backMs: number;
  /** It never arrives, or its answer does not. */
  readonly loses: 'request' | 'answer' | 'nothing';
}

/** One Lease object in an API server that takes its time, loses requests and answers, and refuses stale writes. */
export class FakeLeases {
  readonly #clock: Clock;
  readonly #journey: (client: string) => Journey;
  #version = 1;
  lease: Json | null = null;
  readonly requests: string[] = [];

  constructor(
    clock: Clock,
    journey: (client: string) => Journey = () => ({ thereMs: 1, backMs: 1, loses: 'nothing' }),
  ) {
    this.#clock = clock;
    this.#journey = journey;
  }

  get spec(): Json {
    return (this.lease?.['spec'] ?? {}) as Json;
  }

  /** What one client has to speak to. */
  clientOf(name: string): { request: (request: ApiRequest) => Promise<Answer> } {
    return { request: (request) => this.#travel(this.#journey(name), request) };
  }

  #travel({ thereMs, backMs, loses }: Journey, request: ApiRequest): Promise<Answer> {
    const timeoutMs = request.timeoutMs ?? 10_000;
    return new Promise((resolve) => {
      this.#clock.after(timeoutMs, () => resolve(err(clusterFailure('interrupted', 'no answer'))));
      if (loses === 'request') return;
      this.#clock.after(thereMs, () => {
        const answer = this.#serve(request);
        if (loses === 'nothing') this.#clock.after(backMs, () => resolve(answer));
      });
    });
  }

  #serve({ method, body }: ApiRequest): Answer {
    this.requests.push(method);
    if (method === 'GET') return this.lease === null ? no('not-found') : ok(structuredClone(this.lease));
    if (method === 'POST' && this.lease !== null) return no('exists');
    const sent = structuredClone(body) as Json & { metadata: Json };
    if (method === 'PUT' && sent.metadata['resourceVersion'] !== this.#held()) return no('conflict');
    this.#version += 1;
    this.lease = { ...sent, metadata: { ...sent.metadata, resourceVersion: String(this.#version) } };
    return ok(structuredClone(this.lease));
  }

  #held(): unknown {
    return (this.lease?.['metadata'] as Json | undefined)?.['resourceVersion'];
  }
}

function no(code: ClusterErrorCode): Answer {
  return err(clusterFailure(code, code));
}
