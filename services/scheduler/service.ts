import {
  SCHEDULER_DEFAULTS,
  type SchedulerCommand,
  type SchedulerEvent,
  type SchedulerOptions,
  type WaitReason,
} from '@springtide/core/scheduler';
import type { Cancel, Clock } from '@springtide/ports/clock';
import type { Cluster, ClusterOrders, ClusterPod, PodRef, Term, Unreadable } from '@springtide/ports/cluster';
import { type Dump, DUMP_FORMAT, DUMP_VERSION } from './dump.ts';
import { type Facts, worldFacts } from './facts.ts';
import { type Health, isStale, liveness, readiness } from './health.ts';
import { RecordedScheduler } from './journal.ts';
import { SchedulerMetrics } from './metrics.ts';
import { Translator } from './translator.ts';
import { unreadableMessage, UnreadablePods } from './unreadable-pods.ts';
import { waitMessage } from './wait-message.ts';

export interface SchedulerServiceOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** Pods that name it in `spec.schedulerName` are ours. */
  readonly schedulerName: string;
  readonly scheduling?: SchedulerOptions;
}

type Report = SchedulerCommand & { kind: 'report' };

export interface SchedulerCounts {
  readonly bound: number;
  readonly bindsFailed: number;
  readonly evicted: number;
  readonly reported: number;
  readonly steps: number;
  readonly inFlight: number;
  /** Card-seconds that gangs have held until all their members were ready, or until they gave back (Q1). */
  readonly cardSecondsUnready: number;
}

/** Events taken at once, pods tried at once, and binds and evictions under way at once. */
const EVENTS_MAX = 4096;
const WORK_MAX = 256;
const IN_FLIGHT_MAX = 512;
/** How often a replica that may not decide looks whether it may. */
const LOOK_AGAIN_MS = 1000;
/** Statuses of isolated pools are written this often at most, and so many at once. */
const POOLS_MS = 5000;
const POOLS_MAX = 20;
/** The loop passes this often although nothing happens, which shows that it lives. */
const HEARTBEAT_MS = 10_000;
/** How long what could not be told waits until it is told again. */
const TELL_AGAIN_MS = 10_000;

/**
 * One scheduler of one cluster. It feeds the pure scheduler with what the cluster shows and carries out what it
 * decides while this replica leads; a follower only listens, so that it can take over at once. The loop never
 * waits for an answer: answers come back as events.
 */
export class SchedulerService {
  readonly metrics = new SchedulerMetrics();
  readonly #options: SchedulerServiceOptions;
  readonly #scheduler: RecordedScheduler;
  readonly #translator: Translator;
  readonly #unreadable: UnreadablePods;
  readonly #answers: SchedulerEvent[] = [];
  readonly #undo: (() => void)[] = [];
  /** Pods whose bind is under way: nothing is known of them before its answer. */
  readonly #binding = new Set<string>();
  /** Why pods wait, where it could not be written, by uid: told again later, unless something newer is. */
  readonly #untold = new Map<string, Report>();
  /** Pods that are bound, as the API server itself says, while the view does not show it. */
  readonly #unseen = new Set<string>();
  /** Why pods wait, as last told, by uid. */
  readonly #told = new Map<string, WaitReason>();
  #counts = { bound: 0, bindsFailed: 0, evicted: 0, reported: 0, steps: 0, inFlight: 0 };
  #term: Term | null = null;
  #orders: ClusterOrders | null = null;
  /** The view shows whatever the leader before did. */
  #hasCaughtUp = false;
  #tellAgainAtMs = 0;
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
    return { ...this.#counts, cardSecondsUnready: Math.round(this.#scheduler.cardMsUnready / 1000) };
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
      inFlight: this.#counts.inFlight,
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
    const heard = [...this.#translator.translate(events), ...this.#answers.splice(0)];
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
    const isInOffice = this.isLeading && this.#hasCaughtUp && this.#counts.inFlight < IN_FLIGHT_MAX;
    return isInOffice && this.#isSynced && this.#isFresh() && this.#showsWhatIsBound();
  }

  #decide(heard: readonly SchedulerEvent[]): void {
    const nowMs = this.#options.clock.nowMs();
    const { commands, tried, more, wakeAtMs } = this.#scheduler.step(nowMs, heard, WORK_MAX);
    this.#counts.steps += 1;
    this.#note(commands, tried, this.#options.clock.nowMs() - nowMs);
    for (const command of commands) void this.#carryOut(command);
    for (const object of this.#unreadable.take()) void this.#tellUnreadable(object);
    if (this.#untold.size > 0 && nowMs >= this.#tellAgainAtMs) this.#tellAgain(nowMs);
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
    if (this.#orders === null || nowMs - this.#poolsAtMs < POOLS_MS) return;
    this.#poolsAtMs = nowMs;
    const orders = this.#translator.pools.statusOrders(clock.wallMs()).slice(0, POOLS_MAX);
    for (const order of orders) void this.#orders.writePoolStatus(order);
  }

  #tellAgain(nowMs: number): void {
    const commands = [...this.#untold.values()];
    this.#untold.clear();
    this.#tellAgainAtMs = nowMs + TELL_AGAIN_MS;
    for (const command of commands) {
      if (this.#translator.podOf(command.report.uid)?.machine === null) void this.#carryOut(command);
    }
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
    this.#orders = term === null ? null : cluster.orders(term);
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

  /** I5: a view that lacks what the API server told is behind, so nothing is decided by it. */
  #showsWhatIsBound(): boolean {
    for (const uid of this.#unseen) if (this.#translator.podOf(uid)?.machine !== null) this.#unseen.delete(uid);
    return this.#unseen.size === 0;
  }

  #isFresh(): boolean {
    const nowMs = this.#options.clock.nowMs();
    return !this.#options.cluster.view.freshness().watches.some((watch) => isStale(watch, nowMs));
  }

  async #carryOut(command: SchedulerCommand): Promise<void> {
    const orders = this.#orders;
    if (orders === null) return this.#notSent(command);
    // Reports are many where many wait, and go when nothing more urgent does: no decision waits for them.
    const weight = command.kind === 'bind' || command.kind === 'evict' ? 1 : 0;
    this.#counts.inFlight += weight;
    try {
      await this.#send(orders, command);
    } finally {
      this.#counts.inFlight -= weight;
      if (this.#answers.length > 0 || this.#counts.inFlight === IN_FLIGHT_MAX - 1) this.#soon();
    }
  }

  async #send(orders: ClusterOrders, command: SchedulerCommand): Promise<void> {
    const uid = command.kind === 'report' ? command.report.uid : command.uid;
    const pod = this.#translator.podOf(uid);
    if (pod === undefined) return;
    switch (command.kind) {
      case 'bind':
        return this.#bind(orders, pod, command.machine);
      case 'confirm':
        return this.#confirm(orders, pod);
      case 'evict':
        return this.#evict(orders, pod, command);
      case 'nominate':
        await orders.nominate({ pod, machine: command.machine });
        return;
      case 'report': {
        const message = waitMessage(command.report);
        this.#untold.delete(uid);
        this.#record(pod, 'Warning', 'FailedScheduling', message);
        const { answer } = await orders.report({ pod, reason: 'Unschedulable', message });
        this.metrics.reportAnswered(answer);
        if (answer === 'written') this.#counts.reported += 1;
        if (answer === 'refused' || answer === 'unknown') this.#notSent(command);
      }
    }
  }

  async #tellUnreadable(object: Unreadable): Promise<void> {
    const { uid, namespace, name } = object;
    const pod = { uid, namespace, name };
    const message = unreadableMessage(object);
    this.#record(pod, 'Warning', 'FailedScheduling', message);
    const told = await this.#orders?.report({ pod, reason: 'Unschedulable', message });
    // Told again by the next step that something else leads to: nothing waits for it.
    if (told === undefined || told.answer === 'refused' || told.answer === 'unknown') this.#unreadable.add(object);
  }

  /** Decided, and then not written. */
  #notSent(command: SchedulerCommand): void {
    if (command.kind === 'bind') this.#answers.push({ kind: 'bind-failed', uid: command.uid, why: 'refused' });
    if (command.kind === 'report') this.#untold.set(command.report.uid, command);
  }

  async #bind(orders: ClusterOrders, pod: ClusterPod, machine: string): Promise<void> {
    this.#binding.add(pod.uid);
    try {
      await this.#sendBind(orders, pod, machine);
    } finally {
      this.#binding.delete(pod.uid);
    }
  }

  async #sendBind(orders: ClusterOrders, pod: ClusterPod, machine: string): Promise<void> {
    const { clock } = this.#options;
    const hasVolumes = await this.#orderVolumes(orders, pod, machine);
    const orderedAtMs = clock.nowMs();
    const { answer } = hasVolumes ? await orders.bind({ pod, machine }) : ({ answer: 'refused' } as const);
    this.metrics.bindAnswered(answer, clock.nowMs() - orderedAtMs);
    if (answer === 'bound') {
      this.#counts.bound += 1;
      this.metrics.bound(clock.wallMs() - pod.createdAtMs);
      this.#record(pod, 'Normal', 'Scheduled', `Placed on ${machine}`);
      return;
    }
    this.#counts.bindsFailed += 1;
    // Nobody can say whether it was done, or somebody else did it (faults 2 and 4).
    if (answer === 'unknown' || answer === 'conflict') return this.#lookUp(orders, pod, answer);
    this.#answers.push({ kind: 'bind-failed', uid: pod.uid, why: answer === 'gone' ? answer : 'refused' });
  }

  /** An order that was not seen carried out; one that is under way will be answered. */
  async #confirm(orders: ClusterOrders, pod: PodRef): Promise<void> {
    if (this.#binding.has(pod.uid)) return;
    await this.#lookUp(orders, pod, 'unknown');
    // A watch that says nothing for so long is not believed.
    if (this.#unseen.has(pod.uid)) void this.#options.cluster.view.refresh();
  }

  /** What the API server says now counts, not what was hoped for; as long as it says nothing, the order may be done. */
  async #lookUp(orders: ClusterOrders, pod: PodRef, why: 'unknown' | 'conflict'): Promise<void> {
    const now = await orders.lookUp(pod);
    if (now.answer === 'unknown') return;
    const isBound = now.answer === 'found' && now.machine !== null;
    if (isBound) this.#unseen.add(pod.uid);
    else this.#answers.push({ kind: 'bind-failed', uid: pod.uid, why: now.answer === 'gone' ? 'gone' : why });
  }

  /** Late claims get their volumes first: a pod that is bound without would stay where it has none. */
  async #orderVolumes(orders: ClusterOrders, pod: PodRef, machine: string): Promise<boolean> {
    const noun = this.#scheduler.machineOf(machine);
    const wanted = noun === undefined ? [] : this.#translator.volumeOrders(pod.uid, noun);
    for (const order of wanted ?? []) {
      const { answer } =
        order.kind === 'keep' ? await orders.keepVolume(order) : await orders.selectMachine(order.claim, order.machine);
      if (answer !== 'written' && answer !== 'replaced') return false;
    }
    return wanted !== null;
  }

  async #evict(orders: ClusterOrders, pod: PodRef, command: SchedulerCommand & { kind: 'evict' }): Promise<void> {
    const { reason, message } = evictionOf(command);
    const { answer } = await orders.evict({ pod, reason, message });
    this.metrics.evictAnswered(command.reason, answer);
    if (answer === 'evicted') this.#counts.evicted += 1;
  }

  #record(pod: PodRef, type: 'Normal' | 'Warning', reason: string, note: string): void {
    this.#options.cluster.record({ about: { kind: 'pod', pod }, type, reason, action: 'Scheduling', note });
  }
}

function evictionOf({ reason, by }: SchedulerCommand & { kind: 'evict' }): { reason: string; message: string } {
  switch (reason) {
    case 'preempted':
      return { reason: 'Preempted', message: `Made room for ${by}` };
    case 'gang-incomplete':
      return { reason: 'GangIncomplete', message: `Gang ${by} could not start whole in time` };
    case 'gang-not-ready':
      return { reason: 'GangNotReady', message: `Gang ${by} did not become ready in time` };
  }
}
