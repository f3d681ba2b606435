import type { Machine } from '@springtide/core/model';
import type {
  Cluster,
  ClusterEvent,
  ClusterPod,
  DisruptionBudget,
  IsolatedPool,
  PodPhase,
  Term,
} from '@springtide/ports/cluster';
import type { ClusterWorld } from './world.ts';

const STEP_MS = 20;
const LIMIT_MS = 120_000;

/** Somebody who takes what a cluster tells, and keeps what follows from it. */
export class Observer {
  readonly cluster: Cluster;
  readonly machines = new Map<string, Machine>();
  readonly pods = new Map<string, ClusterPod>();
  readonly budgets = new Map<string, DisruptionBudget>();
  readonly pools = new Map<string, IsolatedPool>();
  /** By uid. */
  readonly gone = new Map<string, PodPhase | null>();
  readonly log: ClusterEvent[] = [];
  readonly #world: ClusterWorld;

  constructor(world: ClusterWorld, holder: string) {
    this.#world = world;
    this.cluster = world.connect(holder);
  }

  /** Starts, and waits until everything that was there has been told. */
  async sync(): Promise<this> {
    this.cluster.start();
    await this.until(() => this.log.some((event) => event.kind === 'synced'), 'it is synced');
    return this;
  }

  /** Stands for election and wins. */
  async lead(): Promise<Term> {
    this.cluster.lease.start();
    let term: Term | null = null;
    await this.until(() => {
      const state = this.cluster.lease.state();
      if (state.state === 'leading') term = state.term;
      return term !== null;
    }, 'it leads');
    if (term === null) throw new Error('nobody leads');
    return term;
  }

  drain(): void {
    for (let events = this.cluster.view.take(100); events.length > 0; events = this.cluster.view.take(100)) {
      for (const event of events) this.#heed(event);
    }
  }

  /** Lets time pass until a condition holds; fails loudly when it never does. */
  async until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const endMs = this.#world.clock.nowMs() + LIMIT_MS;
    for (;;) {
      this.drain();
      if (await condition()) return;
      if (this.#world.clock.nowMs() > endMs) throw new Error(`waited ${LIMIT_MS} ms in vain until ${what}`);
      await this.#world.pass(STEP_MS);
    }
  }

  /** The result of something that takes time. */
  async await<T>(promise: Promise<T>): Promise<T> {
    const box: { done: boolean } = { done: false };
    const settle = (): void => {
      box.done = true;
    };
    void promise.then(settle, settle);
    await this.until(() => box.done, 'there is an answer');
    return promise;
  }

  #heed(event: ClusterEvent): void {
    this.log.push(event);
    if (event.kind === 'machine-seen') this.machines.set(event.machine.id, event.machine);
    if (event.kind === 'machine-gone') this.machines.delete(event.machine);
    if (event.kind === 'pod-seen') this.pods.set(event.pod.uid, event.pod);
    if (event.kind === 'budget-seen') this.budgets.set(event.budget.id, event.budget);
    if (event.kind === 'budget-gone') this.budgets.delete(event.budget);
    if (event.kind === 'pool-seen') this.pools.set(event.pool.name, event.pool);
    if (event.kind === 'pool-gone') this.pools.delete(event.pool);
    if (event.kind !== 'pod-gone') return;
    this.pods.delete(event.pod.uid);
    this.gone.set(event.pod.uid, event.phase);
  }
}
