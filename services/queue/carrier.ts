import { isAlike } from '@springtide/core/base';
import type { AdmissionEvent } from '@springtide/core/admission';
import type { Clock } from '@springtide/ports/clock';
import type { PodSetPlacement, QueueingAnswer, QueueingOrders } from '@springtide/ports/queueing';
import { type Desk, isOver, isSaving, type Order, runs } from './desk.ts';
import type { Queues } from './queues.ts';

export interface CarrierTools {
  readonly clock: Clock;
  readonly queues: Queues;
  /** How long a job that leaves for others may take for its last checkpoint. */
  readonly graceMs: number;
  /** Called when something is to be looked at again. */
  readonly onAnswer: (desk: Desk) => void;
  /** Hears of an order that was carried out. */
  readonly onDone: (order: Order) => void;
}

/** How long the cluster may take to show what was done, and what was not done may rest. */
const SHOWN_MS = 5000;
const AGAIN_MS = 1000;

/** Which start of a job a pod belongs to (I6), and from where it goes on. */
const INCARNATION = 'springtide.io/incarnation';
const CHECKPOINT = 'springtide.io/checkpoint';

/**
 * Brings the cluster to what was decided, job by job: it compares, and gives the orders that are missing. A decision is
 * kept before what it allows is begun, so that whoever leads next finds it.
 */
export class Carrier {
  /** Null while this replica does not lead. */
  orders: QueueingOrders | null = null;
  readonly #tools: CarrierTools;
  readonly #answers: AdmissionEvent[] = [];

  constructor(tools: CarrierTools) {
    this.#tools = tools;
  }

  /** What became of orders, as admission hears it, since this was last asked. */
  takeAnswers(): AdmissionEvent[] {
    return this.#answers.splice(0);
  }

  /** Gives the orders that a job lacks. */
  tend(desk: Desk): void {
    const { orders } = this;
    if (orders === null) return;
    const { seen, workload, queue, record } = desk;
    if (seen !== null && queue !== null && this.#lacksWorkload(desk)) {
      this.#give(desk, 'create', () => orders.create(seen, queue));
    }
    if (workload === null) return this.#hold(desk, orders);
    // A group of pods is nobody's dependent.
    if (workload.hasSource && workload.sourceUid === '' && seen === null) {
      return this.#give(desk, 'remove', () => orders.remove(workload));
    }
    if (record !== null && this.#lacksRecord(desk)) {
      this.#give(
        desk,
        'keep',
        () => orders.keep(workload, record, desk.note),
        () => (desk.kept = record),
      );
    }
    this.#hold(desk, orders);
  }

  /** Starts it where that is kept, and stops what may not run. */
  #hold(desk: Desk, orders: QueueingOrders): void {
    const { id, seen, record, kept, queue } = desk;
    if (seen === null || queue === null || seen.ended !== 'no' || seen.isDeleting) return;
    if (record !== null && runs(desk)) {
      if (!seen.isSuspended || !isAlike(kept, record)) return;
      return this.#give(desk, 'start', () => orders.start(id, this.#placements(desk)));
    }
    if (seen.isSuspended && seen.isRestored) return;
    const { clock, graceMs } = this.#tools;
    if (!seen.isSuspended && isSaving(desk, clock.wallMs(), graceMs)) return;
    this.#give(desk, 'stop', () => orders.stop(id));
  }

  #lacksWorkload({ seen, workload }: Desk): boolean {
    return workload === null && seen !== null && seen.ended === 'no' && !seen.isDeleting && seen.podsMissing === 0;
  }

  #lacksRecord({ record, kept, workload }: Desk): boolean {
    if (record === null || isAlike(record, kept)) return false;
    // Its maker has said so himself.
    const isSaid = workload?.hasSource === false && isOver(record) && workload.record?.state === record.state;
    return !isSaid;
  }

  #placements({ record }: Desk): PodSetPlacement[] {
    const { podSets = [], incarnation = 0, checkpoint = null, avoids = [] } = record ?? {};
    const words: [string, string][] = [[INCARNATION, String(incarnation)]];
    if (checkpoint !== null) words.push([CHECKPOINT, checkpoint.uri]);
    return podSets.map(({ podSet, count, flavor }) => {
      const { nodeSelector, tolerations } = this.#tools.queues.flavor(flavor) ?? NO_FLAVOR;
      return { podSet, count, nodeSelector, tolerations, annotations: new Map(words), avoids };
    });
  }

  #give(desk: Desk, order: Order, send: () => Promise<QueueingAnswer>, onDone: () => void = () => {}): void {
    if (desk.busy.has(order) || desk.resting.has(order)) return;
    desk.busy.add(order);
    void send().then((answer) => {
      desk.busy.delete(order);
      if (answer.answer === 'done') {
        this.#tools.onDone(order);
        onDone();
      }
      this.#rest(desk, order, answer);
      this.#tools.onAnswer(desk);
    });
  }

  /** What is done shows; what could not be done is tried again after a while, or when the cluster shows something new. */
  #rest(desk: Desk, order: Order, answer: QueueingAnswer): void {
    if (order === 'keep' && answer.answer === 'done') return;
    if (answer.answer === 'refused' && order === 'start') {
      const { incarnation = 0 } = desk.record ?? {};
      this.#answers.push({ kind: 'order-failed', job: desk.id, incarnation, order: 'admit' });
    }
    desk.resting.add(order);
    this.#tools.clock.after(answer.answer === 'done' ? SHOWN_MS : AGAIN_MS, () => {
      desk.resting.delete(order);
      this.#tools.onAnswer(desk);
    });
  }
}

const NO_FLAVOR = { nodeSelector: new Map<string, string>(), tolerations: [] } as const;
