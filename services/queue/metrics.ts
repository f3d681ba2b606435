import type { Admission, AdmissionCommand } from '@springtide/core/admission';
import type { JobRecord, JobState } from '@springtide/core/model';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Order } from './desk.ts';

/** Queues told apart, the first that are heard of; the rest are counted together, so that labels stay few. */
const QUEUES_MAX = 500;
const OTHERS = '_others';

const WAIT_BUCKETS_S = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 14_400, 86_400, 604_800];

const CELL = ['queue', 'flavor', 'resource'] as const;

/**
 * The queue controller's metrics, all of them. Names that somebody chose are those of queues, which are bounded, and of
 * their flavors and resources.
 */
export class QueueMetrics {
  readonly registry = new Registry();
  readonly #known = new Set<string>();
  readonly #pending = this.#gauge('pending_workloads', 'Jobs that wait, and those whose place is being made free', [
    'queue',
  ]);
  readonly #admitted = this.#gauge('admitted_workloads', 'Jobs that hold what they asked for', ['queue']);
  readonly #nominal = this.#gauge('quota_nominal', 'What a queue owns, in the unit of the resource', CELL);
  readonly #used = this.#gauge('quota_used', 'What jobs of a queue hold, borrowed or not', CELL);
  readonly #borrowed = this.#gauge('quota_borrowed', 'What a queue uses beyond what it owns', CELL);
  readonly #leading = this.#gauge('leading', '1 while this replica decides', []);
  readonly #evictions = this.#counter('evictions_total', 'Jobs told to leave, by why', ['queue', 'reason']);
  readonly #unready = this.#counter(
    'unready_card_seconds_total',
    'Card-seconds held by jobs whose pods were not all ready yet',
    ['queue'],
  );
  readonly #orders = this.#counter('orders_total', 'Orders that were carried out', ['order']);
  readonly #wait = new Histogram({
    name: 'springtide_queue_admission_wait_seconds',
    help: 'From the submission of a job to its first admission',
    labelNames: ['queue'],
    buckets: WAIT_BUCKETS_S,
    registers: [this.registry],
  });

  /** A decision, and the record before it; `submittedAtMs` by the same clock as `nowMs`. */
  decided(
    { kind, record }: Extract<AdmissionCommand, { readonly record: JobRecord }>,
    before: JobState | null,
    job: { readonly queue: string; readonly submittedAtMs: number },
    nowMs: number,
  ): void {
    const queue = this.#nameOf(job.queue);
    if (kind === 'admit' && record.incarnation === 1)
      this.#wait.observe({ queue }, Math.max(0, nowMs - job.submittedAtMs) / 1000);
    if (record.state === 'suspending' && before !== 'suspending')
      this.#evictions.inc({ queue, reason: record.leaves ?? 'failed' });
  }

  /** Card-milliseconds that a queue held in vain since this was told last. */
  heldUnready(queue: string, moreMs: number): void {
    if (moreMs > 0) this.#unready.inc({ queue: this.#nameOf(queue) }, moreMs / 1000);
  }

  ordered(order: Order): void {
    this.#orders.inc({ order });
  }

  /** As text for Prometheus. O(jobs log jobs). */
  text(admission: Admission | null): Promise<string> {
    for (const gauge of [this.#pending, this.#admitted, this.#nominal, this.#used, this.#borrowed]) gauge.reset();
    this.#leading.set(admission === null ? 0 : 1);
    for (const { queue: id, uses, jobs } of admission?.overview(0) ?? []) {
      const queue = this.#nameOf(id);
      const count = (...states: readonly JobState[]): number =>
        states.reduce((sum, state) => sum + (jobs.get(state) ?? 0), 0);
      this.#pending.inc({ queue }, count('queued', 'reserved'));
      this.#admitted.inc({ queue }, count('admitted', 'running', 'suspending'));
      for (const { flavor, resource, nominal, used, borrowed } of uses) {
        const cell = { queue, flavor, resource };
        this.#nominal.inc(cell, nominal);
        this.#used.inc(cell, used);
        this.#borrowed.inc(cell, borrowed);
      }
    }
    return this.registry.metrics();
  }

  #nameOf(queue: string): string {
    if (this.#known.has(queue)) return queue;
    if (this.#known.size >= QUEUES_MAX) return OTHERS;
    this.#known.add(queue);
    return queue;
  }

  #gauge<L extends string>(name: string, help: string, labelNames: readonly L[]): Gauge<L> {
    return new Gauge({
      name: `springtide_queue_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
    });
  }

  #counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
    return new Counter({
      name: `springtide_queue_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
    });
  }
}
