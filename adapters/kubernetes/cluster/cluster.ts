import type { Random } from '@springtide/core/base';
import type { Clock } from '@springtide/ports/clock';
import type { Cluster, ClusterOrders, EventRecord, RecordAnswer, Term, WatchedKind } from '@springtide/ports/cluster';
import { ApiClient } from '../client/api-client.ts';
import type { ConnectionConfig } from '../client/connection-config.ts';
import { Gate, GATE_LIMITS, type GateLimits, URGENCIES, type Urgency } from '../client/gate.ts';
import { Transport } from '../client/transport.ts';
import { Recorder, type RecorderTimes } from '../events/recorder.ts';
import { Election, type LeaseTimes } from '../lease/election.ts';
import type { ReflectorTimes } from '../watch/reflected.ts';
import type { FleetOptions } from './fleet.ts';
import { LockHolders } from './lock-holders.ts';
import { LockedBinds } from './locked-binds.ts';
import { ordersUnder } from './orders.ts';
import { sendUnder } from './sending.ts';
import { View } from './view.ts';

export interface KubernetesClusterOptions {
  readonly config: ConnectionConfig;
  readonly clock: Clock;
  readonly random: Random;
  /** Such as `springtide.io/scheduler`: told in events. */
  readonly controller: string;
  /** Pods that name it are ours: what their binds have left behind is cleared away. */
  readonly schedulerName: string;
  /** This process, unlike every other and every former one. */
  readonly holder: string;
  readonly lease: { readonly namespace: string; readonly name: string; readonly times?: LeaseTimes };
  readonly limits?: Partial<GateLimits>;
  readonly reflectorTimes?: ReflectorTimes;
  readonly recorderTimes?: RecorderTimes;
  /** How long it is believed which APIs are served. */
  readonly discoveryMs?: number;
  readonly eventsMax?: number;
  readonly fleet?: Partial<FleetOptions>;
  /** Kinds that are watched; absent: all. */
  readonly watched?: readonly WatchedKind[];
}

/** For metrics. */
export interface ClusterCounts {
  readonly requests: Readonly<Record<Urgency, ReturnType<Gate['counts']>>>;
  readonly view: View['counts'];
  readonly recorder: Recorder['counts'];
}

/** Watches take connections of their own. */
const WATCHES_MAX = 24;

/** The cluster port on a Kubernetes API server. */
export class KubernetesCluster implements Cluster {
  readonly #transport: Transport;
  readonly #client: ApiClient;
  readonly #clock: Clock;
  readonly #gate: Gate;
  readonly #recorder: Recorder;
  readonly #lockedBinds: LockedBinds;
  readonly view: View;
  readonly lease: Election;

  constructor(options: KubernetesClusterOptions) {
    const { clock, config, random, lease, controller, schedulerName, holder } = options;
    const limits = { ...GATE_LIMITS, ...options.limits };
    this.#clock = clock;
    this.#transport = new Transport(config, clock, limits.inFlightMax.bind + WATCHES_MAX);
    this.#client = new ApiClient(this.#transport, clock);
    this.#gate = new Gate(clock, limits);
    const tools = { client: this.#client, clock };
    const { reflectorTimes: times, recorderTimes, discoveryMs, eventsMax, fleet, watched } = options;
    const writing = { gate: this.#gate, reporter: { controller, instance: holder } };
    this.#recorder = new Recorder({ ...tools, ...writing, ...defined({ times: recorderTimes }) });
    this.view = new View({ ...tools, random, ...defined({ times, discoveryMs, eventsMax, fleet, watched }) });
    const holders = new LockHolders(clock, schedulerName);
    this.#lockedBinds = new LockedBinds({ clock, locks: this.view.locks, holders, shun: this.view.shun });
    this.lease = new Election({ ...tools, random, holder, ...lease });
  }

  /** For what the port does not have: a controller's own objects, diagnosis. */
  get client(): Pick<ApiClient, 'request' | 'stream'> {
    return this.#client;
  }

  readonly start = (): void => this.view.start();

  readonly orders = (term: Term): ClusterOrders => {
    const tools = { client: this.#client, gate: this.#gate, clock: this.#clock };
    this.#lockedBinds.sweepUnder(term, (sending) => sendUnder(term, tools, sending));
    return ordersUnder(term, {
      ...tools,
      record: this.record,
      hasVerdict: this.view.verdicts.has,
      allocationOf: this.view.allocationOf,
      lockedBinds: this.#lockedBinds,
      devices: this.view.devices,
    });
  };

  readonly record = (event: EventRecord): RecordAnswer => this.#recorder.record(event);

  readonly stop = async (): Promise<void> => {
    this.#recorder.stop();
    // What has locked a node is bound or gives the lock back, for which it needs the gate.
    await this.#lockedBinds.stop();
    // Whoever leads next must find everything done that was begun under this lease.
    await this.#gate.stop();
    await this.lease.release();
    const stopped = this.view.stop();
    await this.#transport.close();
    await stopped;
  };

  counts(): ClusterCounts {
    const requests = Object.fromEntries(URGENCIES.map((urgency) => [urgency, this.#gate.counts(urgency)]));
    return {
      requests: requests as ClusterCounts['requests'],
      view: this.view.counts,
      recorder: this.#recorder.counts,
    };
  }
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out what is undefined, for options that may be absent but not undefined. */
function defined<T extends object>(options: T): Defined<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Defined<T>;
}
