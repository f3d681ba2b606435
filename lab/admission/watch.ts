import type { AdmissionCommand, AdmissionOptions } from '@springtide/core/admission';
import { excessesOf, Quota } from '@springtide/core/quota';
import type { JobRecord, PodSetAssignment, QuotaAmount, QuotaSpecs } from '@springtide/core/model';
import { Book } from '@springtide/core/state';
import type { AdmissionWorld, Run, TrueJob } from './world.ts';

/** States in which the pods of a job hold what it was given. */
const HOLDING: ReadonlySet<string> = new Set(['admitted', 'running', 'suspending']);

/** Holds the invariants of queues and quota (I2, I3, I4, I6, I10, I11) against what is ordered and what is true. */
export class Watch {
  readonly broken: string[] = [];
  /** Evictions for others, and starts, that were ordered. */
  evictions = 0;
  starts = 0;
  readonly #world: AdmissionWorld;
  readonly #options: AdmissionOptions;
  #excess: ReadonlyMap<string, number> | null = null;
  /** Jobs that are asked to leave, and for whom. */
  readonly #leaving = new Map<string, string>();

  constructor(world: AdmissionWorld, options: AdmissionOptions) {
    this.#world = world;
    this.#options = options;
    world.onStart = (job, run) => this.#start(job, run);
  }

  fail(what: string): void {
    if (this.broken.length < 10) this.broken.push(`${this.#world.nowMs} ms: ${what}`);
  }

  /** What was too much before is compared no more. */
  edited(): void {
    this.#excess = null;
  }

  restarted(): void {
    this.#leaving.clear();
    this.edited();
  }

  see(commands: readonly AdmissionCommand[], specs: QuotaSpecs): void {
    if (commands.length === 0) return;
    const states = new Map<string, JobRecord>();
    for (const [id, { record }] of this.#world.jobs) if (record !== null) states.set(id, record);
    for (const command of commands) if ('record' in command) states.set(command.job, command.record);
    for (const command of commands) this.#command(command, states);
    this.#checkPlans(commands, states);
    this.#checkQuota(states, specs);
  }

  #command(command: AdmissionCommand, states: ReadonlyMap<string, JobRecord>): void {
    if (!('record' in command)) return;
    const { job: id, record } = command;
    if (record.evictions > this.#options.evictionsMax) this.fail(`I11: ${id} was evicted ${record.evictions} times`);
    if (command.kind === 'admit') this.#admit(id, command.podSets);
    if (command.kind === 'suspend') {
      this.evictions += 1;
      this.#leaving.set(id, command.by);
      if (command.by !== '' && states.get(command.by)?.state !== 'reserved')
        this.fail(`I10: ${id} leaves for ${command.by}, for which no place is kept`);
    }
    if (command.kind === 'resume' || command.kind === 'requeue') this.#leaving.delete(id);
  }

  #admit(id: string, podSets: readonly PodSetAssignment[]): void {
    this.starts += 1;
    const job = this.#world.jobs.get(id)?.job;
    for (const { name, count } of job?.workload.podSets ?? []) {
      const given = podSets.find(({ podSet }) => podSet === name)?.count ?? 0;
      const least = job?.minCounts.get(name) ?? count;
      if (given < least || given > count) this.fail(`I3: ${id} starts with ${given} of ${count} pods`);
    }
  }

  /** Those asked to leave for a job that does not come are told to go on, in the same step. */
  #checkPlans(commands: readonly AdmissionCommand[], states: ReadonlyMap<string, JobRecord>): void {
    const stopped = new Set(commands.flatMap((command) => (command.kind === 'evict' ? [command.job] : [])));
    for (const [victim, by] of this.#leaving) {
      const record = states.get(victim);
      if (record?.state !== 'suspending') {
        this.#leaving.delete(victim);
        continue;
      }
      if (stopped.has(victim)) this.#leaving.delete(victim);
      else if (by !== '' && this.#isGone(by, states)) this.fail(`I10: ${victim} is still to leave for ${by}`);
    }
  }

  #isGone(by: string, states: ReadonlyMap<string, JobRecord>): boolean {
    const state = states.get(by)?.state;
    return state === undefined || state === 'queued' || state === 'cancelled' || state === 'failed';
  }

  /** I4: what is used beyond what may be never grows but by an edit, counted anew from what is kept with the jobs. */
  #checkQuota(states: ReadonlyMap<string, JobRecord>, specs: QuotaSpecs): void {
    const quota = new Quota(new Book([]).quota);
    quota.edit(specs);
    for (const [id, record] of states) {
      if (!HOLDING.has(record.state)) continue;
      const job = this.#world.jobs.get(id) as TrueJob;
      // What was deleted holds nothing, whether or not that was heard.
      if (job.outcome === 'cancelled') continue;
      const demand = quota.demand(job.job.workload.queue, amountsOf(job, record.podSets));
      if (demand.ok) quota.charge(id, demand.value);
    }
    const excess = new Map(
      excessesOf(quota).map(({ node, flavor, resource, amount }) => [`${node} ${flavor} ${resource}`, amount]),
    );
    if (this.#excess !== null) {
      for (const [key, amount] of excess) {
        const before = this.#excess.get(key) ?? 0;
        if (amount > before) this.fail(`I4: ${key} is used ${amount} too much, before ${before}`);
      }
    }
    this.#excess = excess;
  }

  /** True of the world when pods start: one start of a job at a time, and no card twice. */
  #start(job: TrueJob, run: Run): void {
    const { id } = job.job.workload;
    if (job.run !== null) this.fail(`I6: ${id} starts as ${run.incarnation} and runs as ${job.run.incarnation}`);
    const used = new Map<string, number>();
    const runs = [...this.#world.jobs.values()].flatMap((each) => (each.run === null ? [] : [{ each, run: each.run }]));
    for (const { each, run: other } of [...runs, { each: job, run }]) {
      for (const { podSet, machines } of other.podSets) {
        const cards = cardsOf(each, podSet);
        for (const machine of machines) used.set(machine, (used.get(machine) ?? 0) + cards);
      }
    }
    for (const [machine, cards] of used) {
      const there = this.#world.machines.get(machine)?.cards.length;
      if (there !== undefined && cards > there)
        this.fail(`I1: ${cards} cards of ${machine} are used by ${id} and others`);
    }
  }
}

function cardsOf({ job }: TrueJob, podSet: string): number {
  const cards = job.workload.podSets.find(({ name }) => name === podSet)?.request.cards;
  return cards === undefined || cards.kind === 'none' ? 0 : cards.count;
}

function amountsOf(job: TrueJob, podSets: readonly PodSetAssignment[]): QuotaAmount[] {
  return podSets.flatMap(({ podSet, count, charged }) => {
    const flavor = charged.get('cards');
    return flavor === undefined ? [] : [{ flavor, resource: 'cards', amount: count * cardsOf(job, podSet) }];
  });
}
