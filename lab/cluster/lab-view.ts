import { keyOf, Outbox } from '@springtide/adapters/kubernetes/watch';
import type { Cancel } from '@springtide/ports/clock';
import type { ClusterEvent, ClusterView, Freshness, WatchedKind, WatchState } from '@springtide/ports/cluster';
import type { Faults } from './faults.ts';
import { goneOf } from './gone.ts';
import type { LabWorld } from './lab-world.ts';

const WATCHED: readonly WatchedKind[] = [
  'machines',
  'pods',
  'budgets',
  'priority-classes',
  'gangs',
  'claims',
  'volumes',
  'storage-classes',
  'namespaces',
  'quotas',
  'pools',
];

/** What one client sees of the world: a little late, cut off at times, listing anew when it has missed too much. */
export class LabView implements ClusterView {
  readonly #world: LabWorld;
  readonly #faults: Faults;
  readonly #outbox: Outbox;
  /** The last change that was told; null: a list comes first. */
  #version: number | null = null;
  /** Machines, pods and so on that have been told, to find out what a new list lacks. */
  readonly #told = new Map<string, ClusterEvent>();
  #isSynced = false;
  #disconnectedSinceMs: number | null;
  #heardAtMs: number;
  #isRunning = false;
  #relisted: (() => void)[] = [];
  /** When it will look at the world next, null: when that changes. */
  #dueAtMs: number | null = null;
  #cancel: Cancel = () => {};
  #unsubscribe: () => void = () => {};

  constructor(world: LabWorld, faults: Faults, eventsMax: number) {
    this.#world = world;
    this.#faults = faults;
    this.#outbox = new Outbox(eventsMax);
    this.#disconnectedSinceMs = world.clock.nowMs();
    this.#heardAtMs = world.clock.nowMs();
  }

  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#unsubscribe = this.#world.journal.onAdd(() => this.#arm(this.#lag()));
    this.#arm(this.#lag());
  }

  stop(): void {
    this.#isRunning = false;
    this.#unsubscribe();
    this.#cancel();
    this.#outbox.release();
  }

  readonly take = (countMax: number): readonly ClusterEvent[] => {
    const taken = this.#outbox.take(countMax);
    // What waited for room goes on.
    if (taken.length > 0 && this.#isRunning) this.#arm(0);
    return taken;
  };

  readonly onReady = (listener: () => void): (() => void) => this.#outbox.onReady(listener);

  readonly refresh = (): Promise<void> =>
    new Promise((resolve) => {
      this.#relisted.push(resolve);
      this.#version = null;
      this.#arm(this.#world.random.below(this.#faults.requestMs + 1));
    });

  readonly freshness = (): Freshness => ({
    isSynced: this.#isSynced,
    watches: WATCHED.map((each) => this.#watch(each)),
  });

  #watch(watched: WatchedKind): WatchState {
    return {
      watched,
      source: watched,
      isSynced: this.#isSynced,
      disconnectedSinceMs: this.#disconnectedSinceMs,
      heardAtMs: this.#heardAtMs,
      why: this.#disconnectedSinceMs === null ? '' : 'unreachable: cut off',
    };
  }

  #lag(): number {
    return this.#world.random.below(this.#faults.watchLagMs + 1);
  }

  /** The connection was cut, or is back. */
  heedCut(): void {
    if (!this.#isRunning) return;
    if (!this.#faults.isCutOff) this.#arm(this.#lag());
    else if (this.#disconnectedSinceMs === null) this.#setDisconnected(this.#world.clock.nowMs());
  }

  #arm(ms: number): void {
    const { clock } = this.#world;
    const dueAtMs = clock.nowMs() + ms;
    if (!this.#isRunning || (this.#dueAtMs !== null && this.#dueAtMs <= dueAtMs)) return;
    this.#cancel();
    this.#dueAtMs = dueAtMs;
    this.#cancel = clock.after(ms, () => {
      this.#dueAtMs = null;
      this.#advance();
    });
  }

  #advance(): void {
    if (this.#faults.isCutOff || (this.#faults.isWatchStalled && this.#version !== null)) return;
    const { journal, clock } = this.#world;
    if (this.#version === null || !journal.reaches(this.#version)) this.#list();
    else this.#follow(this.#version);
    this.#heardAtMs = clock.nowMs();
    if (this.#disconnectedSinceMs !== null) this.#setDisconnected(null);
  }

  #follow(from: number): void {
    const { journal, random } = this.#world;
    let version = from;
    while (version < journal.version && this.#outbox.room() === null) {
      version += 1;
      const event = journal.at(version);
      if (event !== null) this.#tell(event);
      // The newest is told again: an older state never comes after a newer one.
      if (event !== null && random.below(1000) < this.#faults.repeatedPerMille) this.#outbox.put(event);
    }
    this.#version = version;
  }

  #list(): void {
    const listed = new Map(this.#world.everything().map((event) => [keyOf(event), event] as const));
    for (const [id, event] of this.#told) if (!listed.has(id)) this.#tell(goneOf(event));
    for (const event of listed.values()) this.#tell(event);
    this.#version = this.#world.journal.version;
    for (const resolve of this.#relisted.splice(0)) resolve();
    if (this.#isSynced) return;
    this.#isSynced = true;
    this.#outbox.put({ kind: 'synced' });
  }

  #tell(event: ClusterEvent): void {
    const id = keyOf(event);
    if (event.kind.endsWith('-gone')) this.#told.delete(id);
    else this.#told.set(id, event);
    this.#outbox.put(event);
  }

  #setDisconnected(sinceMs: number | null): void {
    this.#disconnectedSinceMs = sinceMs;
    this.#outbox.put({ kind: 'freshness', freshness: this.freshness() });
  }
}
