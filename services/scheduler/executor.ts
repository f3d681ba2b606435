import type { SchedulerCommand, SchedulerEvent } from '@springtide/core/scheduler';
import type { Machine } from '@springtide/core/model';
import type { Clock } from '@springtide/ports/clock';
import type { Cluster, ClusterOrders, ClusterPod, PodRef } from '@springtide/ports/cluster';
import { ClaimOrders } from './claim-orders.ts';
import type { SchedulerMetrics } from './metrics.ts';
import type { Translator } from './translator.ts';
import { Turns } from './turns.ts';
import { waitMessage } from './wait-message.ts';

interface ExecutorTools {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly metrics: SchedulerMetrics;
  readonly translator: Translator;
  readonly machineOf: (id: string) => Machine | undefined;
  /** Called when answers wait, and when there is room for orders again. */
  readonly onAnswer: () => void;
}

export interface ExecutorCounts {
  readonly bound: number;
  readonly bindsFailed: number;
  readonly evicted: number;
  readonly reported: number;
  /** Binds and evictions that are under way. */
  readonly inFlight: number;
}

type Report = SchedulerCommand & { kind: 'report' };
type Bind = SchedulerCommand & { kind: 'bind' };

/** Binds and evictions under way at once. */
const IN_FLIGHT_MAX = 512;
/**
 * Binds under way at once to one machine. Some machines take one after the other, each when a plug-in is done with the
 * one before: what waits for its turn there is not under way, so that it holds up no other machine.
 */
const IN_FLIGHT_PER_MACHINE_MAX = 4;
/** How long what could not be told waits until it is told again. */
const TELL_AGAIN_MS = 10_000;

/**
 * Carries out what was decided, and brings back what became of it as events. An order whose outcome nobody knows is
 * looked up, never taken back unasked (I1).
 */
export class Executor {
  /** What orders are given by; null while this replica does not lead. */
  orders: ClusterOrders | null = null;
  readonly #tools: ExecutorTools;
  readonly #claims: ClaimOrders;
  readonly #answers: SchedulerEvent[] = [];
  /** Pods whose bind is under way: nothing is known of them before its answer. */
  readonly #binding = new Set<string>();
  /** Why pods wait, where it could not be written, by uid: told again later, unless something newer is. */
  readonly #untold = new Map<string, Report>();
  /** Pods that are bound, as the API server itself says, while the view does not show it. */
  readonly #unseen = new Set<string>();
  readonly #turns = new Turns(IN_FLIGHT_PER_MACHINE_MAX);
  readonly #counts = { bound: 0, bindsFailed: 0, evicted: 0, reported: 0, inFlight: 0 };
  #tellAgainAtMs = 0;

  constructor(tools: ExecutorTools) {
    this.#tools = tools;
    this.#claims = new ClaimOrders(tools.translator.devices, () => tools.cluster.view.refresh());
  }

  counts(): ExecutorCounts {
    return { ...this.#counts };
  }

  /** As many orders are under way as may be. */
  get isFull(): boolean {
    return this.#counts.inFlight >= IN_FLIGHT_MAX;
  }

  /** What became of orders since this was last asked. */
  takeAnswers(): SchedulerEvent[] {
    return this.#answers.splice(0);
  }

  /** I5: a view that lacks what the API server told is behind, so nothing is decided by it. */
  isAllInView(): boolean {
    const { translator } = this.#tools;
    for (const uid of this.#unseen) if (translator.podOf(uid)?.machine !== null) this.#unseen.delete(uid);
    return this.#unseen.size === 0;
  }

  /** Tells again what could not be told, now and then. */
  tellAgain(nowMs: number): void {
    if (this.#untold.size === 0 || nowMs < this.#tellAgainAtMs) return;
    const commands = [...this.#untold.values()];
    this.#untold.clear();
    this.#tellAgainAtMs = nowMs + TELL_AGAIN_MS;
    for (const command of commands) {
      if (this.#tools.translator.podOf(command.report.uid)?.machine === null) void this.carryOut(command);
    }
  }

  /** Tells a pod why it waits, in an event and in its condition; whether there is no need to tell it again. */
  async tell(pod: PodRef, message: string): Promise<boolean> {
    this.#record(pod, 'Warning', 'FailedScheduling', message);
    if (this.orders === null) return false;
    const { answer } = await this.orders.report({ pod, reason: 'Unschedulable', message });
    this.#tools.metrics.reportAnswered(answer);
    if (answer === 'written') this.#counts.reported += 1;
    return answer !== 'refused' && answer !== 'unknown';
  }

  /** Resolves when it is carried out, or could not be; what that means for decisions is among the answers. */
  async carryOut(command: SchedulerCommand): Promise<void> {
    const { orders } = this;
    if (orders === null) return this.#notSent(command);
    if (command.kind !== 'bind') return this.#carryOut(orders, command);
    this.#binding.add(command.uid);
    await this.#turns.take(command.machine);
    try {
      await this.#carryOut(orders, command);
    } finally {
      this.#turns.give(command.machine);
      this.#binding.delete(command.uid);
    }
  }

  async #carryOut(orders: ClusterOrders, command: SchedulerCommand): Promise<void> {
    // Reports are many where many wait, and go when nothing more urgent does: no decision waits for them.
    const weight = command.kind === 'bind' || command.kind === 'evict' ? 1 : 0;
    this.#counts.inFlight += weight;
    try {
      await this.#send(orders, command);
    } finally {
      this.#counts.inFlight -= weight;
      if (this.#answers.length > 0 || this.#counts.inFlight === IN_FLIGHT_MAX - 1) this.#tools.onAnswer();
    }
  }

  async #send(orders: ClusterOrders, command: SchedulerCommand): Promise<void> {
    const uid = command.kind === 'report' ? command.report.uid : command.uid;
    const pod = this.#tools.translator.podOf(uid);
    if (pod === undefined) return;
    switch (command.kind) {
      case 'bind':
        return this.#bind(orders, pod, command);
      case 'free-claims':
        return this.#claims.free(orders, command.claims);
      case 'confirm':
        return this.#confirm(orders, pod);
      case 'evict':
        return this.#evict(orders, pod, command);
      case 'nominate':
        await orders.nominate({ pod, machine: command.machine });
        return;
      case 'report':
        this.#untold.delete(uid);
        if (!(await this.tell(pod, waitMessage(command.report, pod.pod.request)))) this.#notSent(command);
    }
  }

  /** Decided, and then not written. */
  #notSent(command: SchedulerCommand): void {
    if (command.kind === 'bind') this.#answers.push({ kind: 'bind-failed', uid: command.uid, why: 'refused' });
    if (command.kind === 'report') this.#untold.set(command.report.uid, command);
  }

  async #bind(orders: ClusterOrders, pod: ClusterPod, { machine, slices, claims = [] }: Bind): Promise<void> {
    const { clock } = this.#tools;
    // Of the claims that were decided on, whatever comes in their place meanwhile.
    const wanted = this.#claims.ordersFor(pod, claims);
    const hasVolumes = await this.#orderVolumes(orders, pod, machine);
    const reserved = hasVolumes && wanted !== null ? await this.#claims.reserve(orders, pod, wanted) : null;
    const orderedAtMs = clock.nowMs();
    const bound = reserved === null ? ({ answer: 'refused' } as const) : await orders.bind({ pod, machine, slices });
    const { answer } = bound;
    this.#tools.metrics.bindAnswered(answer, clock.nowMs() - orderedAtMs);
    if (answer === 'bound') {
      this.#counts.bound += 1;
      this.#tools.metrics.bound(clock.wallMs() - pod.createdAtMs);
      this.#record(pod, 'Normal', 'Scheduled', `Placed on ${machine}`);
      return;
    }
    this.#counts.bindsFailed += 1;
    const isRefused = answer === 'refused' || answer === 'forbidden';
    if (isRefused && 'failure' in bound) this.#record(pod, 'Warning', 'FailedBinding', bound.failure.message);
    // Nobody can say whether it was done, or somebody else did it (faults 2 and 4).
    const failed =
      answer === 'unknown' || answer === 'conflict'
        ? await this.#whyNotBound(orders, pod, answer)
        : ({ kind: 'bind-failed', uid: pod.uid, why: answer === 'gone' ? answer : 'refused' } as const);
    if (failed === null) return;
    if (reserved !== null) await this.#claims.giveBack(orders, pod, reserved);
    this.#answers.push(failed);
  }

  /** An order that was not seen carried out; one that is under way will be answered. */
  async #confirm(orders: ClusterOrders, pod: PodRef): Promise<void> {
    if (this.#binding.has(pod.uid)) return;
    const failed = await this.#whyNotBound(orders, pod, 'unknown');
    if (failed !== null) this.#answers.push(failed);
    // A watch that says nothing for so long is not believed.
    if (this.#unseen.has(pod.uid)) void this.#tools.cluster.view.refresh();
  }

  /** What the API server says now counts, not what was hoped for; as long as it says nothing, the order may be done. */
  async #whyNotBound(
    orders: ClusterOrders,
    pod: PodRef,
    why: 'unknown' | 'conflict',
  ): Promise<(SchedulerEvent & { kind: 'bind-failed' }) | null> {
    const now = await orders.lookUp(pod);
    if (now.answer === 'unknown') return null;
    const isBound = now.answer === 'found' && now.machine !== null;
    if (!isBound) return { kind: 'bind-failed', uid: pod.uid, why: now.answer === 'gone' ? 'gone' : why };
    this.#unseen.add(pod.uid);
    return null;
  }

  /** Late claims get their volumes first: a pod that is bound without would stay where it has none. */
  async #orderVolumes(orders: ClusterOrders, pod: PodRef, machine: string): Promise<boolean> {
    const noun = this.#tools.machineOf(machine);
    const wanted = noun === undefined ? [] : this.#tools.translator.volumeOrders(pod.uid, noun);
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
    this.#tools.metrics.evictAnswered(command.reason, answer);
    if (answer === 'evicted') this.#counts.evicted += 1;
  }

  #record(pod: PodRef, type: 'Normal' | 'Warning', reason: string, note: string): void {
    this.#tools.cluster.record({ about: { kind: 'pod', pod }, type, reason, action: 'Scheduling', note });
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
