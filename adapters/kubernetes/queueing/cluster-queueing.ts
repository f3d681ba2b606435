import type { Random } from '@springtide/core/base';
import type { Clock } from '@springtide/ports/clock';
import type { Term } from '@springtide/ports/cluster';
import type { Queueing, QueueingEvent, QueueingOrders, QueueingView } from '@springtide/ports/queueing';
import type { ApiClient } from '../client/api-client.ts';
import { Discovery } from '../client/discovery.ts';
import { Gate } from '../client/gate.ts';
import type { Fields } from '../fields.ts';
import { KeyedQueue } from '../watch/keyed-queue.ts';
import type { ObjectRef } from '../watch/known-objects.ts';
import { Reflector } from '../watch/reflector.ts';
import { queueingOrders } from './orders.ts';
import { QueuedObjects } from './queued-objects.ts';
import { type QueueingSource, queueingSources } from './sources.ts';
import { WorkloadVersions } from './workload-versions.ts';
import { workloadObjectOf } from './workload.ts';

export interface ClusterQueueingOptions {
  readonly client: Pick<ApiClient, 'request' | 'stream'>;
  readonly clock: Clock;
  readonly random: Random;
}

/** Events that wait to be taken; when there are as many, the watches are not read. */
const EVENTS_MAX = 100_000;

/** The port of admission on a Kubernetes API server. */
export class ClusterQueueing implements Queueing {
  readonly #options: ClusterQueueingOptions;
  readonly #events = new KeyedQueue<QueueingEvent>(EVENTS_MAX);
  readonly #objects: QueuedObjects;
  readonly #versions = new WorkloadVersions();
  readonly #gate: Gate;
  readonly #watched: readonly { readonly source: QueueingSource; readonly reflector: Reflector }[];
  readonly view: QueueingView;

  constructor(options: ClusterQueueingOptions) {
    const { client, clock, random } = options;
    this.#options = options;
    this.#gate = new Gate(clock);
    const put = (event: QueueingEvent): void => this.#events.put(keyOf(event), event);
    this.#objects = new QueuedObjects(put);
    const seeWorkload = (object: Fields): void => {
      const workload = workloadObjectOf(object);
      if (this.#versions.isNews(workload.uid, workload.version)) put({ kind: 'workload-seen', workload });
    };
    const loseWorkload = ({ id, uid }: ObjectRef): void => {
      this.#versions.forget(uid);
      put({ kind: 'workload-gone', workload: id });
    };
    const sources = queueingSources({
      put,
      discovery: new Discovery(client, clock),
      objects: this.#objects,
      seeWorkload,
      loseWorkload,
    });
    const room = (): Promise<void> | null => (this.#events.hasRoom ? null : this.#events.room());
    this.#watched = sources.map((source) => {
      const { resource, seen, gone } = source;
      const sink = { seen, gone, room, changed: () => {} };
      return { source, reflector: new Reflector({ client, clock, random, resource, sink }) };
    });
    this.view = {
      take: (countMax) => this.#events.take(countMax),
      onReady: (listener) => this.#events.onReady(listener),
      isSynced: () => this.#watched.every(({ reflector }) => reflector.state.isListed),
      refresh: async () => {
        // What is not there was written by nobody, and is never listed.
        const there = this.#watched.filter(({ reflector }) => !reflector.state.isAbsent);
        await Promise.all(there.map(({ reflector }) => reflector.relist()));
      },
    };
  }

  readonly start = (): void => {
    for (const { reflector } of this.#watched) reflector.start();
  };

  readonly orders = (term: Term): QueueingOrders => {
    const { client, clock } = this.#options;
    return queueingOrders(term, { client, gate: this.#gate, clock, objects: this.#objects, versions: this.#versions });
  };

  readonly stop = async (): Promise<void> => {
    await this.#gate.stop();
    const stopped = this.#watched.map(({ reflector }) => reflector.stop());
    this.#events.release();
    await Promise.all(stopped);
  };
}

/** What an event is about: of two events with one key only the newer is told. */
function keyOf(event: QueueingEvent): string {
  switch (event.kind) {
    case 'queue-seen':
      return `queue ${event.queue.spec.id}`;
    case 'cohort-seen':
      return `cohort ${event.cohort.id}`;
    case 'flavor-seen':
      return `flavor ${event.flavor.id}`;
    case 'job-seen':
      return `job ${event.job.id}`;
    case 'workload-seen':
      return `workload ${event.workload.id}`;
    case 'queue-gone':
      return `queue ${event.queue}`;
    case 'cohort-gone':
      return `cohort ${event.cohort}`;
    case 'flavor-gone':
      return `flavor ${event.flavor}`;
    case 'job-gone':
      return `job ${event.job}`;
    case 'workload-gone':
      return `workload ${event.workload}`;
    case 'foreign-queue-seen':
    case 'foreign-queue-gone':
      return `foreign ${event.queue}`;
    case 'unreadable':
      return `unreadable ${event.object.kind} ${event.object.uid}`;
  }
}
