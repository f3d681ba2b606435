import {
  SCHEDULER_DEFAULTS,
  type SchedulerCommand,
  type SchedulerEvent,
  type SchedulerOptions,
  type WaitReason,
} from '@springtide/core/scheduler';
import type { Cancel, Clock } from '@springtide/ports/clock';
import type { Cluster, Term, Unreadable } from '@springtide/ports/cluster';
import { type Dump, DUMP_FORMAT, DUMP_VERSION } from './dump.ts';
import { Executor, type ExecutorCounts } from './executor.ts';
import { type Facts, worldFacts } from './facts.ts';
import { type Health, isStale, liveness, readiness } from './health.ts';
import { RecordedScheduler } from './journal.ts';
import { SchedulerMetrics } from './metrics.ts';
import { Translator } from './translator.ts';
import { unreadableMessage, UnreadablePods } from './unreadable-pods.ts';
import { withoutBrokenPlans } from './whole-plans.ts';

export interface SchedulerServiceOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** Pods that name it in `spec.schedulerName` are ours. */
  readonly schedulerName: string;
  readonly scheduling?: SchedulerOptions;
}

export interface SchedulerCounts extends ExecutorCounts {
  readonly steps: number;
  /** Card-seconds that gangs have held until all their members were ready, or until they gave back (Q1). */
  readonly cardSecondsUnready: number;
}

/** Events taken at once, and pods tried at once. */
const EVENTS_MAX = 4096;
const WORK_MAX = 256;
/** How often a replica that may not decide looks whether it may. */
const LOOK_AGAIN_MS = 1000;
/** Statuses of isolated pools are written this often at most, and so many at once. */
const POOLS_MS = 5000;
const POOLS_MAX = 20;
/** The loop passes this often although nothing happens, which shows that it lives. */
const HEARTBEAT_MS = 10_000;

/**
 * One scheduler of one cluster. It feeds the pure scheduler with what the cluster shows and carries out what it
 * decides while this replica leads; a follower only listens, so that it can take over at once. The loop never
 * waits for an answer: answers come back as events (executor.ts).
 */
export class SchedulerService {
  readonly metrics = new SchedulerMetrics();
  readonly #options: SchedulerServiceOptions;
  readonly #scheduler: RecordedScheduler;
  readonly #translator: Translator;
  readonly #unreadable: UnreadablePods;
  readonly #executor: Executor;
  readonly #undo: (() => void)[] = [];
  /** Why pods wait, as last told, by uid. */
  readonly #told = new Map<string, WaitReason>();
  #steps = 0;
  #term: Term | null = null;
  /** The view shows whatever the leader before did. */
  #hasCaughtUp = false;
  #isSynced = false;
  #isScheduled = false;
  #isStopped = false;
  #wake: Cancel | null = null;
  #passedAtMs: number;
  #poolsAtMs = -Infinity;

  constructor(options: SchedulerServiceOptions) {
    this.#options = options;
    this.#scheduler = new RecordedScheduler(options.scheduling ?? SCHEDULER_DEFAULTS);
    this.#translator = new Translator(options.schedulerName);
    this.#unreadable = new UnreadablePods(options.schedulerName);
    this.#executor = new Executor({
      cluster: options.cluster,
      clock: options.clock,
      metrics: this.metrics,
      translator: this.#translator,
      machineOf: (id) => this.#scheduler.machineOf(id),
      onAnswer: () => this.#soon(),
    });
    this.#passedAtMs = options.clock.nowMs();
  }

  start(): void {
    const { cluster } = this.#options;
    this.#undo.push(cluster.view.onReady(() => this.#soon()));
    this.#undo.push(cluster.lease.onChange(() => this.#soon()));
    cluster.start();
    cluster.lease.start();
    this.#soon();
  }

  /** Stops deciding at once; resolves when the cluster's client has let go. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wake?.();
    for (const undo of this.#undo) undo();
    await this.#options.cluster.stop();
  }

  counts(): SchedulerCounts {
    return {
      ...this.#executor.counts(),
      steps: this.#steps,
      cardSecondsUnready: Math.round(this.#scheduler.cardMsUnready / 1000),
    };
  }

  /** Whether the loop passes. */
  liveness(): Health {
    return liveness(this.#options.clock.nowMs() - this.#passedAtMs);
  }

  /** Whether the cluster is known. */
  readiness(): Health {
    const { clock, cluster } = this.#options;
    return readiness(this.#isSynced, cluster.view.freshness().watches, clock.nowMs());
  }

  /** What it sees now, in numbers. O(pods + cards). */
  facts(): Facts {
    const { clock, cluster, schedulerName } = this.#options;
    const book = this.#scheduler.book();
    return {
      ...worldFacts({ pods: this.#translator.pods(), book, told: this.#told, schedulerName }),
      inFlight: this.#executor.counts().inFlight,
      isLeading: this.isLeading,
      watches: cluster.view.freshness().watches,
      loopIdleMs: clock.nowMs() - this.#passedAtMs,
    };
  }

  /** What it sees now, and what it last heard and decided, for a replay elsewhere. `program` is our version. */
  dump(program: string): Dump {
    const { clock, schedulerName, scheduling: options = SCHEDULER_DEFAULTS } = this.#options;
    const facts = this.facts();
    const recording = this.#scheduler.recording();
    const format = { format: DUMP_FORMAT, version: DUMP_VERSION, program } as const;
    return { head: { ...format, madeAtMs: clock.wallMs(), schedulerName, options, facts }, recording };
  }

  get isLeading(): boolean {
    return this.#term?.isValid() === true;
  }

  /** One pass soon, however often it is asked for. */
  #soon(): void {
    if (this.#isScheduled || this.#isStopped) return;
    this.#isScheduled = true;
    this.#options.clock.after(0, () => {
      this.#isScheduled = false;
      if (!this.#isStopped) this.#pass();
    });
  }

  #pass(): void {
    const { cluster } = this.#options;
    const events = cluster.view.take(EVENTS_MAX);
    this.#passedAtMs = this.#options.clock.nowMs();
    this.metrics.tookEvents(events.length);
    if (events.some(({ kind }) => kind === 'synced')) this.#isSynced = true;
    this.#unreadable.hear(events);
    const heard = [...this.#translator.translate(events), ...this.#executor.takeAnswers()];
    for (const event of heard) if (event.kind === 'pod-gone') this.#told.delete(event.uid);
    this.#lead();
    // What is known is heard in full before anything is decided.
    if (events.length < EVENTS_MAX && this.#mayDecide()) {
      this.#decide(heard);
      this.#tellPools();
    } else {
      this.#scheduler.observe(heard);
      this.#wakeIn(LOOK_AGAIN_MS);
    }
    if (events.length === EVENTS_MAX) this.#soon();
  }

  #mayDecide(): boolean {
    const isInOffice = this.isLeading && this.#hasCaughtUp && !this.#executor.isFull;
    return isInOffice && this.#isSynced && this.#isFresh() && this.#executor.isAllInView();
  }

  #decide(heard: readonly SchedulerEvent[]): void {
    const nowMs = this.#options.clock.nowMs();
    const { commands, tried, more, wakeAtMs } = this.#scheduler.step(nowMs, heard, WORK_MAX);
    this.#steps += 1;
    this.#note(commands, tried, this.#options.clock.nowMs() - nowMs);
    const mayAllLeave = (uids: readonly string[]): boolean => this.#translator.mayAllLeave(uids);
    for (const command of withoutBrokenPlans(commands, mayAllLeave)) void this.#executor.carryOut(command);
    for (const object of this.#unreadable.take()) void this.#tellUnreadable(object);
    this.#executor.tellAgain(nowMs);
    if (more) this.#soon();
    else this.#wakeIn(Math.max(1, Math.min(HEARTBEAT_MS, (wakeAtMs ?? Infinity) - nowMs)));
  }

  /** For metrics: what was decided, and how long it took. */
  #note(commands: readonly SchedulerCommand[], tried: number, ms: number): void {
    let placed = 0;
    const gangs = new Set<string>();
    for (const command of commands) {
      if (command.kind === 'report') this.#told.set(command.report.uid, command.report.reason);
      if (command.kind === 'evict' && command.reason !== 'preempted') gangs.add(command.by);
      if (command.kind !== 'bind') continue;
      placed += 1;
      this.#told.delete(command.uid);
    }
    this.metrics.stepped(tried, placed, ms);
    this.metrics.gangsGivenBack(gangs.size);
  }

  /** Writes what has changed of the isolated pools; what gets lost is written the next time. */
  #tellPools(): void {
    const { clock } = this.#options;
    const nowMs = clock.nowMs();
    if (nowMs - this.#poolsAtMs < POOLS_MS) return;
    this.#poolsAtMs = nowMs;
    const orders = this.#translator.pools.statusOrders(clock.wallMs()).slice(0, POOLS_MAX);
    for (const order of orders) void this.#executor.orders?.writePoolStatus(order);
  }

  #wakeIn(delayMs: number): void {
    this.#wake?.();
    this.#wake = this.#options.clock.after(delayMs, () => this.#soon());
  }

  /** Takes the term up that the lease tells, or lays it down. */
  #lead(): void {
    const { cluster } = this.#options;
    const state = cluster.lease.state();
    const term = state.state === 'leading' ? state.term : null;
    if (term === this.#term) return;
    this.#term = term;
    this.#executor.orders = term === null ? null : cluster.orders(term);
    if (term !== null) void this.#catchUp(term);
  }

  /**
   * What a leader before ordered at the end may not be in view yet: its pods would be decided on again, and the
   * cards they hold be given to others (I1). Nobody led before who found the lease free or had it last.
   */
  async #catchUp(term: Term): Promise<void> {
    this.#hasCaughtUp = term.cameBy === 'free' || (term.cameBy === 'own' && this.#hasCaughtUp);
    if (this.#hasCaughtUp) return;
    await this.#options.cluster.view.refresh();
    if (term !== this.#term) return;
    this.#hasCaughtUp = true;
    this.#soon();
  }

  #isFresh(): boolean {
    const nowMs = this.#options.clock.nowMs();
    return !this.#options.cluster.view.freshness().watches.some((watch) => isStale(watch, nowMs));
  }

  async #tellUnreadable(object: Unreadable): Promise<void> {
    const { uid, namespace, name } = object;
    const pod = { uid, namespace, name };
    const message = unreadableMessage(object);
    // Told again by the next step that something else leads to: nothing waits for it.
    if (!(await this.#executor.tell(pod, message))) this.#unreadable.add(object);
  }
}
