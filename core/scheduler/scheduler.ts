import { explain, type Gang, observeGang, placeGang, type Placer } from '../placement/index.ts';
import type { Explanation } from '../model/index.ts';
import type { Holding } from '../state/index.ts';
import { planPreemption } from '../victims/index.ts';
import type { SchedulerCommand, SchedulerEvent, SeenPod, StepResult, WaitReason } from './events.ts';
import { type Waiting, waitingOf } from './queue.ts';
import { SchedulerWorld } from './world.ts';

export interface SchedulerOptions {
  /** How long an ordered bind may stay unseen before it is taken back. */
  readonly assumedMs: number;
  /** How long a started gang may take until all its members are ready; then it gives its cards back. */
  readonly gangReadyMs: number;
  /** How long room made by preemption is kept for its pod. */
  readonly nominationMs: number;
}

export const SCHEDULER_DEFAULTS: SchedulerOptions = { assumedMs: 30_000, gangReadyMs: 600_000, nominationMs: 60_000 };

/** What is remembered of something that waits. */
interface Memory {
  /** `world.gains` when it was last refused, and how many of its members were there: tried again when one moves. */
  refusedAt: number;
  members: number;
  /** What was last told, so that only changes are told. */
  told: string;
  isObserved: boolean;
  nominatedUntilMs: number;
}

/**
 * The scheduler's decisions, pure: events in, commands out, the same for the same input. It holds no clock and does
 * no I/O; the service around it feeds watch events, carries out commands, and tells what became of them.
 */
export class Scheduler {
  readonly world = new SchedulerWorld();
  readonly #options: SchedulerOptions;
  readonly #memory = new Map<string, Memory>();
  readonly #gangStartedAtMs = new Map<string, number>();
  #exhausted: ReadonlySet<string> = new Set();

  constructor(options: SchedulerOptions = SCHEDULER_DEFAULTS) {
    this.#options = options;
  }

  /**
   * One pass: take the events in, take back what was ordered in vain, then try what waits, at most `work` pods.
   * O(pods) to find what waits; what was refused and can have gained nothing since costs nothing more.
   */
  step(nowMs: number, events: readonly SchedulerEvent[], work: number): StepResult {
    const commands: SchedulerCommand[] = [];
    // 1. What happened.
    this.observe(events);
    // 2. Orders that nobody saw carried out.
    for (const [uid, { untilMs }] of this.world.assumed) if (untilMs <= nowMs) this.world.forgetAssumed(uid);
    // 3. Gangs that started and did not become ready.
    this.#giveBackUnready(nowMs, commands);
    // 4. What waits, in order.
    const waiting = waitingOf(this.world.pods.values(), (seen) => this.#isStarted(seen));
    this.#forget(waiting);
    let left = work;
    for (const item of waiting) {
      const memory = this.#remember(item.key);
      if (memory.refusedAt === this.world.gains && memory.members === membersOf(item)) continue;
      if (left <= 0) return { commands, more: true, wakeAtMs: nowMs };
      left -= item.pods.length;
      this.#try(item, memory, nowMs, commands);
    }
    return { commands, more: false, wakeAtMs: this.#wakeAtMs() };
  }

  /** Takes events in and decides nothing: for a replica that does not lead. */
  observe(events: readonly SchedulerEvent[]): void {
    for (const event of events) this.#hear(event);
  }

  #hear(event: SchedulerEvent): void {
    switch (event.kind) {
      case 'machine':
        return this.world.setMachine(event.machine);
      case 'machine-gone':
        return this.world.removeMachine(event.id);
      case 'pod':
        return this.world.setPod(event.seen);
      case 'pod-gone':
        return this.world.removePod(event.uid);
      case 'bind-failed':
        return this.world.forgetAssumed(event.uid);
      case 'budgets':
        this.#exhausted = event.exhausted;
    }
  }

  #isStarted(seen: SeenPod): boolean {
    return seen.machine !== null || this.world.assumed.has(seen.uid);
  }

  #remember(key: string): Memory {
    let memory = this.#memory.get(key);
    if (memory === undefined) {
      memory = { refusedAt: -1, members: 0, told: '', isObserved: false, nominatedUntilMs: 0 };
      this.#memory.set(key, memory);
    }
    return memory;
  }

  #forget(waiting: readonly Waiting[]): void {
    if (this.#memory.size <= 2 * waiting.length + 1024) return;
    const keys = new Set(waiting.map(({ key }) => key));
    for (const key of this.#memory.keys()) if (!keys.has(key)) this.#memory.delete(key);
  }

  #try(item: Waiting, memory: Memory, nowMs: number, commands: SchedulerCommand[]): void {
    const { placer } = this.world;
    const blocked = blockedBy(item);
    if (blocked !== null || placer === null) {
      this.#wait(item, memory, blocked ?? 'no-machine', null, commands);
      return;
    }
    const holdings =
      item.wanted > 1 || item.pods.length > 1 ? placeAll(placer, item, memory) : placeOne(placer, item, memory);
    if (holdings !== null) {
      this.#order(item, holdings, nowMs, commands);
      return;
    }
    if (memory.nominatedUntilMs <= nowMs) this.#preempt(placer, item, memory, nowMs, commands);
    const [first] = item.pods as [SeenPod];
    const reason = item.pods.length > 1 ? 'gang-too-large' : 'no-machine';
    this.#wait(item, memory, reason, explain(placer, first.pod), commands);
  }

  #order(item: Waiting, holdings: readonly Holding[], nowMs: number, commands: SchedulerCommand[]): void {
    const { placer } = this.world;
    if (placer === null) return;
    const { book } = placer;
    const byId = new Map(item.pods.map((seen) => [seen.pod.id, seen]));
    for (const { pod, machine, cards } of holdings) {
      const seen = byId.get(pod.id) as SeenPod;
      const name = book.machines[machine]?.id ?? '';
      this.world.assume(seen.uid, { machine: name, untilMs: nowMs + this.#options.assumedMs });
      commands.push({
        kind: 'bind',
        uid: seen.uid,
        pod: pod.id,
        machine: name,
        cards: cards.map((card) => book.cardIds[card] ?? ''),
      });
    }
    const gang = item.pods[0]?.gang ?? null;
    if (gang !== null) this.#gangStartedAtMs.set(gang.id, nowMs);
    this.#memory.delete(item.key);
  }

  /** Only single pods preempt here; gangs take room by admission. */
  #preempt(placer: Placer, item: Waiting, memory: Memory, nowMs: number, commands: SchedulerCommand[]): void {
    const [seen] = item.pods as [SeenPod];
    if (item.pods.length > 1 || !seen.mayPreempt) return;
    const plan = planPreemption(placer.book, seen.pod, {
      mayEvict: ({ pod, deleting }) => !deleting && pod.priority < seen.pod.priority,
      breaksBudget: ({ pod }) => this.#exhausted.has(pod.id),
    });
    if (plan === null || plan.budgetsBroken > 0 || !this.#provesFit(placer, seen, plan)) return;
    memory.nominatedUntilMs = nowMs + this.#options.nominationMs;
    const machine = placer.book.machines[plan.machine]?.id ?? '';
    commands.push({ kind: 'nominate', uid: seen.uid, pod: seen.pod.id, machine });
    const uids = new Map([...this.world.pods.values()].map((other) => [other.pod.id, other.uid]));
    for (const { pod } of plan.victims) {
      commands.push({ kind: 'evict', uid: uids.get(pod.id) ?? '', pod: pod.id, reason: 'preempted', by: seen.pod.id });
    }
  }

  /** I10: the preemptor is placed, neighbours and all, once the victims are gone; tried on the book, then undone. */
  #provesFit(placer: Placer, seen: SeenPod, plan: NonNullable<ReturnType<typeof planPreemption>>): boolean {
    const { book } = placer;
    const savepoint = book.savepoint();
    for (const { pod } of plan.victims) book.release(pod.id);
    const decision = placer.decide(seen.pod);
    book.rollBack(savepoint);
    return decision.ok;
  }

  #wait(
    item: Waiting,
    memory: Memory,
    reason: WaitReason,
    explanation: Explanation | null,
    commands: SchedulerCommand[],
  ): void {
    const members = membersOf(item);
    memory.refusedAt = this.world.gains;
    memory.members = members;
    const counts = explanation?.refusals.map(({ filter, machines }) => `${filter}:${machines}`).join(' ') ?? '';
    const told = `${reason} ${members}/${item.wanted} ${counts}`;
    if (told === memory.told) return;
    memory.told = told;
    for (const { uid, pod } of item.pods) {
      const report = { uid, pod: pod.id, reason, explanation, members, membersWanted: item.wanted };
      commands.push({ kind: 'report', report });
    }
  }

  /** A gang whose members are not all ready in time gives its cards back (Q1). */
  #giveBackUnready(nowMs: number, commands: SchedulerCommand[]): void {
    if (this.#gangStartedAtMs.size === 0) return;
    const inGangs = [...this.world.pods.values()].filter((seen) => seen.gang !== null && !seen.isFinished);
    const byGang = Map.groupBy(inGangs, ({ gang }) => gang?.id);
    for (const [id, startedAtMs] of this.#gangStartedAtMs) {
      const members = byGang.get(id) ?? [];
      const running = members.filter((seen) => seen.machine !== null);
      if (members.length === 0 || (running.length === members.length && running.every((seen) => seen.isReady))) {
        this.#gangStartedAtMs.delete(id);
      } else if (startedAtMs + this.#options.gangReadyMs <= nowMs) {
        this.#gangStartedAtMs.delete(id);
        for (const { uid, pod } of running) {
          commands.push({ kind: 'evict', uid, pod: pod.id, reason: 'gang-not-ready', by: id });
        }
      }
    }
  }

  #wakeAtMs(): number | null {
    const times = [...this.world.assumed.values()].map(({ untilMs }) => untilMs);
    for (const startedAtMs of this.#gangStartedAtMs.values()) times.push(startedAtMs + this.#options.gangReadyMs);
    return times.length === 0 ? null : Math.min(...times);
  }
}

/** Members of a gang that are there, started or not. */
function membersOf(item: Waiting): number {
  return item.started + item.pods.length;
}

/** What keeps an item from being tried at all. */
function blockedBy(item: Waiting): WaitReason | null {
  if (item.pods.some(({ hasClaims }) => hasClaims)) return 'claims';
  return membersOf(item) < item.wanted ? 'gang-incomplete' : null;
}

function placeOne(placer: Placer, item: Waiting, memory: Memory): readonly Holding[] | null {
  const [seen] = item.pods as [SeenPod];
  const requestClass = placer.book.classOf(seen.pod.request, seen.pod.tenant);
  if (!memory.isObserved) placer.policy.observe(requestClass);
  memory.isObserved = true;
  const decision = placer.decide(seen.pod, requestClass);
  if (!decision.ok) return null;
  placer.book.hold(decision.holding);
  return [decision.holding];
}

function placeAll(placer: Placer, item: Waiting, memory: Memory): readonly Holding[] | null {
  const gang: Gang = { id: item.key, members: item.pods.map(({ pod }) => ({ pod, role: 'worker' })), topology: null };
  if (!memory.isObserved) observeGang(placer, gang);
  memory.isObserved = true;
  const decision = placeGang(placer, gang);
  return decision.ok ? decision.holdings : null;
}
