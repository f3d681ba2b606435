import { isAlike } from '@springtide/core/base';
import type { AdmissionEvent } from '@springtide/core/admission';
import type { QueueingEvent, SeenJob } from '@springtide/ports/queueing';
import { type Desk, isQueueable, newDesk, newsOf } from './desk.ts';
import { queuedJobOf } from './queued-job.ts';
import type { Queues } from './queues.ts';
import type { World } from './world.ts';

/** All jobs as they were last seen, and what admission has to hear of them. */
export class Desks {
  readonly #desks = new Map<string, Desk>();
  readonly #world: World;
  readonly #queues: Queues;
  /** Those to be looked at. */
  readonly #changed = new Set<Desk>();

  constructor(world: World, queues: Queues) {
    this.#world = world;
    this.#queues = queues;
  }

  get(id: string): Desk | undefined {
    return this.#desks.get(id);
  }

  all(): Iterable<Desk> {
    return this.#desks.values();
  }

  get size(): number {
    return this.#desks.size;
  }

  get hasChanged(): boolean {
    return this.#changed.size > 0;
  }

  /** It is to be looked at. */
  change(desk: Desk): void {
    this.#changed.add(desk);
  }

  changeAll(): void {
    for (const desk of this.#desks.values()) this.#changed.add(desk);
  }

  /** Nothing was told to admission, or decided, yet. */
  beginAnew(): void {
    for (const desk of this.#desks.values()) {
      desk.told = null;
      desk.record = null;
      desk.kept = desk.workload?.record ?? null;
      desk.note = null;
      desk.resting.clear();
      this.#changed.add(desk);
    }
  }

  /** What admission hears of it at once: pods that turn out to be of a group. */
  take(event: QueueingEvent): AdmissionEvent[] {
    switch (event.kind) {
      case 'job-seen': {
        const desk = this.#deskOf(event.job.id);
        this.#show(desk, event.job);
        return this.#world.group(event.job.id, event.job.pods);
      }
      case 'job-gone': {
        const desk = this.#desks.get(event.job);
        if (desk !== undefined) this.#show(desk, null);
        return [];
      }
      case 'workload-seen': {
        const desk = this.#deskOf(event.workload.id);
        desk.workload = event.workload;
        if (!desk.busy.has('keep')) desk.kept = event.workload.record;
        desk.resting.clear();
        this.#changed.add(desk);
        return [];
      }
      case 'workload-gone': {
        const desk = this.#desks.get(event.workload);
        if (desk === undefined) return [];
        desk.workload = null;
        desk.kept = null;
        desk.resting.clear();
        this.#changed.add(desk);
        return [];
      }
      default:
        return [];
    }
  }

  #deskOf(id: string): Desk {
    const known = this.#desks.get(id);
    if (known !== undefined) return known;
    const desk = newDesk(id);
    this.#desks.set(id, desk);
    return desk;
  }

  #show(desk: Desk, seen: SeenJob | null): void {
    if (seen === null && desk.seen !== null) this.#world.ungroup(desk.seen.pods);
    desk.seen = seen;
    desk.resting.clear();
    this.#changed.add(desk);
  }

  /** Those that have changed since this was last asked. */
  takeChanged(): Desk[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const desk of changed) this.#settle(desk);
    return changed.filter(({ id }) => this.#desks.has(id));
  }

  /** What admission has to hear of a job. */
  news(desk: Desk): AdmissionEvent[] {
    if (!isQueueable(desk)) return this.#withdrawn(desk);
    const job = queuedJobOf(desk, this.#world, this.#queues);
    const events: AdmissionEvent[] = [];
    if (!isAlike(desk.told, job)) {
      if (desk.told === null) desk.record = desk.workload?.record ?? null;
      events.push({ kind: 'job', job, record: desk.told === null ? desk.record : null });
      desk.told = job;
    }
    return [...events, ...newsOf(desk)];
  }

  #withdrawn(desk: Desk): AdmissionEvent[] {
    if (desk.told === null) return [];
    desk.told = null;
    return [{ kind: 'job-cancelled', job: desk.id }];
  }

  /** The queue that it belongs to. What holds cards stays with its queue until it has let go of them. */
  #settle(desk: Desk): void {
    const { seen, workload } = desk;
    if (seen === null && workload === null) {
      if (desk.told === null) this.#desks.delete(desk.id);
      return;
    }
    const found = this.#queueOf(desk);
    const state = (desk.record ?? workload?.record)?.state;
    const isHolding = state !== undefined && state !== 'queued';
    desk.queue = found ?? (isHolding ? (desk.queue ?? workload?.job.workload.queue ?? null) : null);
  }

  #queueOf({ seen, workload }: Desk): string | null {
    const namespace = seen?.source.namespace ?? workload?.job.workload.namespace ?? '';
    const labels = this.#world.labelsOf(namespace);
    if (seen !== null) return this.#queues.queueFor(seen.ask, namespace, labels);
    const queue = workload?.job.workload.queue ?? '';
    const named = this.#queues.queueFor({ queue, isByKueueLabel: false, priorityClass: '' }, namespace, labels);
    // Of a queue that is not there admission says so.
    return named ?? (this.#queues.has(queue) ? null : queue);
  }
}
