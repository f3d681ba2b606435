import { sortedKeys } from '@springtide/core/base';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CardCount, Facts } from './facts.ts';

/** Card models and isolated pools told apart; the rest are counted together, so that labels stay few. */
const NAMES_MAX = 32;

const STEP_BUCKETS_S = [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const ATTEMPT_BUCKETS_S = [0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5];
const ORDER_BUCKETS_S = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** As kube-scheduler's for the same thing: the API server tells a pod's creation in whole seconds. */
const WAIT_BUCKETS_S = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 14_400, 86_400];

/**
 * The scheduler's metrics, all of them, with all their labels. No label is a name that somebody chose, but for card
 * models and isolated pools, which are bounded.
 */
export class SchedulerMetrics {
  readonly registry = new Registry();
  readonly #attempts = this.#counter('scheduling_attempts_total', 'Pods that were tried, by result', ['result']);
  readonly #binds = this.#counter('binds_total', 'Orders to bind, by the answer of the API server', ['answer']);
  readonly #evictions = this.#counter('evictions_total', 'Orders to evict, by reason and answer', ['reason', 'answer']);
  readonly #reports = this.#counter('reports_total', 'Reasons told on waiting pods, by answer', ['answer']);
  readonly #gangsGivenBack = this.#counter(
    'gangs_given_back_total',
    'Gangs that did not start whole, or get ready, in time',
    [],
  );
  readonly #events = this.#counter('cluster_events_total', 'Events taken in from the cluster', []);
  readonly #steps = this.#counter('steps_total', 'Steps in which the scheduler decided', []);
  readonly #step = this.#histogram('step_duration_seconds', 'Time of one step, all its pods together', STEP_BUCKETS_S);
  readonly #attempt = this.#histogram(
    'scheduling_attempt_duration_seconds',
    'Time to decide one pod: the mean of its step, counted once a step',
    ATTEMPT_BUCKETS_S,
  );
  readonly #bind = this.#histogram('bind_duration_seconds', 'From an order to bind to its answer', ORDER_BUCKETS_S);
  readonly #wait = this.#histogram(
    'pod_scheduling_duration_seconds',
    'From the creation of a pod to its binding',
    WAIT_BUCKETS_S,
  );
  readonly #machines = this.#gauge('machines', 'Machines in the book', []);
  readonly #cards = this.#gauge('cards', 'Cards by model and state', ['model', 'state']);
  readonly #coverage = this.#gauge('pool_coverage_ratio', 'Share of all cards that are in the common pool', []);
  readonly #isolated = this.#gauge('isolated_cards', 'Cards in isolated pools', ['pool']);
  readonly #held = this.#gauge('cards_held', 'Cards that pods hold, by whose pods they are', ['scheduler']);
  readonly #pending = this.#gauge('pending_pods', 'Our pods without a machine, by why they wait', ['reason']);
  readonly #gangs = this.#gauge('gangs', 'Our gangs: all members have a machine, or some wait', ['state']);
  readonly #inFlight = this.#gauge('orders_in_flight', 'Orders without an answer yet', []);
  readonly #leading = this.#gauge('leading', '1 while this replica decides', []);
  readonly #connected = this.#gauge('watch_connected', '1 while a watch is open or not needed', ['source']);
  readonly #synced = this.#gauge('watch_synced', '1 when the first list of a watch is complete', ['source']);
  readonly #silence = this.#gauge('watch_silence_seconds', 'Since a watch was last heard, bookmarks too', ['source']);
  readonly #idle = this.#gauge('loop_idle_seconds', 'Since the last pass of the loop', []);

  tookEvents(count: number): void {
    this.#events.inc(count);
  }

  stepped(tried: number, placed: number, ms: number): void {
    this.#steps.inc();
    this.#step.observe(ms / 1000);
    if (tried === 0) return;
    this.#attempt.observe(ms / 1000 / tried);
    this.#attempts.inc({ result: 'placed' }, placed);
    this.#attempts.inc({ result: 'refused' }, tried - placed);
  }

  bindAnswered(answer: string, ms: number): void {
    this.#binds.inc({ answer });
    this.#bind.observe(ms / 1000);
  }

  /** Creation times are of another machine's clock: what is less than nothing counts as nothing. */
  bound(waitedMs: number): void {
    this.#wait.observe(Math.max(0, waitedMs) / 1000);
  }

  evictAnswered(reason: string, answer: string): void {
    this.#evictions.inc({ reason, answer });
  }

  reportAnswered(answer: string): void {
    this.#reports.inc({ answer });
  }

  gangsGivenBack(count: number): void {
    this.#gangsGivenBack.inc(count);
  }

  /** Everything, in Prometheus' text format. */
  text(facts: Facts, nowMs: number): Promise<string> {
    this.#machines.set(facts.machines);
    this.#setCards(facts.cards);
    this.#coverage.set(facts.coverage);
    this.#setIsolated(facts.isolatedCards);
    this.#held.set({ scheduler: 'ours' }, facts.cardsHeld.ours);
    this.#held.set({ scheduler: 'others' }, facts.cardsHeld.others);
    this.#pending.reset();
    for (const [reason, count] of facts.pending) this.#pending.set({ reason }, count);
    this.#gangs.set({ state: 'waiting' }, facts.gangs.waiting);
    this.#gangs.set({ state: 'started' }, facts.gangs.started);
    this.#inFlight.set(facts.inFlight);
    this.#leading.set(facts.isLeading ? 1 : 0);
    this.#idle.set(facts.loopIdleMs / 1000);
    for (const { source, isSynced, disconnectedSinceMs, heardAtMs } of facts.watches) {
      this.#connected.set({ source }, disconnectedSinceMs === null ? 1 : 0);
      this.#synced.set({ source }, isSynced ? 1 : 0);
      this.#silence.set({ source }, Math.max(0, nowMs - heardAtMs) / 1000);
    }
    return this.registry.metrics();
  }

  #setCards(cards: Facts['cards']): void {
    this.#cards.reset();
    sortedKeys(cards).forEach((name, index) => {
      const model = index < NAMES_MAX ? name : 'other';
      const count = cards.get(name) as CardCount;
      for (const state of ['allocated', 'idle', 'unhealthy'] as const) this.#cards.inc({ model, state }, count[state]);
    });
  }

  #setIsolated(isolated: Facts['isolatedCards']): void {
    this.#isolated.reset();
    sortedKeys(isolated).forEach((name, index) => {
      this.#isolated.inc({ pool: index < NAMES_MAX ? name : 'other' }, isolated.get(name) as number);
    });
  }

  #counter<T extends string>(name: string, help: string, labelNames: readonly T[]): Counter<T> {
    const counter = new Counter({ name: `springtide_${name}`, help, labelNames, registers: [this.registry] });
    return counter;
  }

  #gauge<T extends string>(name: string, help: string, labelNames: readonly T[]): Gauge<T> {
    return new Gauge({ name: `springtide_${name}`, help, labelNames, registers: [this.registry] });
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name: `springtide_${name}`, help, buckets, registers: [this.registry] });
  }
}
