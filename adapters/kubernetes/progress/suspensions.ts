import type { Random } from '@springtide/core/base';
import type { JobRecord } from '@springtide/core/model';
import type { Clock } from '@springtide/ports/clock';
import type { ApiClient } from '../client/api-client.ts';
import { readOr } from '../fault.ts';
import type { Fields } from '../fields.ts';
import { QUEUEING_VERSION } from '../queueing/version.ts';
import { workloadObjectOf } from '../queueing/workload.ts';
import { Reflector } from '../watch/reflector.ts';

export interface SuspensionTools {
  readonly client: Pick<ApiClient, 'request' | 'stream'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Hears of a job (`namespace/name` of its Workload) that it has to leave, or, with null, that it need not. */
  readonly told: (job: string, leaving: JobRecord | null) => void;
}

/** Follows the Workloads that are told to leave: what they say is told once, when it changes. Nothing else is kept. */
export class Suspensions {
  readonly #told: SuspensionTools['told'];
  readonly #leaving = new Set<string>();
  readonly #reflector: Reflector;

  constructor({ client, clock, random, told }: SuspensionTools) {
    this.#told = told;
    // A cluster without queues has no Workloads.
    const resource = { path: `/apis/${QUEUEING_VERSION}/workloads`, query: {}, isOptional: true };
    const seen = (object: Fields): void => this.#see(object);
    const gone = ({ id }: { readonly id: string }): void => this.#end(id);
    const sink = { seen, gone, room: () => null, changed: () => {} };
    this.#reflector = new Reflector({ client, clock, random, resource, sink });
  }

  start(): void {
    this.#reflector.start();
  }

  stop(): Promise<void> {
    return this.#reflector.stop();
  }

  #see(object: Fields): void {
    const workload = readOr(null, () => workloadObjectOf(object));
    if (workload === null) return;
    const { id, record } = workload;
    if (record?.state !== 'suspending') return this.#end(id);
    this.#leaving.add(id);
    this.#told(id, record);
  }

  #end(id: string): void {
    if (this.#leaving.delete(id)) this.#told(id, null);
  }
}
