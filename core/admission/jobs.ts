import { compareText, Heap } from '../base/index.ts';
import type { Flavor, JobLeave, JobRecord, JobState, PodSetAssignment, QueuedJob } from '../model/index.ts';
import { type Candidate, plannedPods, type Started } from './attempt.ts';
import { avoidsOf } from './avoids.ts';
import { agedRank, type Entry, isHolding } from './entry.ts';
import type { AdmissionCommand } from './events.ts';
import { Fleet } from './fleet.ts';
import { isEviction } from './leaves.ts';
import { type Line, Lines, type StandingOf } from './lines.ts';
import type { AdmissionOptions } from './options.ts';
import { Shapes } from './shapes.ts';
import { startOptions, type StartOption } from './start-options.ts';

/** Keys of jobs that have ended, at most: submitted again, they are no new jobs. The oldest are forgotten. */
const ENDED_MAX = 10_000;

/** Reasons after which a job rests before it is tried again. */
const SET_BACKS: ReadonlySet<JobLeave> = new Set(['not-ready', 'failed', 'not-ordered']);

/**
 * The jobs that are known and what becomes of them: each change of state is here, with the quota and the cards that go
 * with it, and the command that tells of it.
 */
export class Jobs {
  readonly options: AdmissionOptions;
  readonly fleet = new Fleet();
  readonly lines: Lines;
  readonly all = new Map<string, Entry>();
  readonly shapes = new Shapes();
  flavors: ReadonlyMap<string, Flavor> = new Map();
  /** By the idempotency key of the submission. */
  readonly byKey = new Map<string, string>();
  /** The same of jobs that have ended, the oldest first. */
  readonly ended = new Map<string, string>();
  /** What is due by time. */
  readonly timers = new Heap<Entry>((left, right) => left.dueMs - right.dueMs || compareText(left.id, right.id));
  /** Those whose places are kept until others have left. */
  readonly reserved = new Set<Entry>();
  /** Jobs that hold quota, by queue. */
  readonly holding = new Map<string, Set<Entry>>();
  /** Card-milliseconds held by jobs whose pods were not all ready yet, by queue (Q1). */
  readonly unreadyCardMs = new Map<string, number>();
  /** Roots of queues where quota was given back. */
  readonly freedRoots = new Set<number>();
  /** Counts up whenever quota is given back. */
  freedCount = 0;
  /** More may be used than quota allows, since it was lowered. */
  isLowered = false;
  commands: AdmissionCommand[] = [];
  nowMs = 0;

  constructor(options: AdmissionOptions, standingOf: StandingOf) {
    this.options = options;
    this.lines = new Lines(standingOf);
  }

  candidate(entry: Entry): Candidate {
    const { id, job, record } = entry;
    return { id, workload: job.workload, mayBorrow: this.mayBorrow(entry), avoids: record.avoids };
  }

  /**
   * What nobody may evict holds nothing that its queue had to borrow: so lent quota can always be taken back. But what
   * was evicted so often that it is evicted no more, and is larger than its queue's own quota, would never start (I11).
   */
  mayBorrow(entry: Entry): boolean {
    const { job, record } = entry;
    if (!job.isPreemptible) return false;
    return record.evictions < this.options.evictionsMax || !this.#isWithinOwn(entry);
  }

  /** Whether its queue owns as much as it needs, in some flavor. */
  #isWithinOwn({ line, shape }: Entry): boolean {
    if (line === null) return true;
    const { quota } = this.fleet;
    const counts = shape.podSets.map(({ name, count }) => shape.minCounts.get(name) ?? count);
    const options = startOptions(shape, counts, { queue: line.spec, flavors: this.flavors, quota });
    const { owned } = quota.tree;
    return options.some(({ demand: { slots, amounts } }) =>
      slots.every((slot, i) => (owned[slot] as number) >= (amounts[i] as number)),
    );
  }

  /** Until when nobody may evict it for others; Infinity: as long as it runs. */
  protectedUntilMs({ id, job, record, line }: Entry): number {
    const { evictionsMax, quantumMs } = this.options;
    if (!job.isPreemptible || record.evictions >= evictionsMax || line === null) return Infinity;
    if (record.state !== 'running' && record.state !== 'admitted') return Infinity;
    if (!this.fleet.quota.ledger.charges.has(id)) return Infinity;
    return (record.startedAtMs ?? 0) + quantumMs;
  }

  due(entry: Entry, atMs: number): void {
    this.timers.delete(entry);
    entry.dueMs = atMs;
    if (atMs !== Infinity) this.timers.put(entry);
  }

  /** It waits, and is tried once its time has come. */
  wait(entry: Entry): void {
    if (entry.newer !== null) this.#renew(entry);
    this.#become(entry, 'queued', { podSets: [], startedAtMs: null });
    this.line(entry);
  }

  /** Puts what waits in its queue, where its priority and deadline have it now. */
  line(entry: Entry): void {
    const { job, record, line } = entry;
    if (line !== null) this.lines.take(entry);
    const { rank, changesAtMs } = agedRank(job, this.options.unknownRunMs, this.nowMs);
    entry.rank = rank;
    if (record.retryAtMs > this.nowMs) return this.due(entry, record.retryAtMs);
    this.due(entry, changesAtMs);
    if (line !== null) this.lines.add(entry, this.laneKey(entry));
  }

  laneKey(entry: Entry): string {
    const { job, record, shape, id } = entry;
    const { priority } = job.workload;
    const avoiding = record.avoids.length > 0 ? id : '';
    const runs = Math.ceil(Math.log2(Math.max(1000, job.expectedRunMs ?? this.options.unknownRunMs)));
    return `${priority} ${this.mayBorrow(entry)} ${runs} ${avoiding} ${shape.number}`;
  }

  /** It starts: the book holds its quota and its places already. */
  admit(entry: Entry, started: Started): void {
    this.#give(entry, started);
    this.#order(entry);
  }

  /** Its place is kept, beside those who have to leave it: nobody else can take it. */
  reserve(entry: Entry, started: Started, victims: readonly Entry[]): void {
    this.#give(entry, started);
    entry.victims = victims;
    this.reserved.add(entry);
    this.#become(entry, 'reserved', { podSets: this.#assignments(started) });
    this.commands.push({ kind: 'reserve', job: entry.id, record: entry.record });
  }

  /** Those that it waited for are gone, and it starts where it then fits. */
  redeem(entry: Entry, started: Started): void {
    this.reserved.delete(entry);
    entry.victims = [];
    entry.option = started.option;
    this.#plan(entry, started);
    this.#order(entry);
  }

  /** Its place is kept no longer, and those who were to leave for it go on: before all others where they have left. */
  drop(entry: Entry): void {
    if (!this.reserved.delete(entry)) return;
    const { victims } = entry;
    entry.victims = [];
    this.giveBack(entry);
    for (const victim of victims) this.callOff(victim, entry);
  }

  dropAndWait(entry: Entry): void {
    this.drop(entry);
    this.wait(entry);
    this.#keep(entry);
  }

  #plan({ id }: Entry, { option, holdings }: Started): void {
    const sets = option.sets.flatMap(({ set }) => Array.from({ length: set.count }, () => set.name));
    this.fleet.plan(id, sets, holdings);
  }

  #give(entry: Entry, started: Started): void {
    this.lines.take(entry);
    entry.option = started.option;
    entry.refused = null;
    entry.told = '';
    entry.isResumed = false;
    entry.lastBy = null;
    this.#plan(entry, started);
    this.hold(entry);
  }

  hold(entry: Entry): void {
    const { queue } = entry.job.workload;
    const held = this.holding.get(queue) ?? new Set<Entry>();
    this.holding.set(queue, held.add(entry));
    if (entry.line !== null) this.#uses(entry.line);
  }

  #order(entry: Entry): void {
    const podSets = this.#assignments({
      option: entry.option as StartOption,
      holdings: this.fleet.holdingsOf(entry.id),
    });
    const incarnation = entry.record.incarnation + 1;
    // Whoever starts its pods keeps them off what is left of it.
    const avoids = avoidsOf(this.fleet.book, this.candidate(entry), entry.option as StartOption);
    this.#become(entry, 'admitted', { podSets, incarnation, startedAtMs: this.nowMs, leaves: null, avoids });
    this.due(entry, this.nowMs + this.options.readyMs);
    const { id: job, record } = entry;
    this.commands.push({ kind: 'admit', job, podSets, checkpoint: record.checkpoint, record });
  }

  #assignments({ option, holdings }: Started): PodSetAssignment[] {
    let next = 0;
    return option.sets.map(({ set: { name, count }, flavor, charged }) => {
      const own = holdings.slice(next, (next += count));
      const machines = own.map(({ machine }) => this.fleet.book.machines[machine]?.id ?? '');
      return { podSet: name, count, flavor, charged, machines };
    });
  }

  /** All its pods are ready. */
  run(entry: Entry): void {
    this.#countUnready(entry);
    this.#become(entry, 'running', { setBacks: 0 });
    this.due(entry, Infinity);
    this.#keep(entry);
  }

  /** It is told to leave: asked for a checkpoint where there is time for one, else stopped. */
  leave(
    entry: Entry,
    reason: JobLeave,
    more: { by?: Entry; avoids?: readonly string[]; retryAtMs?: number } = {},
  ): void {
    const { by = null, avoids = [], retryAtMs = 0 } = more;
    const isAsked = isEviction(reason);
    if (entry.record.state === 'admitted') this.#countUnready(entry);
    entry.leaving = { reason, by, isAsked, stops: 0, avoids, retryAtMs };
    this.#become(entry, 'suspending', { leaves: reason });
    if (!isAsked) return this.stop(entry);
    const untilMs = this.nowMs + this.options.graceMs;
    this.due(entry, untilMs);
    const { id: job, record } = entry;
    this.commands.push({ kind: 'suspend', job, reason, by: by?.id ?? '', untilMs, record });
  }

  /** Orders that it is stopped, once more if it is not. */
  stop(entry: Entry): void {
    const { leaving, id: job, record } = entry;
    if (leaving === null) return;
    leaving.isAsked = false;
    leaving.stops += 1;
    this.due(entry, this.nowMs + this.options.stopMs);
    this.commands.push({ kind: 'evict', job, reason: leaving.reason, record });
  }

  /** The job that was to take its place does not: it goes on if it has not been stopped, else it is next to start. */
  callOff(victim: Entry, by: Entry): void {
    const { leaving, record, lastBy } = victim;
    if (record.state === 'queued' && lastBy === by) {
      victim.isResumed = true;
      return this.line(victim);
    }
    if (leaving?.by !== by) return;
    if (!leaving.isAsked) return void (victim.leaving = { ...leaving, by: null });
    victim.leaving = null;
    // Whoever carries orders out tells `job-ready` again if its pods are.
    this.#become(victim, 'admitted', { leaves: null });
    this.due(victim, this.nowMs + this.options.readyMs);
    this.commands.push({ kind: 'resume', job: victim.id, record: victim.record });
  }

  /** Its pods are gone: it gives back what it held, and waits with its former rank. */
  requeue(entry: Entry, reason: JobLeave): void {
    const { leaving, record } = entry;
    const isSetBack = SET_BACKS.has(reason);
    const setBacks = isSetBack ? record.setBacks + 1 : record.setBacks;
    const { backOffMs, backOffMaxMs } = this.options;
    const restMs = isSetBack ? Math.min(backOffMaxMs, backOffMs * 2 ** Math.min(setBacks - 1, 30)) : 0;
    const retryAtMs = restMs === 0 ? 0 : Math.max(this.nowMs + restMs, leaving?.retryAtMs ?? 0);
    const evictions = record.evictions + (isEviction(reason) ? 1 : 0);
    const avoids = leaving === null || leaving.avoids.length === 0 ? record.avoids : leaving.avoids;
    entry.lastBy = leaving?.by ?? null;
    this.giveBack(entry);
    entry.record = { ...entry.record, setBacks, retryAtMs, evictions, avoids, leaves: reason };
    this.wait(entry);
    this.commands.push({ kind: 'requeue', job: entry.id, reason, record: entry.record });
  }

  end(entry: Entry, state: 'done' | 'failed' | 'cancelled'): void {
    if (isHolding(entry)) this.giveBack(entry);
    else this.lines.take(entry);
    this.due(entry, Infinity);
    this.#become(entry, state, { podSets: [] });
    this.#keep(entry);
    this.forget(entry);
  }

  /** Its key is remembered a while, so that the same submission is not run twice. */
  forget(entry: Entry): void {
    this.all.delete(entry.id);
    this.shapes.giveBack(entry.shape);
    const { idempotencyKey: key } = entry.job;
    this.byKey.delete(key);
    this.ended.set(key, entry.id);
    const [oldest] = this.ended.keys();
    if (this.ended.size > ENDED_MAX && oldest !== undefined) this.ended.delete(oldest);
  }

  /** Gives back quota and places. */
  giveBack(entry: Entry): void {
    const { id, job, record, line, option } = entry;
    if (record.state === 'admitted') this.#countUnready(entry);
    if (record.startedAtMs !== null) {
      const attainedCardMs = record.attainedCardMs + this.#cardsOf(entry) * (this.nowMs - record.startedAtMs);
      entry.record = { ...record, attainedCardMs, startedAtMs: null };
    }
    this.holding.get(job.workload.queue)?.delete(entry);
    if (option !== null && this.fleet.quota.ledger.charges.has(id)) this.fleet.quota.ledger.refund(id);
    this.fleet.free(id);
    entry.option = null;
    entry.leaving = null;
    if (line === null) return;
    this.freedRoots.add(line.root);
    this.freedCount += 1;
    this.#uses(line);
  }

  #uses(line: Line): void {
    for (const lane of line.lanes.values()) lane.needs = null;
    this.lines.settle(line);
  }

  /** Keeps another state with it. */
  #keep({ id, record }: Entry): void {
    this.commands.push({ kind: 'record', job: id, record });
  }

  note(entry: Entry, part: Partial<JobRecord>): void {
    entry.record = { ...entry.record, ...part };
    this.#keep(entry);
  }

  #become(entry: Entry, state: JobState, part: Partial<JobRecord>): void {
    const sinceMs = entry.record.state === state ? entry.record.sinceMs : this.nowMs;
    entry.record = { ...entry.record, ...part, state, sinceMs };
  }

  #renew(entry: Entry): void {
    const job = entry.newer as QueuedJob;
    entry.newer = null;
    const before = entry.shape;
    entry.job = job;
    entry.shape = this.shapes.take(job);
    this.shapes.giveBack(before);
    entry.line = this.lines.get(job.workload.queue);
  }

  #countUnready(entry: Entry): void {
    const { queue } = entry.job.workload;
    const heldMs = this.nowMs - (entry.record.startedAtMs ?? this.nowMs);
    this.unreadyCardMs.set(queue, (this.unreadyCardMs.get(queue) ?? 0) + heldMs * this.#cardsOf(entry));
  }

  #cardsOf({ option }: Entry): number {
    let cards = 0;
    for (const { set } of option?.sets ?? []) {
      if (set.request.cards.kind !== 'none') cards += set.count * set.request.cards.count;
    }
    return cards;
  }
}

/** The places of a job as its record has them, to be kept again after a restart. */
export function placesOf(candidate: Candidate, option: StartOption, podSets: readonly PodSetAssignment[]): Place[] {
  const machines = podSets.flatMap((set) => set.machines.map((machine) => ({ machine, podSet: set.podSet })));
  return plannedPods(candidate, option).flatMap((pod, i) => {
    const place = machines[i];
    return place === undefined ? [] : [{ pod, ...place }];
  });
}

type Place = Parameters<Fleet['assume']>[1][number];
