import { isAlike } from '../base/index.ts';
import { type JobRecord, type JobRefusal, newRecord, type QueuedJob } from '../model/index.ts';
import { faultIn } from './check-job.ts';
import { type Entry, isHolding } from './entry.ts';
import type { AdmissionEvent } from './events.ts';
import { type Jobs, placesOf } from './jobs.ts';
import type { Promises } from './promises.ts';
import { recordedOption, type StartOption } from './start-options.ts';
import type { Starting } from './starting.ts';

type OfRun = Extract<AdmissionEvent, { readonly incarnation: number }>;
type Of<K extends AdmissionEvent['kind']> = Extract<AdmissionEvent, { readonly kind: K }>;

/** Takes in what happened. What repeats changes nothing, and what tells of an older start is not heard (I6). */
export class Hearing {
  readonly #jobs: Jobs;
  readonly #promises: Promises;
  readonly #starting: Starting;

  constructor(jobs: Jobs, promises: Promises, starting: Starting) {
    this.#jobs = jobs;
    this.#promises = promises;
    this.#starting = starting;
  }

  hear(event: AdmissionEvent): void {
    const { fleet } = this.#jobs;
    switch (event.kind) {
      case 'quota':
        return this.#edit(event);
      case 'machine':
        return fleet.setMachine(event.machine);
      case 'machine-gone':
        return this.#loseMachine(event.id);
      case 'pod':
        return fleet.see(event.seen);
      case 'pod-gone':
        return fleet.lose(event.uid);
      case 'job':
        return this.#take(event);
      case 'job-cancelled':
        return this.#cancel(event.job);
      default:
        return this.#ofRun(event);
    }
  }

  #ofRun(event: OfRun): void {
    const entry = this.#jobs.all.get(event.job);
    if (entry === undefined || entry.record.incarnation !== event.incarnation) return;
    // Also when it was told to leave: what has done its work before it was stopped does not run again.
    if (event.kind === 'job-ended') return this.#end(entry, event.isFailed ? 'failed' : 'done');
    if (!isHolding(entry)) return;
    const { state } = entry.record;
    // It holds a place for its next start: what is told is of the one before.
    if (state === 'reserved') return;
    switch (event.kind) {
      case 'job-ready':
        return state === 'admitted' ? this.#jobs.run(entry) : undefined;
      case 'job-failed':
        return this.#fail(entry, event);
      case 'job-stopped':
        return this.#jobs.requeue(entry, entry.leaving?.reason ?? 'failed');
      case 'order-failed':
        // An order to stop is given again when its time is over.
        return event.order === 'admit' && state === 'admitted' ? this.#jobs.requeue(entry, 'not-ordered') : undefined;
      case 'job-checkpointed':
        return this.#jobs.note(entry, { checkpoint: event.checkpoint });
    }
  }

  #fail(entry: Entry, { avoids, retryAtMs }: Of<'job-failed'>): void {
    if (entry.record.state === 'suspending') return;
    this.#jobs.leave(entry, 'failed', { avoids, retryAtMs });
  }

  #take({ job, record }: Of<'job'>): void {
    const { all, byKey, ended } = this.#jobs;
    const { id } = job.workload;
    const known = all.get(id);
    if (known !== undefined) return this.#renew(known, job);
    const { idempotencyKey: key } = job;
    if (ended.get(key) === id) return;
    if (record !== null && isOver(record)) return record.state === 'done' ? void ended.set(key, id) : undefined;
    const former = ended.get(key) ?? byKey.get(key);
    if (former !== undefined) return this.#refuseTwin(id, former);
    byKey.set(key, id);
    const entry = this.#entryOf(job, record ?? newRecord(this.#jobs.nowMs));
    all.set(id, entry);
    if (isHolding(entry) && record?.state !== 'reserved') return this.#restore(entry);
    const refusal = record === null ? (faultIn(job, this.#jobs.nowMs) ?? this.#neverFits(entry)) : null;
    if (refusal !== null) return this.#refuse(entry, refusal);
    this.#jobs.wait(entry);
  }

  #entryOf(job: QueuedJob, record: JobRecord): Entry {
    const { id, queue, priority } = job.workload;
    return {
      id,
      job,
      newer: null,
      record,
      shape: this.#jobs.shapes.take(job),
      line: this.#jobs.lines.get(queue),
      lane: null,
      option: null,
      isResumed: false,
      isObserved: false,
      rank: priority,
      victims: [],
      leaving: null,
      lastBy: null,
      dueMs: Infinity,
      refused: null,
      told: '',
    };
  }

  /** A newer form of a job that is known: what holds something goes on as it is, but for its priority and its like. */
  #renew(entry: Entry, job: QueuedJob): void {
    if (isAlike(entry.newer ?? entry.job, job)) return;
    const { workload } = entry.job;
    const { priorityClass, isPreemptible, deadlineMs, expectedRunMs } = job;
    const priority = job.workload.priority;
    if (isHolding(entry)) {
      entry.newer = job;
      const changed = { priorityClass, isPreemptible, deadlineMs, expectedRunMs };
      entry.job = { ...entry.job, ...changed, workload: { ...workload, priority } };
      return;
    }
    const fault = faultIn(job, this.#jobs.nowMs);
    if (fault !== null) return this.#refuse(entry, fault);
    this.#promises.forget(entry);
    this.#jobs.lines.take(entry);
    entry.newer = job;
    entry.refused = null;
    this.#jobs.wait(entry);
    const refusal = this.#neverFits(entry);
    if (refusal !== null) this.#refuse(entry, refusal);
  }

  #refuse(entry: Entry, refusal: JobRefusal): void {
    const { commands } = this.#jobs;
    this.#promises.forget(entry);
    this.#jobs.end(entry, 'failed');
    // The command carries the record; it need not be told twice.
    commands.pop();
    commands.push({ kind: 'refuse', job: entry.id, refusal, record: entry.record });
  }

  /** The same submission is known as another job (I2: it runs once). */
  #refuseTwin(id: string, job: string): void {
    const record: JobRecord = { ...newRecord(this.#jobs.nowMs), state: 'failed' };
    this.#jobs.commands.push({ kind: 'refuse', job: id, refusal: { kind: 'duplicate', job }, record });
  }

  /** What can never start as it is and as its queue is, with what could; null: it may. */
  #neverFits(entry: Entry): JobRefusal | null {
    const { quota } = this.#jobs.fleet;
    const { line, shape } = entry;
    if (line === null) return null;
    const options = this.#starting.leastOptionsOf(entry);
    const [first] = options;
    if (first === undefined) return { kind: 'no-flavor', asked: shape.flavors, there: line.spec.flavors };
    if (shape.cards > 0 && !options.some(limitsCards)) return { kind: 'no-quota', resource: 'cards' };
    const mostOf = (slot: number): number => {
      const most = this.#jobs.mayBorrow(entry) ? quota.tree.potential : quota.tree.owned;
      return most[slot] as number;
    };
    const shortOf = ({ demand }: StartOption): number =>
      demand.slots.findIndex((slot, i) => mostOf(slot) < (demand.amounts[i] as number));
    if (options.some((option) => shortOf(option) === -1)) return null;
    const at = shortOf(first);
    const slot = first.demand.slots[at] as number;
    const { flavor = '', resource = '' } = quota.tree.cells[quota.tree.cellOf[slot] as number] ?? {};
    return {
      kind: 'larger-than-cohort',
      flavor,
      resource,
      asked: first.demand.amounts[at] as number,
      most: mostOf(slot),
    };
  }

  /** What ran before a restart keeps what it has, whether or not it would be given it now. */
  #restore(entry: Entry): void {
    const jobs = this.#jobs;
    const { record } = entry;
    this.#charge(entry);
    if (entry.option !== null && jobs.options.placesPods) {
      const candidate = jobs.candidate(entry);
      jobs.fleet.assume(entry.id, placesOf(candidate, entry.option, record.podSets));
    }
    if (record.state === 'suspending') {
      const reason = record.leaves ?? 'failed';
      entry.leaving = { reason, by: null, isAsked: true, stops: 0, avoids: [], retryAtMs: 0 };
      jobs.due(entry, Math.max(jobs.nowMs, record.sinceMs + jobs.options.graceMs));
    }
    if (record.state === 'admitted') jobs.due(entry, (record.startedAtMs ?? jobs.nowMs) + jobs.options.readyMs);
  }

  /** Books the quota of what runs, in the tree as it is; where there is none for it any more, none is booked. */
  #charge(entry: Entry): void {
    const jobs = this.#jobs;
    const { quota } = jobs.fleet;
    const { id, line, shape, record } = entry;
    const offer = line === null ? null : { queue: line.spec, flavors: jobs.flavors, quota };
    entry.option = offer === null ? entry.option : recordedOption(shape, record.podSets, offer);
    const isCharged = quota.ledger.charges.has(id);
    if (entry.option !== null && !isCharged) quota.charge(id, entry.option.demand);
    jobs.hold(entry);
  }

  #cancel(id: string): void {
    const entry = this.#jobs.all.get(id);
    if (entry !== undefined) this.#end(entry, 'cancelled');
  }

  #end(entry: Entry, state: 'done' | 'failed' | 'cancelled'): void {
    this.#promises.forget(entry);
    this.#jobs.drop(entry);
    this.#jobs.end(entry, state);
  }

  /** Half a gang does not run: the rest of it leaves, and places kept there are looked for anew. */
  #loseMachine(id: string): void {
    for (const name of this.#jobs.fleet.removeMachine(id)) {
      const entry = this.#jobs.all.get(name);
      if (entry === undefined) continue;
      const { state } = entry.record;
      if (state === 'reserved') this.#jobs.dropAndWait(entry);
      else if (state === 'admitted' || state === 'running') this.#jobs.leave(entry, 'machine-lost');
    }
  }

  /** Takes another quota tree, with all jobs in their queues as they are in it, or none of it. O(jobs). */
  #edit({ specs }: Of<'quota'>): void {
    const jobs = this.#jobs;
    const { quota } = jobs.fleet;
    const edited = quota.edit(specs);
    if (!edited.ok) return void jobs.commands.push({ kind: 'refuse-quota', faults: edited.error });
    const tree = edited.value;
    jobs.flavors = new Map(specs.flavors.map((flavor) => [flavor.id, flavor]));
    jobs.lines.clear();
    for (const spec of specs.queues) jobs.lines.set(spec, tree.rootOf(tree.queueNumber(spec.id)));
    for (const entry of jobs.all.values()) {
      entry.line = jobs.lines.get(entry.job.workload.queue);
      entry.lane = null;
      entry.refused = null;
    }
    this.#promises.clear();
    for (const entry of jobs.all.values()) {
      if (isHolding(entry)) this.#charge(entry);
      else jobs.line(entry);
    }
    jobs.isLowered = true;
  }
}

function isOver({ state }: JobRecord): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}

function limitsCards({ sets }: StartOption): boolean {
  return sets.some(({ charged }) =>
    ['cards', 'cardMemoryMiB', 'computeMilli'].some((resource) => charged.has(resource)),
  );
}
