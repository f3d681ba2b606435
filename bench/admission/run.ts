import { Admission, ADMISSION_DEFAULTS, type AdmissionCommand, type AdmissionEvent } from '@springtide/core/admission';
import { mulberry32, type Random } from '@springtide/core/base';
import type { CohortSpec, QueuedJob, QueueSpec, QuotaSpecs } from '@springtide/core/model';
import {
  aCell,
  aCohort,
  aFlavor,
  aMachine,
  aQueue,
  aQueuedJob,
  aRequest,
  PRODUCTS,
} from '@springtide/testkit/builders';

const COHORTS = 50;
const QUEUES_OF_COHORT = 20;
const CARDS_OF_QUEUE = 8;
const CARDS_OF_MACHINE = 8;
const QUEUED = 50_000;
const SIZES = [1, 1, 1, 2, 2, 4, 8] as const;
/** Jobs that end in one step, and time between steps. */
const ENDS = 10;
const STEP_MS = 10;
/** Jobs that one step may try. */
const WORK = 1000;

export interface AdmissionSample {
  readonly queued: number;
  readonly queues: number;
  readonly running: number;
  readonly admissions: number;
  readonly tried: number;
  readonly cpuMs: number;
}

/** A thousand queues that lend to each other by twenties; every card is held, and whenever some jobs end others start. */
export function sample(placesPods: boolean, admissionsWanted: number): AdmissionSample {
  const bench = new Bench(placesPods);
  bench.fill();
  const before = process.cpuUsage();
  const { admissions, tried } = bench.churn(admissionsWanted);
  const { user, system } = process.cpuUsage(before);
  const { queued, running } = bench;
  return { queued, queues: COHORTS * QUEUES_OF_COHORT, running, admissions, tried, cpuMs: (user + system) / 1000 };
}

class Bench {
  readonly #admission: Admission;
  readonly #random: Random = mulberry32(1);
  readonly #running: string[] = [];
  readonly #queues: readonly string[];
  readonly #inbox: AdmissionEvent[] = [];
  #submitted = 0;
  #admitted = 0;
  #tried = 0;
  #nowMs = 0;

  constructor(placesPods: boolean) {
    this.#admission = new Admission({ ...ADMISSION_DEFAULTS, placesPods });
    const specs = specsOf();
    this.#queues = specs.queues.map(({ id }) => id);
    this.#inbox.push({ kind: 'quota', specs });
    const machines = placesPods ? (COHORTS * QUEUES_OF_COHORT * CARDS_OF_QUEUE) / CARDS_OF_MACHINE : 0;
    for (let n = 0; n < machines; n += 1) {
      this.#inbox.push({ kind: 'machine', machine: aMachine(`m${n}`).cards(PRODUCTS.a100, CARDS_OF_MACHINE).build() });
    }
  }

  get running(): number {
    return this.#running.length;
  }

  get queued(): number {
    return this.#submitted - this.#admitted;
  }

  /** As many wait as are wanted, beside all that found room. */
  fill(): void {
    while (this.queued < QUEUED) {
      for (let n = 0; n < 1000; n += 1) this.#submit();
      this.#step();
    }
  }

  /** Jobs end, and as many come as start, so that as many wait as before. */
  churn(admissionsWanted: number): { admissions: number; tried: number } {
    const [admitted, tried] = [this.#admitted, this.#tried];
    while (this.#admitted - admitted < admissionsWanted) {
      for (let n = 0; n < ENDS && this.#running.length > 0; n += 1) this.#endOne();
      const before = this.#admitted;
      this.#step();
      for (let n = before; n < this.#admitted; n += 1) this.#submit();
    }
    return { admissions: this.#admitted - admitted, tried: this.#tried - tried };
  }

  #submit(): void {
    const n = this.#submitted;
    this.#submitted += 1;
    const queue = this.#queues[this.#random.below(this.#queues.length)] as string;
    this.#inbox.push({ kind: 'job', job: aJob(this.#random, { n, queue, nowMs: this.#nowMs }), record: null });
  }

  #endOne(): void {
    const at = this.#random.below(this.#running.length);
    const job = this.#running[at] as string;
    this.#running[at] = this.#running.at(-1) as string;
    this.#running.pop();
    this.#inbox.push({ kind: 'job-ended', job, incarnation: 1, isFailed: false });
  }

  #step(): void {
    this.#nowMs += STEP_MS;
    for (let more = true; more; ) {
      const events = this.#inbox.splice(0);
      const result = this.#admission.step(this.#nowMs, events, WORK);
      this.#tried += result.tried;
      for (const command of result.commands) this.#heed(command);
      more = result.more || this.#inbox.some(({ kind }) => kind === 'job-ready');
    }
  }

  #heed(command: AdmissionCommand): void {
    if (command.kind !== 'admit') return;
    this.#admitted += 1;
    this.#running.push(command.job);
    this.#inbox.push({ kind: 'job-ready', job: command.job, incarnation: command.record.incarnation });
  }
}

const REQUESTS = new Map(SIZES.map((size) => [size, aRequest().whole(size).cpuMilli(1000).build()] as const));

function aJob(random: Random, { n, queue, nowMs }: { n: number; queue: string; nowMs: number }): QueuedJob {
  const size = SIZES[random.below(SIZES.length)] as (typeof SIZES)[number];
  const each = REQUESTS.get(size) ?? aRequest().whole(size);
  return aQueuedJob(`j${n}`, queue, { count: 1, each }, { submittedAtMs: nowMs });
}

function specsOf(): QuotaSpecs {
  const cohorts: CohortSpec[] = [];
  const queues: QueueSpec[] = [];
  for (let c = 0; c < COHORTS; c += 1) {
    cohorts.push(aCohort(`c${c}`));
    for (let q = 0; q < QUEUES_OF_COHORT; q += 1) {
      queues.push(aQueue(`q${c}-${q}`, [aCell('a100', 'cards', CARDS_OF_QUEUE)], { cohort: `c${c}` }));
    }
  }
  return { flavors: [aFlavor('a100')], cohorts, queues };
}
