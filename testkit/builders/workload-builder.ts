import type { PodRole, Request, TopologyRequest, Workload } from '@springtide/core/model';
import type { RequestBuilder } from './request-builder.ts';

/** A workload in the making. */
export class WorkloadBuilder {
  readonly #workload: Workload;

  constructor(workload: Workload) {
    this.#workload = workload;
  }

  #with(part: Partial<Workload>): WorkloadBuilder {
    return new WorkloadBuilder({ ...this.#workload, ...part });
  }

  pods(name: string, count: number, request: Request | RequestBuilder, role: PodRole = 'worker'): WorkloadBuilder {
    const set = { name, count, role, request: 'build' in request ? request.build() : request };
    return this.#with({ podSets: [...this.#workload.podSets, set] });
  }

  service(service: string): WorkloadBuilder {
    return this.#with({ service });
  }

  /** All start together or none, as near as the topology says. */
  gang(topology: TopologyRequest | null = null): WorkloadBuilder {
    return this.#with({ gang: true, topology });
  }

  build(): Workload {
    return this.#workload;
  }
}

export function aWorkload(id: string): WorkloadBuilder {
  return new WorkloadBuilder({
    id,
    namespace: 'default',
    tenant: '',
    queue: '',
    priority: 0,
    labels: new Map(),
    service: '',
    podSets: [],
    gang: false,
    topology: null,
  });
}
