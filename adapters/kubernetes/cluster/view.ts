import type { Random } from '@springtide/core/base';
import type { Clock } from '@springtide/ports/clock';
import type { ClusterView, Freshness, WatchedKind, WatchState } from '@springtide/ports/cluster';
import type { ApiClient } from '../client/api-client.ts';
import { Discovery } from '../client/discovery.ts';
import { DeviceObjects } from '../devices/device-objects.ts';
import { RACK_LABELS } from '../node.ts';
import type { ReflectorTimes } from '../watch/reflected.ts';
import { Reflector } from '../watch/reflector.ts';
import { Fleet, type FleetOptions } from './fleet.ts';
import { NodeLocks } from './node-locks.ts';
import { Outbox } from '../watch/outbox.ts';
import { type Source, sourcesOf } from './sources.ts';
import { Verdicts } from './verdicts.ts';

export interface ViewOptions {
  readonly client: Pick<ApiClient, 'request' | 'stream'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly times?: ReflectorTimes;
  readonly discoveryMs?: number;
  /** Events that wait to be taken; when there are as many, the watches are not read. */
  readonly eventsMax?: number;
  readonly fleet?: Partial<FleetOptions>;
  /** Kinds that are watched; absent: all. */
  readonly watched?: readonly WatchedKind[];
}

const EVENTS_MAX = 100_000;

/** What another scheduler writes that led before. */
const REFRESHED: ReadonlySet<string> = new Set<WatchState['watched']>(['pods', 'device-claims']);

interface Watched {
  readonly source: Source;
  readonly reflector: Reflector;
}

/** All the watches of one cluster, and what they tell, in one queue. */
export class View implements ClusterView {
  readonly #outbox: Outbox;
  readonly #watched: readonly Watched[];
  readonly verdicts = new Verdicts();
  readonly locks: NodeLocks;
  readonly #fleet: Fleet;
  readonly devices: DeviceObjects;
  #isSynced = false;

  constructor(options: ViewOptions) {
    const { client, clock, random, times } = options;
    this.#outbox = new Outbox(options.eventsMax ?? EVENTS_MAX);
    const rackLabels = options.fleet?.rackLabels ?? RACK_LABELS;
    const usual = { rackLabels, cluster: '', tenantLabel: '', hasFractions: false };
    const put = this.#outbox.put;
    this.#fleet = new Fleet({ ...usual, ...options.fleet }, (event) => {
      this.verdicts.see(event);
      put(event);
    });
    this.locks = new NodeLocks(clock, (machine) => this.#fleet.shun(machine, false));
    this.devices = new DeviceObjects(put);
    const parts = { fleet: this.#fleet, locks: this.locks, devices: this.devices, put, rackLabels };
    const sources = sourcesOf({ ...parts, discovery: new Discovery(client, clock, options.discoveryMs) });
    const wanted = sources.filter(({ watched }) => options.watched?.includes(watched) ?? true);
    this.#watched = wanted.map((source) => {
      const sink = { ...source, room: this.#outbox.room, changed: () => this.#changed() };
      const { resource } = source;
      return { source, reflector: new Reflector({ client, clock, random, resource, sink, ...(times && { times }) }) };
    });
  }

  start(): void {
    for (const { reflector } of this.#watched) reflector.start();
  }

  async stop(): Promise<void> {
    const stopped = this.#watched.map(({ reflector }) => reflector.stop());
    this.#outbox.release();
    await Promise.all(stopped);
  }

  readonly take: ClusterView['take'] = (countMax) => this.#outbox.take(countMax);

  readonly onReady: ClusterView['onReady'] = (listener) => this.#outbox.onReady(listener);

  readonly refresh: ClusterView['refresh'] = async () => {
    const written = this.#watched.filter(({ source }) => REFRESHED.has(source.watched));
    await Promise.all(written.map(({ reflector }) => reflector.relist()));
  };

  /** What a plug-in is told with the binding of a pod, by what is seen now. */
  readonly allocationOf: Fleet['allocationOf'] = (order, nowMs) => this.#fleet.allocationOf(order, nowMs);

  /** Gives no more of a machine's sliced cards out until its lock changes. */
  readonly shun = (machine: string): void => this.#fleet.shun(machine, true);

  readonly freshness = (): Freshness => ({ isSynced: this.#isSynced, watches: this.#watched.map(watchState) });

  /** For metrics. */
  get counts(): {
    readonly waiting: number;
    readonly folded: number;
    readonly objects: number;
    readonly lists: number;
  } {
    const states = this.#watched.map(({ reflector }) => reflector.state);
    const sum = (key: 'objects' | 'lists'): number => states.reduce((total, state) => total + state[key], 0);
    return { waiting: this.#outbox.length, folded: this.#outbox.folded, objects: sum('objects'), lists: sum('lists') };
  }

  #changed(): void {
    if (!this.#isSynced && this.#watched.every(({ reflector }) => reflector.state.isListed)) {
      this.#isSynced = true;
      this.#outbox.put({ kind: 'synced' });
    }
    this.#outbox.put({ kind: 'freshness', freshness: this.freshness() });
  }
}

function watchState({ source, reflector }: Watched): WatchState {
  const { isListed, disconnectedSinceMs, heardAtMs, failure } = reflector.state;
  return {
    watched: source.watched,
    source: source.name,
    isSynced: isListed,
    disconnectedSinceMs,
    heardAtMs,
    why: failure === null ? '' : `${failure.code}: ${failure.message}`,
  };
}
