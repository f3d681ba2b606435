import { amountsOf } from '@springtide/core/admission';
import {
  admissionOutlookOf,
  type AdmissionMoment,
  adviceOn,
  cardsOf,
  flavorsToTry,
  type SubmissionTrial,
  traitsOf,
  trySubmission,
} from '@springtide/core/estimate';
import type { ExpectedStart, Flavor, FlavorAdvice, QueuedJob } from '@springtide/core/model';
import { type Language, message } from '@springtide/wire/messages';
import type { Unreadable } from '@springtide/ports/cluster';
import type { QueueWorld } from './world.ts';

/** Flavors that are tried, each on a copy. */
const FLAVORS_MAX = 8;

/** What becomes of a job in one flavor, and what it costs there. */
export interface FlavorOutlook {
  readonly advice: FlavorAdvice;
  readonly trial: SubmissionTrial;
}

/** When jobs that wait start, by id. */
export function startsOf({ moment, runs }: QueueWorld, jobs: readonly string[]): Map<string, ExpectedStart> {
  if (jobs.length === 0) return new Map();
  const outlook = admissionOutlookOf(moment, jobs, runs);
  return new Map(
    jobs.map((job): [string, ExpectedStart] => {
      const wait = outlook.waitOf(job);
      if (wait === null || wait.p90Ms === Infinity) return [job, { kind: 'unforeseeable' }];
      return [job, { kind: 'later', p50Ms: wait.p50Ms, p90Ms: wait.p90Ms }];
    }),
  );
}

/** How long a job is expected to run. */
export function expectedRunMs({ moment: { nowMs }, runs }: QueueWorld, job: QueuedJob): number {
  return runs.history.runTimeOf(traitsOf(job), job.submittedAtMs, nowMs).quantileMs(0.5, 0);
}

/**
 * Flavor by flavor in its order of preference, what becomes of a job that may have that one only: each is tried on a
 * copy, and played forward where it does not start at once. O(flavors x worlds).
 */
export function flavorOutlooks(world: QueueWorld, job: QueuedJob): FlavorOutlook[] {
  const queue = world.specs.queues.find(({ id }) => id === job.workload.queue);
  const flavors = new Map(world.specs.flavors.map((flavor) => [flavor.id, flavor]));
  if (queue === undefined) return [];
  const ways = flavorsToTry(job, queue).slice(0, FLAVORS_MAX);
  return ways.flatMap(({ flavor: id, flavors: accepted }) => {
    const flavor = flavors.get(id);
    if (flavor === undefined) return [];
    return [outlookIn(world, { ...job, flavors: accepted }, flavor)];
  });
}

function outlookIn(world: QueueWorld, job: QueuedJob, flavor: Flavor): FlavorOutlook {
  const { id } = job.workload;
  const others = world.moment.events.filter((event) => event.kind !== 'job' || event.job.workload.id !== id);
  const without: AdmissionMoment = { ...world.moment, events: others };
  const trial = trySubmission(without, job);
  const isPlaced = trial.kind === 'now';
  const mayStart = trial.kind === 'evicts' || trial.kind === 'waits';
  const moment: AdmissionMoment = { ...without, events: [...others, { kind: 'job', job, record: null }] };
  const wait = mayStart ? admissionOutlookOf(moment, [id], world.runs).waitOf(id) : null;
  const { nowMs } = world.moment;
  const [advice] = adviceOn([{ flavor, cards: cardsOf(job), isPlaced, wait, madeAtMs: nowMs }], nowMs);
  return { advice: { ...(advice as FlavorAdvice), priceMicrosPerHour: priceOf(job, flavor) }, trial };
}

/** Of all pods for an hour; slices by their share of a card. */
function priceOf({ workload }: QueuedJob, flavor: Flavor): number {
  return workload.podSets.reduce((sum, { count, request }) => {
    return sum + count * (amountsOf(request, flavor).get('priceMicrosPerHour') ?? 0);
  }, 0);
}

/** From how much run times are known. */
export function runsText({ runs: { runs } }: QueueWorld, language: Language): string {
  return runs === 0 ? message(language, 'queue.fromNone') : message(language, 'queue.from', { count: runs });
}

export function unreadableText(
  { kind, namespace, name, path, expected, found }: Unreadable,
  language: Language,
): string {
  const whole = namespace === '' ? name : `${namespace}/${name}`;
  return message(language, 'queue.unreadable', { kind, name: whole, path, expected, found });
}

/** One flavor as JSON. */
export function flavorJson({ advice, trial }: FlavorOutlook): object {
  const { flavor, start, priceMicrosPerHour, bytesToMove, ageMs } = advice;
  return { flavor, start, priceMicrosPerHour, bytesToMove, ageMs, verdict: trial };
}
