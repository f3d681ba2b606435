import {
  Admission,
  ADMISSION_DEFAULTS,
  type AdmissionCommand,
  type AdmissionEvent,
  type AdmissionOptions,
  type AdmissionResult,
} from '@springtide/core/admission';
import type { Cancel, Clock } from '@springtide/ports/clock';
import type { Cluster, ClusterEvent, Term } from '@springtide/ports/cluster';
import type { Queueing } from '@springtide/ports/queueing';
import type { Language } from '@springtide/wire/messages';
import { Carrier } from './carrier.ts';
import type { Desk, Order } from './desk.ts';
import { Desks } from './desks.ts';
import { QueueMetrics } from './metrics.ts';
import { Notes } from './notes.ts';
import { Planner } from './planner.ts';
import { Queues } from './queues.ts';
import { World } from './world.ts';

export interface QueueServiceOptions {
  readonly cluster: Cluster;
  readonly queueing: Queueing;
  readonly clock: Clock;
  /** Of the messages in statuses. */
  readonly language: Language;
  readonly admission?: AdmissionOptions;
}

/** Events taken at once, and jobs tried at once. */
const EVENTS_MAX = 4096;
const WORK_MAX = 512;
/** The loop passes this often although nothing happens. */
const HEARTBEAT_MS = 1000;
/** What a decision leads to at once is decided in the same pass, so often. */
const ROUNDS_MAX = 4;
const NO_FORECASTS = { of: () => null } as const;

/**
 * The gate before the scheduler, one of a cluster: it lets a job's pods be made once all of them can run (Q1). It feeds
 * the pure admission with what the cluster shows, and carries out what that decides while this replica leads. Nothing
 * in the loop waits for an answer.
 */
export class QueueService {
  readonly metrics = new QueueMetrics();
  readonly #options: QueueServiceOptions;
  readonly #world = new World();
  readonly #queues = new Queues();
  readonly #desks = new Desks(this.#world, this.#queues);
  readonly #carrier: Carrier;
  readonly #notes: Notes;
  readonly #undo: (() => void)[] = [];
  /** Of this time in office; null: none yet. */
  #admission: Admission | null = null;
  /** With the admission. */
  #planner: Planner | null = null;
  #foretoldAtMs: number | null = null;
  /** Card-milliseconds held in vain, by queue, as counted in metrics already. */
  readonly #unreadyMs = new Map<string, number>();
  /** What admission has yet to hear. */
  #heard: AdmissionEvent[] = [];
  #isQuotaChanged = false;
  #term: Term | null = null;
  #hasCaughtUp = false;
  #isSynced = false;
  #isScheduled = false;
  #isStopped = false;
  #wake: Cancel | null = null;
  #passedAtMs: number;
  #nowMs = 0;

  constructor(options: QueueServiceOptions) {
    this.#options = options;
    const onAnswer = (desk: Desk): void => {
      this.#desks.change(desk);
      this.#soon();
    };
    const onDone = (order: Order): void => this.metrics.ordered(order);
    const { graceMs } = options.admission ?? ADMISSION_DEFAULTS;
    this.#carrier = new Carrier({ clock: options.clock, queues: this.#queues, graceMs, onAnswer, onDone });
    this.#notes = new Notes(options.clock, options.language);
    this.#passedAtMs = options.clock.nowMs();
  }

  start(): void {
    const { cluster, queueing } = this.#options;
    this.#undo.push(cluster.view.onReady(() => this.#soon()));
    this.#undo.push(cluster.lease.onChange(() => this.#soon()));
    this.#undo.push(queueing.view.onReady(() => this.#soon()));
    cluster.start();
    queueing.start();
    cluster.lease.start();
    this.#soon();
  }

  /** Stops deciding at once; resolves when both clients have let go. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wake?.();
    for (const undo of this.#undo) undo();
    await this.#planner?.stop();
    await this.#options.queueing.stop();
    await this.#options.cluster.stop();
  }

  get isLeading(): boolean {
    return this.#term?.isValid() === true;
  }

  /** Milliseconds since the loop last passed, for liveness. */
  get idleMs(): number {
    return this.#options.clock.nowMs() - this.#passedAtMs;
  }

  /** What has not been listed yet; empty: it knows the cluster. */
  missing(): string[] {
    return [
      ...(this.#isSynced ? [] : ['machines and pods']),
      ...(this.#options.queueing.view.isSynced() ? [] : ['queues and jobs']),
    ];
  }

  /** Metrics as text for Prometheus. */
  async page(): Promise<{ readonly contentType: string; readonly body: string }> {
    return { contentType: this.metrics.registry.contentType, body: await this.metrics.text(this.#admission) };
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
    const { cluster, queueing, clock } = this.#options;
    this.#passedAtMs = clock.nowMs();
    const seen = cluster.view.take(EVENTS_MAX);
    const queued = queueing.view.take(EVENTS_MAX);
    for (const event of seen) this.#hear(event);
    for (const event of queued) {
      if (this.#queues.take(event)) this.#changeQuota();
      else this.#heard.push(...this.#desks.take(event));
    }
    this.#lead();
    const isAll = seen.length < EVENTS_MAX && queued.length < EVENTS_MAX;
    if (!isAll) return this.#soon();
    if (this.#mayDecide()) this.#decide();
    else {
      // Whoever takes office later begins with all that is there.
      this.#heard = [];
      this.#wakeIn(HEARTBEAT_MS);
    }
  }

  #hear(event: ClusterEvent): void {
    if (event.kind === 'synced') this.#isSynced = true;
    this.#heard.push(...this.#world.take(event));
    if (/^(?:namespace|priority-class)-/.test(event.kind)) this.#desks.changeAll();
  }

  #changeQuota(): void {
    this.#isQuotaChanged = true;
    this.#desks.changeAll();
  }

  #mayDecide(): boolean {
    return this.isLeading && this.#hasCaughtUp && this.#isSynced && this.#options.queueing.view.isSynced();
  }

  #decide(): void {
    const admission = this.#admission ?? this.#begin();
    // By the wall clock, which may be set back.
    this.#nowMs = Math.max(this.#nowMs, this.#options.clock.wallMs());
    const touched = new Set<Desk>();
    let result: AdmissionResult | null = null;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const events = this.#news(touched);
      if (round > 0 && events.length === 0) break;
      result = admission.step(this.#nowMs, events, WORK_MAX);
      this.#planner?.tell({ nowMs: this.#nowMs, events, commands: result.commands });
      for (const command of result.commands) this.#take(command);
      for (const report of result.reports) this.#notes.report(this.#desks.get(report.job), report);
    }
    for (const desk of touched) this.#carrier.tend(desk);
    this.#foretell();
    this.#notes.tell(this.#carrier.orders, admission, this.#planner ?? NO_FORECASTS);
    if (result?.more === true || this.#desks.hasChanged) return this.#soon();
    const wakeAtMs = result?.wakeAtMs ?? Infinity;
    this.#wakeIn(Math.max(1, Math.min(HEARTBEAT_MS, wakeAtMs - this.#nowMs)));
  }

  /** An admission of this time in office, which knows nothing yet. */
  #begin(): Admission {
    const options = this.#options.admission ?? ADMISSION_DEFAULTS;
    this.#admission = new Admission(options);
    void this.#planner?.stop();
    this.#planner = new Planner(options);
    this.#foretoldAtMs = null;
    this.#heard = [...this.#world.all()];
    this.#unreadyMs.clear();
    this.#isQuotaChanged = true;
    this.#desks.beginAnew();
    return this.#admission;
  }

  /** Asks for a forecast now and then, and has the one told that came. */
  #foretell(): void {
    const planner = this.#planner;
    if (planner === null) return;
    planner.ask(this.#nowMs);
    if (planner.madeAtMs === this.#foretoldAtMs) return;
    this.#foretoldAtMs = planner.madeAtMs;
    this.#notes.foretold(this.#desks.all(), planner);
  }

  #news(touched: Set<Desk>): AdmissionEvent[] {
    const events = this.#heard;
    this.#heard = [];
    if (this.#isQuotaChanged) events.unshift({ kind: 'quota', specs: this.#queues.specs() });
    if (this.#isQuotaChanged) this.#notes.clearFaults();
    this.#isQuotaChanged = false;
    events.push(...this.#carrier.takeAnswers());
    for (const desk of this.#desks.takeChanged()) {
      touched.add(desk);
      events.push(...this.#desks.news(desk));
    }
    return events;
  }

  #take(command: AdmissionCommand): void {
    if (command.kind === 'refuse-quota') return this.#notes.refuseQuota(command.faults, this.#queues.specs());
    const desk = this.#desks.get(command.job);
    if (desk === undefined) return;
    this.#count(desk, command);
    desk.record = command.record;
    desk.note = this.#notes.ofCommand(command);
    this.#desks.change(desk);
  }

  #count({ told, record }: Desk, command: Extract<AdmissionCommand, { readonly job: string }>): void {
    if (told === null) return;
    const { submittedAtMs, workload } = told;
    const { queue } = workload;
    this.metrics.decided(command, record?.state ?? null, { queue, submittedAtMs }, this.#nowMs);
    const heldMs = this.#admission?.unreadyCardMs(queue) ?? 0;
    this.metrics.heldUnready(queue, heldMs - (this.#unreadyMs.get(queue) ?? 0));
    this.#unreadyMs.set(queue, heldMs);
  }

  #wakeIn(delayMs: number): void {
    this.#wake?.();
    this.#wake = this.#options.clock.after(delayMs, () => this.#soon());
  }

  /** Takes the term up that the lease tells, or lays it down. */
  #lead(): void {
    const { cluster, queueing } = this.#options;
    const state = cluster.lease.state();
    const term = state.state === 'leading' ? state.term : null;
    if (term === this.#term) return;
    this.#term = term;
    this.#admission = null;
    void this.#planner?.stop();
    this.#planner = null;
    this.#hasCaughtUp = false;
    this.#carrier.orders = term === null ? null : queueing.orders(term);
    if (term !== null) void this.#catchUp(term);
  }

  /** What a leader before wrote at the end has to be seen first, or a job would be admitted twice (I6). */
  async #catchUp(term: Term): Promise<void> {
    const { cluster, queueing } = this.#options;
    if (term.cameBy !== 'free') await Promise.all([cluster.view.refresh(), queueing.view.refresh()]);
    if (term !== this.#term) return;
    this.#hasCaughtUp = true;
    this.#soon();
  }
}
