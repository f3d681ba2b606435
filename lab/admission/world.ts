import type { Random } from '@springtide/core/base';
import type { AdmissionCommand, AdmissionEvent } from '@springtide/core/admission';
import type { JobRecord, Machine, PodSetAssignment, QueuedJob } from '@springtide/core/model';
import { Agenda } from './agenda.ts';

/** What may go wrong, in chances of a thousand. */
export interface AdmissionFaults {
  /** An order comes to nothing, and this is told. */
  readonly orderFailed: number;
  /** An order comes to nothing, and nobody tells. */
  readonly stopLost: number;
  /** Pods of a start never get ready. */
  readonly neverReady: number;
  /** No checkpoint is made in the grace period. */
  readonly checkpointFailed: number;
  /** An event is told twice. */
  readonly repeated: number;
  /** An event comes a minute late. */
  readonly late: number;
}

export const NO_FAULTS: AdmissionFaults = {
  orderFailed: 0,
  stopLost: 0,
  neverReady: 0,
  checkpointFailed: 0,
  repeated: 0,
  late: 0,
};

/** Pods of one start of a job. */
export interface Run {
  readonly incarnation: number;
  readonly podSets: readonly PodSetAssignment[];
  /** When its pods got ready; null: they are not. */
  readyAtMs: number | null;
  /** Told to make a checkpoint and stop. */
  isAsked: boolean;
}

/** A job as it really is. */
export interface TrueJob {
  readonly job: QueuedJob;
  readonly workMs: number;
  /** What is kept with it; null: nothing yet. */
  record: JobRecord | null;
  /** Work up to the last checkpoint. */
  savedMs: number;
  run: Run | null;
  /** How it ended; null: it has not. */
  outcome: 'done' | 'cancelled' | 'refused' | null;
  /** Orders are carried out one after the other. */
  ordersUntilMs: number;
  /** What is done to its object is told in order, as a watch does. */
  toldUntilMs: number;
}

const ORDER_MS = 3000;
const READY_MS = 10_000;
const CHECKPOINT_MS = 8000;
const LATE_MS = 60_000;

/**
 * Machines, jobs and whoever carries orders out, in virtual time, from a seed: orders take a while and come to nothing
 * now and then, and what happens is told late, twice or out of order.
 */
export class AdmissionWorld {
  readonly agenda = new Agenda();
  readonly jobs = new Map<string, TrueJob>();
  readonly machines = new Map<string, Machine>();
  faults: AdmissionFaults = NO_FAULTS;
  /** What admission has not been told yet. */
  inbox: AdmissionEvent[] = [];
  /** Called before a start: what holds true of the world is checked there. */
  onStart: (job: TrueJob, run: Run) => void = () => {};
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  get nowMs(): number {
    return this.agenda.nowMs;
  }

  submit(job: QueuedJob, workMs: number): void {
    const { id } = job.workload;
    const known = { job, workMs, record: null, savedMs: 0, run: null, outcome: null, ordersUntilMs: 0, toldUntilMs: 0 };
    const there = this.jobs.get(id) ?? known;
    this.jobs.set(id, there);
    if (there.outcome === 'refused' || there.outcome === 'cancelled') return;
    this.#tellInOrder(there, { kind: 'job', job, record: null });
  }

  /** Its owner deletes it, with its pods. */
  cancel(id: string): void {
    const job = this.jobs.get(id);
    if (job === undefined || job.outcome !== null) return;
    job.outcome = 'cancelled';
    job.run = null;
    this.#tellInOrder(job, { kind: 'job-cancelled', job: id });
  }

  addMachine(machine: Machine): void {
    this.machines.set(machine.id, machine);
    this.inbox.push({ kind: 'machine', machine });
  }

  /** With all pods on it. */
  loseMachine(id: string): void {
    if (!this.machines.delete(id)) return;
    this.inbox.push({ kind: 'machine-gone', id });
  }

  /** What a host finds that starts anew: machines, jobs with what is kept of them, and how they are. */
  found(): AdmissionEvent[] {
    const machines = Array.from(this.machines.values(), (machine) => ({ kind: 'machine' as const, machine }));
    return [...machines, ...[...this.jobs.values()].flatMap(foundOf)];
  }

  /** Keeps the records, and carries the orders out after a while. */
  act(commands: readonly AdmissionCommand[]): void {
    for (const command of commands) {
      if (!('record' in command)) continue;
      const job = this.jobs.get(command.job);
      if (job === undefined) continue;
      // A twin that is refused shares nothing with the job that it repeats.
      job.record = command.record;
      if (command.kind === 'refuse') job.outcome = 'refused';
      if (isOrder(command)) this.#order(job, command);
    }
  }

  #order(job: TrueJob, command: Order): void {
    job.ordersUntilMs = Math.max(job.ordersUntilMs, this.nowMs + this.#random.below(ORDER_MS));
    this.agenda.at(job.ordersUntilMs, () => this.#carryOut(job, command));
  }

  #carryOut(job: TrueJob, command: Order): void {
    if (job.outcome !== null) return;
    const { incarnation } = command.record;
    switch (command.kind) {
      case 'admit':
        if (this.#happens('orderFailed')) return this.#fail(command, 'admit');
        return this.#start(job, command);
      case 'suspend':
        if (job.run?.incarnation === incarnation) this.#ask(job, job.run);
        return;
      case 'resume':
        return this.#resume(job, incarnation);
      case 'evict':
        if (this.#happens('stopLost')) return;
        if (this.#happens('orderFailed')) return this.#fail(command, 'stop');
        return this.#stop(job, incarnation);
    }
  }

  #fail({ job, record: { incarnation } }: Order, order: 'admit' | 'stop'): void {
    this.tell({ kind: 'order-failed', job, incarnation, order });
  }

  #start(job: TrueJob, { podSets, record }: Extract<Order, { kind: 'admit' }>): void {
    const run: Run = { incarnation: record.incarnation, podSets, readyAtMs: null, isAsked: false };
    this.onStart(job, run);
    job.run = run;
    if (this.#happens('neverReady')) return;
    this.agenda.at(this.nowMs + 1 + this.#random.below(READY_MS), () => {
      if (job.run !== run) return;
      run.readyAtMs = this.nowMs;
      this.tell({ kind: 'job-ready', job: job.job.workload.id, incarnation: run.incarnation });
      this.agenda.at(this.nowMs + job.workMs - job.savedMs, () => this.#end(job, run));
    });
  }

  #end(job: TrueJob, run: Run): void {
    if (job.run !== run) return;
    job.run = null;
    job.outcome = 'done';
    this.tell({ kind: 'job-ended', job: job.job.workload.id, incarnation: run.incarnation, isFailed: false });
  }

  #ask(job: TrueJob, run: Run): void {
    run.isAsked = true;
    if (this.#happens('checkpointFailed')) return;
    this.agenda.at(this.nowMs + this.#random.below(CHECKPOINT_MS), () => {
      if (job.run !== run || !run.isAsked) return;
      if (run.readyAtMs !== null) job.savedMs += Math.min(job.workMs - job.savedMs - 1, this.nowMs - run.readyAtMs);
      const { incarnation } = run;
      const checkpoint = { uri: `s3://ckpt/${job.savedMs}`, step: job.savedMs, atMs: this.nowMs };
      this.tell({ kind: 'job-checkpointed', job: job.job.workload.id, incarnation, checkpoint });
      this.#stop(job, incarnation);
    });
  }

  #resume(job: TrueJob, incarnation: number): void {
    const { run } = job;
    if (run?.incarnation !== incarnation) return;
    run.isAsked = false;
    if (run.readyAtMs !== null) this.tell({ kind: 'job-ready', job: job.job.workload.id, incarnation });
  }

  /** What is asked to stop and does not run any more is told to have stopped. */
  #stop(job: TrueJob, incarnation: number): void {
    if (job.run !== null && job.run.incarnation !== incarnation) return;
    job.run = null;
    this.tell({ kind: 'job-stopped', job: job.job.workload.id, incarnation });
  }

  /** Told after a while; maybe late, and maybe twice. */
  tell(event: AdmissionEvent): void {
    const delayMs = (): number => this.#random.below(2000) + (this.#happens('late') ? LATE_MS : 0);
    const times = this.#happens('repeated') ? 2 : 1;
    for (let i = 0; i < times; i += 1) this.agenda.at(this.nowMs + delayMs(), () => this.inbox.push(event));
  }

  #tellInOrder(job: TrueJob, event: AdmissionEvent): void {
    job.toldUntilMs = Math.max(job.toldUntilMs, this.nowMs + this.#random.below(2000));
    this.agenda.at(job.toldUntilMs, () => this.inbox.push(event));
  }

  #happens(fault: keyof AdmissionFaults): boolean {
    return this.#random.below(1000) < this.faults[fault];
  }
}

type Order = Extract<AdmissionCommand, { readonly kind: 'admit' | 'suspend' | 'resume' | 'evict' }>;

function isOrder(command: AdmissionCommand): command is Order {
  return ['admit', 'suspend', 'resume', 'evict'].includes(command.kind);
}

function foundOf({ job, record, run, outcome }: TrueJob): AdmissionEvent[] {
  if (outcome === 'cancelled') return [];
  const { id } = job.workload;
  const events: AdmissionEvent[] = [{ kind: 'job', job, record }];
  const incarnation = record?.incarnation ?? 0;
  if (outcome === 'done') events.push({ kind: 'job-ended', job: id, incarnation, isFailed: false });
  if (run !== null && run.readyAtMs !== null) events.push({ kind: 'job-ready', job: id, incarnation: run.incarnation });
  return events;
}
