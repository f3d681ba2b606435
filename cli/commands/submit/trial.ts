import { inputErrorText } from '@springtide/adapters/kubernetes';
import { readSubmissions } from '@springtide/adapters/kubernetes/queueing';
import { type Borrowing, cardsOf, type SubmissionTrial, trySubmission } from '@springtide/core/estimate';
import type { JobRefusal, QueuedJob } from '@springtide/core/model';
import type { SnapshotJob } from '@springtide/services/queue';
import { type Language, message } from '@springtide/wire/messages';
import {
  jobRefusalText,
  jobWaitText,
  momentText,
  moneyText,
  quotaAmountText,
  quotaResourceText,
  roundedTimeText,
  startText,
} from '@springtide/wire/reasons';
import { comma, indented } from '../../cluster/index.ts';
import {
  expectedRunMs,
  flavorJson,
  type FlavorOutlook,
  flavorOutlooks,
  jobNameOf,
  type QueueWorld,
  runsText,
} from '../../queues/index.ts';
import { BadInput } from '../../terminal/index.ts';

/** A job that might be submitted, and what would become of it. */
export interface Trial {
  readonly job: SnapshotJob;
  readonly flavors: readonly FlavorOutlook[];
  /** Why it can never start, whatever the flavor; null: it can, or waits. */
  readonly refusal: JobRefusal | null;
  readonly expectedRunMs: number;
}

/** The jobs of a file as they would be queued now; BadInput where it asks for none. */
export async function submissionsAt(path: string, { snapshot, moment, namespace }: QueueWorld): Promise<SnapshotJob[]> {
  const read = await readSubmissions(path, namespace);
  if (!read.ok) throw new BadInput(inputErrorText(read.error));
  return read.value.flatMap((event) => {
    const taken = snapshot.take(event);
    return taken === null ? [] : [{ ...taken, job: taken.job === null ? null : asNew(taken.job, moment.nowMs) }];
  });
}

/** Beside a job of the same name that may be queued already. */
function asNew(job: QueuedJob, nowMs: number): QueuedJob {
  const id = `${job.workload.id} (dry run)`;
  return { ...job, workload: { ...job.workload, id }, idempotencyKey: id, submittedAtMs: nowMs };
}

export function trialsOf(world: QueueWorld, jobs: readonly SnapshotJob[]): Trial[] {
  return jobs.map((job) => {
    if (job.job === null) return { job, flavors: [], refusal: null, expectedRunMs: 0 };
    const whole = trySubmission(world.moment, job.job);
    const refusal = whole.kind === 'refused' ? whole.refusal : null;
    const flavors = refusal === null ? flavorOutlooks(world, job.job) : [];
    return { job, flavors, refusal, expectedRunMs: expectedRunMs(world, job.job) };
  });
}

export function isRefused({ job, refusal }: Trial): boolean {
  return job.job === null || refusal !== null;
}

export function trialJson({ job, flavors, refusal, expectedRunMs: expectedMs }: Trial): object {
  return {
    job: jobNameOf(job),
    queue: job.job?.workload.queue ?? null,
    refusal,
    expectedRunMs: expectedMs,
    flavors: flavors.map(flavorJson),
  };
}

export function trialLines(world: QueueWorld, trial: Trial, language: Language): string[] {
  const { job, flavors, refusal } = trial;
  if (job.job === null) return [message(language, 'queue.nobody', { queue: job.asked, namespace: job.namespace })];
  const { workload } = job.job;
  const pods = workload.podSets.reduce((sum, { count }) => sum + count, 0);
  const values = { job: jobNameOf(job), queue: workload.queue, pods, cards: cardsOf(job.job) };
  const head = message(language, 'queue.submit.head', values);
  if (refusal !== null) {
    return [head, ...indented([message(language, 'queue.refused', { why: jobRefusalText(language, refusal) })])];
  }
  const lines = flavors.flatMap((each) => flavorLines(each, trial.expectedRunMs, language));
  return [head, ...indented([...lines, runsText(world, language)])];
}

function flavorLines({ advice, trial }: FlavorOutlook, expectedMs: number, language: Language): string[] {
  const { flavor, priceMicrosPerHour: price } = advice;
  const start = verdictText(trial, startText(advice.start, language), language);
  const head = message(language, 'queue.submit.flavor', { flavor, start });
  if (trial.kind === 'refused') return [head];
  const run = (price * expectedMs) / 3_600_000;
  const cost =
    price === 0
      ? message(language, 'queue.submit.free')
      : message(language, 'queue.submit.price', {
          hour: moneyText(price),
          run: moneyText(run),
          time: roundedTimeText(expectedMs, language),
        });
  return [head, ...indented([...quotaLines(trial, language), cost])];
}

function verdictText(trial: SubmissionTrial, start: string, language: Language): string {
  switch (trial.kind) {
    case 'now':
      return message(language, 'queue.submit.now');
    case 'evicts': {
      const { jobs, untilMs } = trial;
      const values = { at: momentText(untilMs), jobs: jobs.join(comma(language)), count: jobs.length };
      return message(language, 'queue.submit.evicts', values);
    }
    case 'waits':
      return message(language, 'queue.submit.waits', { start, why: jobWaitText(language, trial.standing.wait) });
    case 'refused':
      return message(language, 'queue.submit.refused', { why: jobRefusalText(language, trial.refusal) });
  }
}

function quotaLines(trial: SubmissionTrial, language: Language): string[] {
  if (trial.kind === 'waits') {
    const { position, waiting } = trial.standing;
    return [message(language, 'queue.submit.position', { position, waiting })];
  }
  if (trial.kind !== 'now') return [];
  if (trial.borrows.length === 0) return [message(language, 'queue.submit.fits')];
  const amounts = trial.borrows.map((each) => borrowText(each, language));
  return [message(language, 'queue.submit.borrows', { amounts: amounts.join(comma(language)) })];
}

function borrowText({ flavor, resource, amount, lenders }: Borrowing, language: Language): string {
  const from = lenders.map((lender) =>
    message(language, 'queue.submit.lender', {
      queue: lender.queue,
      amount: quotaAmountText(resource, lender.amount),
    }),
  );
  return message(language, 'queue.submit.amount', {
    flavor,
    resource: quotaResourceText(language, resource),
    amount: quotaAmountText(resource, amount),
    lenders: from.length === 0 ? message(language, 'queue.submit.cohort') : from.join(comma(language)),
  });
}
