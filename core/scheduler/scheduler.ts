import { observeGang, type Placer } from '../placement/index.ts';
import { type Holding, slicesOf } from '../state/index.ts';
import { planPreemption } from '../victims/index.ts';
import { claimTroubles, failingSelectors, freeClaims } from './claims.ts';
import type { SchedulerCommand, SchedulerEvent, SeenPod, StepResult } from './events.ts';
import { GangReservations } from './gang-reservations.ts';
import { gangBlock, gangOf, gangReport, placeWaiting } from './gang-turn.ts';
import { Gangs } from './gangs.ts';
import { cardsFree, isHelped, laneKeyOf, newLane, noMachines } from './lanes.ts';
import { SCHEDULER_DEFAULTS, type SchedulerOptions } from './options.ts';
import { type Item, newMemory, type Waiting, WaitingQueue } from './queue.ts';
import { SetBack } from './set-back.ts';
import { explained, observe, placeOne } from './single-turn.ts';
import type { SchedulerSnapshot } from './snapshot.ts';
import { reportsOf, toldOf, type Why } from './telling.ts';
import { SchedulerWorld } from './world.ts';

/** Whatever rests is tried and told anew this often, should nothing else have happened to it. */
const REST_MS = 300_000;
/** Who is missing of a gang is told when no member has come for so long: else it were told with each that comes. */
const STILL_MS = 1000;

/** A pod or gang that is being tried. */
interface Trial extends Waiting {
  readonly item: Item;
  readonly nowMs: number;
  readonly commands: SchedulerCommand[];
}

/**
 * The scheduler's decisions, pure: events in, commands out, the same for the same input. It holds no clock and does
 * no I/O; the service around it feeds watch events, carries out commands, and tells what became of them.
 */
export class Scheduler {
  readonly world: SchedulerWorld;
  readonly #options: SchedulerOptions;
  readonly #queue = new WaitingQueue();
  readonly #gangs: Gangs;
  readonly #reservations: GangReservations;
  /** Gangs of which members are missing and that have not been told so, with their last trial. */
  readonly #incomplete = new Map<string, Trial>();
  /** Until when room is being made for something that waits, by its key. */
  readonly #nominated = new Map<string, number>();
  /** Pods that were told to leave, by id: nobody counts on their going twice, until that is given up. */
  readonly #leaving = new Map<string, number>();
  #exhausted: ReadonlySet<string> = new Set();
  readonly #setBack = new SetBack();
  #restedAtMs = -Infinity;
  #nowMs = 0;

  constructor(options: SchedulerOptions = SCHEDULER_DEFAULTS, world = new SchedulerWorld()) {
    this.#options = options;
    this.world = world;
    this.#gangs = new Gangs(options, {
      membersOf: (gang) => this.#queue.membersOf(gang),
      isOrdered: ({ uid }) => this.world.assumed.has(uid),
    });
    this.#reservations = new GangReservations(options);
  }

  /** A scheduler that goes on from a snapshot: the same one always decides the same. What waits is tried anew. */
  static resume(options: SchedulerOptions, snapshot: SchedulerSnapshot): Scheduler {
    const scheduler = new Scheduler(options, SchedulerWorld.resume(snapshot));
    for (const seen of snapshot.pods) scheduler.#enqueue(seen);
    for (const [key, memory] of snapshot.memories) scheduler.#queue.remember(key, memory);
    for (const [key, untilMs] of snapshot.nominated) scheduler.#nominated.set(key, untilMs);
    for (const [id, untilMs] of snapshot.leaving) scheduler.#leaving.set(id, untilMs);
    scheduler.#gangs.resume(snapshot.gangs);
    scheduler.#reservations.resume(snapshot.reservations);
    scheduler.#setBack.resume(snapshot.setBack);
    scheduler.#exhausted = new Set(snapshot.exhausted);
    scheduler.#restedAtMs = snapshot.restedAtMs;
    scheduler.#nowMs = snapshot.nowMs;
    return scheduler;
  }

  /** All that later decisions rest on, as plain data, by reference. O(pods + machines). */
  snapshot(): SchedulerSnapshot {
    return {
      ...this.world.snapshot(),
      memories: this.#queue.memories(),
      nominated: [...this.#nominated],
      leaving: [...this.#leaving],
      gangs: this.#gangs.snapshot(),
      reservations: this.#reservations.snapshot(),
      setBack: this.#setBack.snapshot(),
      exhausted: [...this.#exhausted],
      restedAtMs: this.#restedAtMs,
      nowMs: this.#nowMs,
    };
  }

  /** Card-milliseconds that gangs have held until all their members were ready, or until they gave back (Q1). */
  get cardMsUnready(): number {
    return this.#gangs.cardMsUnready;
  }

  /**
   * One pass: take the events in, take back what was ordered in vain, then try what is ready, at most `work` pods.
   * Costs what has changed, and nothing for what was refused and cannot have gained since.
   */
  step(nowMs: number, events: readonly SchedulerEvent[], work: number): StepResult {
    const commands: SchedulerCommand[] = [];
    this.#nowMs = nowMs;
    // 1. What happened.
    this.observe(events);
    // 2. What has had its time.
    this.#expire(nowMs, commands);
    // 3. Gangs that did not start whole, or did not become ready, in time; and what is kept for those that wait.
    this.#giveBack(nowMs, commands);
    this.#tendReservations(nowMs);
    this.#tellIncomplete(nowMs, commands);
    // 4. What is ready, in order.
    this.#wake(nowMs);
    let left = work;
    while (left > 0) {
      const taken = this.#queue.take();
      if (taken === null) break;
      left -= taken.waiting.pods.length;
      this.#try({ ...taken.waiting, item: taken.item, nowMs, commands });
    }
    const more = this.#queue.isReady || this.world.hasGained;
    return { commands, tried: work - left, more, wakeAtMs: more ? nowMs : this.#wakeAtMs() };
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
        if (event.seen.machine !== null) this.#setBack.forget(event.seen.uid);
        return this.#see(event.seen);
      case 'pod-gone':
        return this.#lose(event.uid);
      case 'bind-failed':
        return this.#takeBack(event.uid);
      case 'budgets':
        return this.#setExhausted(event.exhausted);
      default:
        return this.world.hearDevices(event);
    }
  }

  #see(seen: SeenPod): void {
    const before = this.world.pods.get(seen.uid);
    if (before !== undefined) this.#gangs.touch(before);
    this.world.setPod(seen);
    this.#enqueue(seen);
  }

  #enqueue(seen: SeenPod): void {
    this.#queue.set(seen, seen.machine !== null || this.world.assumed.has(seen.uid));
    this.#gangs.touch(seen);
  }

  #lose(uid: string): void {
    const seen = this.world.pods.get(uid);
    if (seen === undefined) return;
    this.#leaving.delete(seen.pod.id);
    this.#gangs.touch(seen);
    this.#nominated.delete(uid);
    this.#setBack.forget(uid);
    this.world.removePod(uid);
    this.#queue.remove(uid);
  }

  /** An ordered bind will not come true: its pod waits again. */
  #takeBack(uid: string): void {
    if (this.world.assumed.has(uid)) this.#setBack.add(uid, this.#nowMs);
    this.world.forgetAssumed(uid);
    const seen = this.world.pods.get(uid);
    if (seen !== undefined) this.#enqueue(seen);
  }

  /** A budget that has recovered may let somebody be evicted. */
  #setExhausted(exhausted: ReadonlySet<string>): void {
    if (!this.#exhausted.isSubsetOf(exhausted)) this.world.gainAnywhere();
    this.#exhausted = exhausted;
  }

  /** Orders that nobody saw carried out are looked up, and room that nobody left is looked for anew. */
  #expire(nowMs: number, commands: SchedulerCommand[]): void {
    for (const [uid, assumed] of this.world.assumed) {
      const { machine, untilMs } = assumed;
      if (untilMs > nowMs) break;
      this.world.assume(uid, { ...assumed, untilMs: nowMs + this.#options.assumedMs });
      commands.push({ kind: 'confirm', uid, pod: this.world.pods.get(uid)?.pod.id ?? '', machine });
    }
    for (const uid of this.#setBack.takeDue(nowMs)) this.#queue.retry(uid);
    for (const [id, untilMs] of this.#leaving) {
      if (untilMs > nowMs) continue;
      this.#leaving.delete(id);
      this.world.gainAnywhere();
    }
    for (const [key, untilMs] of this.#nominated) {
      if (untilMs > nowMs) continue;
      this.#nominated.delete(key);
      this.#queue.wakeOne(key);
    }
  }

  /** Makes ready what can have gained since it was refused, and now and then everything. */
  #wake(nowMs: number): void {
    const gains = this.world.takeGains();
    const isDue = this.#restedAtMs + REST_MS <= nowMs;
    if (isDue) this.#restedAtMs = nowMs;
    if (gains === 'anywhere' || isDue) return this.#queue.wakeAll();
    const { arrivals } = this.world;
    const free = gains.size > 0 && this.world.placer !== null ? cardsFree(this.world.placer) : 0;
    this.#queue.wake((lane) => isHelped(lane, gains, free) || (lane.isHelpedByPods && lane.arrivedAt !== arrivals));
  }

  #try(trial: Trial): void {
    const { placer } = this.world;
    const [{ gang }] = trial.pods as [SeenPod];
    if (trial.pods.some(({ uid }) => this.#setBack.holds(uid, trial.nowMs))) return this.#queue.restAlone(trial.item);
    const claims = claimTroubles(trial);
    if (claims.length > 0) return this.#tell(trial, { reason: 'claims', claims });
    if (gang !== null) return this.#tryGang(placer, trial);
    if (placer !== null) return this.#trySingle(placer, trial);
    this.#tell(trial, { reason: 'no-machine' });
    this.#queue.rest(trial.item, noMachines());
  }

  #trySingle(placer: Placer, trial: Trial): void {
    const { item, key } = trial;
    observe(placer, trial);
    const lane = this.#queue.laneOf(laneKeyOf(placer, trial), (name) => newLane(placer, name, trial));
    const { gains, arrivals } = this.world;
    const isKnown = lane.refusedAt === gains && !(lane.isHelpedByPods && lane.arrivedAt !== arrivals);
    const outcome = isKnown ? null : placeOne(placer, trial);
    if (outcome?.ok === true) return this.#order(trial, outcome.holdings);
    if (!this.#nominated.has(key) && lane.hopelessAt !== gains) {
      if (!this.#preempt(placer, trial)) lane.hopelessAt = gains;
    }
    lane.refusedAt = gains;
    lane.arrivedAt = arrivals;
    const refusals = outcome?.refusals ?? null;
    const explanation = explained(placer, lane, trial, refusals);
    this.#tell(trial, { reason: 'no-machine', explanation, claims: failingSelectors(trial) });
    trial.commands.push(...freeClaims(trial));
    this.#queue.rest(item, lane);
    const isKept = refusals?.some(({ filter }) => filter === 'reserved') === true;
    if (isKept && this.#reservations.yieldTo(trial.priority)) this.world.gainAnywhere();
  }

  #tryGang(placer: Placer | null, trial: Trial): void {
    const { item, key, nowMs } = trial;
    const blocked = gangBlock(trial);
    this.#incomplete.delete(key);
    if (blocked === 'gang-incomplete') return void this.#incomplete.set(key, trial);
    if (blocked !== null) return this.#tell(trial, { reason: blocked, gang: gangReport(trial) });
    if (placer === null) {
      this.#tell(trial, { reason: 'gang-no-room', gang: gangReport(trial) });
      return this.#queue.rest(item, noMachines());
    }
    if (!item.memory.isObserved) observeGang(placer, gangOf(trial));
    item.memory.isObserved = true;
    const beside = this.#rankBeside(placer, trial);
    const turn = placeWaiting(placer, trial, { reservation: this.#reservations.of(key), beside });
    if (turn.ok) {
      if (this.#reservations.forget(key)) this.world.gainAnywhere();
      return this.#order(trial, turn.holdings);
    }
    this.#tell(trial, { reason: turn.reason, gang: turn.report });
    trial.commands.push(...freeClaims(trial));
    if (turn.reason === 'gang-no-room') this.#reservations.refuse(trial, gangOf(trial, beside), nowMs);
    const lane = this.#queue.laneOf(laneKeyOf(placer, trial), (name) => newLane(placer, name, trial));
    lane.refusedAt = this.world.gains;
    lane.arrivedAt = this.world.arrivals;
    lane.cardsAsked = turn.report.cardsAsked;
    this.#queue.rest(item, lane);
  }

  /** The machine to which what waits of a gang that has started has to be near; undefined: none. */
  #rankBeside({ book }: Placer, { pods, started, topology }: Waiting): number | undefined {
    if (topology === null || started === 0) return undefined;
    for (const { uid, machine, isDeleting } of this.#queue.membersOf(pods[0]?.gang?.id ?? '')) {
      const name = machine ?? this.world.assumed.get(uid)?.machine;
      const rank = isDeleting ? -1 : book.machines.findIndex(({ id }) => id === name);
      if (rank !== -1) return rank;
    }
    return undefined;
  }

  #tellIncomplete(nowMs: number, commands: SchedulerCommand[]): void {
    for (const [key, trial] of this.#incomplete) {
      if (trial.nowMs + STILL_MS > nowMs) break;
      this.#incomplete.delete(key);
      this.#tell({ ...trial, commands }, { reason: 'gang-incomplete', gang: gangReport(trial) });
    }
  }

  #tendReservations(nowMs: number): void {
    const { placer } = this.world;
    if (placer === null) return;
    const isThere = (gang: string): boolean => this.#queue.membersOf(gang).length > 0;
    if (this.#reservations.tend(nowMs, placer, isThere)) this.world.gainAnywhere();
  }

  #order({ key, item, pods, nowMs, commands }: Trial, holdings: readonly Holding[]): void {
    const { placer } = this.world;
    if (placer === null) return;
    const { book } = placer;
    const byId = new Map(pods.map((seen) => [seen.pod.id, seen]));
    for (const holding of holdings) {
      const { pod, claims } = holding;
      const seen = byId.get(pod.id) as SeenPod;
      const name = book.machines[holding.machine]?.id ?? '';
      const slices = slicesOf(book, holding);
      const rest = claims === undefined ? {} : { claims };
      this.world.assume(seen.uid, { machine: name, slices, untilMs: nowMs + this.#options.assumedMs, ...rest });
      commands.push({ kind: 'bind', uid: seen.uid, pod: pod.id, machine: name, slices, ...rest });
      this.#enqueue(seen);
    }
    this.#nominated.delete(key);
    item.memory = newMemory();
  }

  /** Only single pods preempt here; gangs take room by admission. Whether room is being made. */
  #preempt(placer: Placer, { key, pods, nowMs, commands }: Trial): boolean {
    const [seen] = pods as [SeenPod];
    const { priority } = seen.pod;
    if (!seen.mayPreempt || !this.world.hasLower(priority)) return false;
    const plan = planPreemption(placer.book, seen.pod, {
      mayEvict: ({ pod, deleting }) => !deleting && pod.priority < priority && !this.#leaving.has(pod.id),
      breaksBudget: ({ pod }) => this.#exhausted.has(pod.id),
    });
    if (plan === null || plan.budgetsBroken > 0 || !this.#provesFit(placer, seen, plan)) return false;
    const untilMs = nowMs + this.#options.nominationMs;
    this.#nominated.set(key, untilMs);
    const machine = placer.book.machines[plan.machine]?.id ?? '';
    commands.push({ kind: 'nominate', uid: seen.uid, pod: seen.pod.id, machine });
    for (const { uid, id } of this.world.uidsOf(plan.victims)) {
      this.#leaving.set(id, untilMs);
      commands.push({ kind: 'evict', uid, pod: id, reason: 'preempted', by: seen.pod.id });
    }
    return true;
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

  /** Tells why something waits, when that is not what was told last. */
  #tell(trial: Trial, why: Why): void {
    const { item, commands } = trial;
    const told = toldOf(trial, why);
    if (told === item.memory.told) return;
    item.memory.told = told;
    for (const report of reportsOf(trial, why)) commands.push({ kind: 'report', report });
  }

  /** Gangs that did not start whole in time, or whose members are not all ready in time (I3, Q1). */
  #giveBack(nowMs: number, commands: SchedulerCommand[]): void {
    for (const { gang, reason, members } of this.#gangs.due(nowMs)) {
      for (const { uid, pod } of members) commands.push({ kind: 'evict', uid, pod: pod.id, reason, by: gang });
    }
  }

  /** When something is due although nothing happens. What was ordered first is due first. */
  #wakeAtMs(): number | null {
    const [ordered] = this.world.assumed.values();
    let atMs = Math.min(ordered?.untilMs ?? Infinity, this.#setBack.nextMs);
    for (const untilMs of this.#nominated.values()) atMs = Math.min(atMs, untilMs);
    const [still] = this.#incomplete.values();
    if (still !== undefined) atMs = Math.min(atMs, still.nowMs + STILL_MS);
    atMs = Math.min(atMs, this.#gangs.wakeAtMs ?? Infinity, this.#reservations.wakeAtMs ?? Infinity);
    if (this.#queue.isResting) atMs = Math.min(atMs, this.#restedAtMs + REST_MS);
    return atMs === Infinity ? null : atMs;
  }
}
