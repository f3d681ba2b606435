import { EMPTY_REQUEST, type Pod, type Request } from '@springtide/core/model';
import type { RequestBuilder } from './request-builder.ts';

/** A pod in the making. */
export class PodBuilder {
  readonly #pod: Pod;

  constructor(pod: Pod) {
    this.#pod = pod;
  }

  #with(part: Partial<Pod>): PodBuilder {
    return new PodBuilder({ ...this.#pod, ...part });
  }

  asking(request: Request | RequestBuilder): PodBuilder {
    return this.#with({ request: 'build' in request ? request.build() : request });
  }

  labelled(key: string, value: string): PodBuilder {
    return this.#with({ labels: new Map([...this.#pod.labels, [key, value]]) });
  }

  replicaOf(service: string, serviceReplicas: number): PodBuilder {
    return this.#with({ service, serviceReplicas });
  }

  ofTenant(tenant: string): PodBuilder {
    return this.#with({ tenant });
  }

  inNamespace(namespace: string): PodBuilder {
    return this.#with({ namespace });
  }

  build(): Pod {
    return this.#pod;
  }
}

/** A pod of no tenant and no service in the namespace `default`, which asks for nothing. */
export function aPod(id: string): PodBuilder {
  return new PodBuilder({
    id,
    namespace: 'default',
    labels: new Map(),
    service: '',
    serviceReplicas: 0,
    tenant: '',
    priority: 0,
    request: EMPTY_REQUEST,
  });
}
