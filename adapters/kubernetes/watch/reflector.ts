import { ok, type Random } from '@springtide/core/base';
import type { Clock } from '@springtide/ports/clock';
import { type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import type { ApiClient } from '../client/api-client.ts';
import { Backoff } from './backoff.ts';
import { listOnce } from './list-once.ts';
import {
  DONE,
  type Ending,
  failed,
  type ReflectedResource,
  REFLECTOR_TIMES,
  type ReflectorSink,
  type ReflectorState,
  type ReflectorTimes,
} from './reflected.ts';
import { Tracker } from './tracker.ts';
import { compareVersions } from './versions.ts';
import { type SoundLine, Watch } from './watch-once.ts';

export interface ReflectorOptions {
  readonly client: Pick<ApiClient, 'request' | 'stream'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly resource: ReflectedResource;
  readonly sink: ReflectorSink;
  readonly times?: ReflectorTimes;
}

/**
 * Follows one resource:
 *
 *     list (pages) --> watch --ended, idle, cut--> watch from the last version
 *          ^             |
 *          +--410 Gone---+          after every failure a wait: jittered, doubling, capped
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #times: ReflectorTimes;
  readonly #backoff: Backoff;
  readonly #tracker: Tracker;
  #newestList = '';
  #staleLists = 0;
  #watch: Watch | null = null;
  #wake: () => void = () => {};
  #isStopped = false;
  #running: Promise<void> | null = null;
  /** Whoever waits for a list that begins after now. */
  #relisted: (() => void)[] = [];
  #state: Omit<ReflectorState, 'objects' | 'skipped' | 'version'>;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#times = options.times ?? REFLECTOR_TIMES;
    const { backoffFirstMs: firstMs, backoffCapMs: capMs } = this.#times;
    this.#backoff = new Backoff({ firstMs, capMs, random: options.random });
    this.#tracker = new Tracker(options.sink);
    const nowMs = options.clock.nowMs();
    const unheard = { disconnectedSinceMs: nowMs, heardAtMs: nowMs, failure: null };
    this.#state = { isListed: false, isAbsent: false, ...unheard, lists: 0, watches: 0 };
  }

  get state(): ReflectorState {
    const { size: objects, skipped, version } = this.#tracker;
    return { ...this.#state, objects, skipped, version: version ?? '' };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#watch?.stop();
    this.#wake();
    await this.#running;
  }

  /** Lists anew; resolves when a list is complete that began after this call. */
  relist(): Promise<void> {
    return new Promise((resolve) => {
      this.#relisted.push(resolve);
      this.#watch?.stop();
      this.#wake();
    });
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const version = this.#relisted.length > 0 ? null : this.#tracker.version;
      const ending = version === null ? await this.#listAll() : await this.#follow(version);
      if (ending.kind === 'failed' && !this.#isStopped) await this.#recover(ending.failure);
    }
  }

  async #listAll(): Promise<Ending> {
    const { client, resource, sink } = this.#options;
    const served = (await resource.isServed?.()) ?? ok(true);
    if (!served.ok) return failed(served.error);
    if (!served.value) return failed(clusterFailure('unsupported', `${resource.path} is not served`));
    const relisted = this.#relisted.splice(0);
    this.#tracker.beginList();
    const listed = await listOnce(client, resource, this.#times, {
      began: (version) => this.#accepts(version),
      heard: () => this.#hear(),
      take: (object) => this.#tracker.see(object),
      room: sink.room,
      isStopped: () => this.#isStopped,
    });
    if (!listed.ok) {
      this.#relisted.push(...relisted);
      return failed(listed.error);
    }
    this.#tracker.endList(listed.value);
    this.#newestList = listed.value;
    this.#update({ isListed: true, isAbsent: false, failure: null, lists: this.#state.lists + 1 });
    for (const resolve of relisted) resolve();
    return DONE;
  }

  /** A replica that lags behind is asked again. A cluster restored from a backup is older too: in the end it is taken. */
  #accepts(version: string): boolean {
    const order = this.#newestList === '' ? null : compareVersions(version, this.#newestList);
    this.#staleLists = order !== null && order < 0 ? this.#staleLists + 1 : 0;
    return this.#staleLists === 0 || this.#staleLists > this.#times.staleListsMax;
  }

  async #follow(resourceVersion: string): Promise<Ending> {
    const { client, clock, resource, sink, random } = this.#options;
    const seconds = this.#times.watchSeconds + random.below(this.#times.watchSeconds);
    const query = {
      ...resource.query,
      watch: '1',
      allowWatchBookmarks: 'true',
      resourceVersion,
      timeoutSeconds: `${seconds}`,
    };
    const stream = await client.stream({ method: 'GET', path: resource.path, query, timeoutMs: this.#times.requestMs });
    if (!stream.ok) return failed(stream.error);
    this.#hear();
    this.#update({ disconnectedSinceMs: null, failure: null, watches: this.#state.watches + 1 });
    this.#watch = new Watch(stream.value, clock, this.#times, {
      take: (line) => this.#take(line),
      heard: () => this.#hear(),
      room: sink.room,
    });
    if (this.#isStopped || this.#relisted.length > 0) this.#watch.stop();
    const ending = await this.#watch.run();
    this.#watch = null;
    // Told to nobody: most watches end in good order and go on at once.
    this.#state = { ...this.#state, disconnectedSinceMs: clock.nowMs() };
    return ending;
  }

  #take(line: SoundLine): void {
    this.#backoff.reset();
    if (line.type === 'bookmark') this.#tracker.advance(line.resourceVersion);
    else if (line.type === 'seen') this.#tracker.see(line.object);
    else this.#tracker.lose(line.object);
  }

  async #recover(failure: ClusterFailure): Promise<void> {
    const { random, resource, clock } = this.#options;
    if (failure.code === 'expired' || failure.code === 'too-large') this.#tracker.expire();
    const isHidden = failure.code === 'unsupported' || failure.code === 'forbidden';
    if (isHidden && resource.isOptional) {
      this.#tracker.beginList();
      this.#tracker.endList(null);
      this.#update({ isListed: true, isAbsent: true, disconnectedSinceMs: null, failure });
      // That there is nothing is an answer too: whoever waits for a list has it.
      for (const resolve of this.#relisted.splice(0)) resolve();
      return this.#wait(this.#times.absentMs * (0.5 + random.unit() / 2));
    }
    this.#update({ disconnectedSinceMs: this.#state.disconnectedSinceMs ?? clock.nowMs(), failure });
    return this.#wait(this.#backoff.next(failure.retryAfterMs ?? 0));
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  #hear(): void {
    this.#state = { ...this.#state, heardAtMs: this.#options.clock.nowMs() };
  }

  #update(part: Partial<ReflectorState>): void {
    this.#state = { ...this.#state, ...part };
    this.#options.sink.changed();
  }
}
