import { Admission, type AdmissionCommand, type AdmissionEvent } from '../admission/index.ts';
import type { JobRefusal, JobStanding, QueuedJob, QueueOverview, QueueSpec } from '../model/index.ts';
import type { AdmissionMoment } from './admission-rehearsal.ts';

/** Quota that a job would borrow, and who has it to lend, most first. */
export interface Borrowing {
  readonly flavor: string;
  readonly resource: string;
  readonly amount: number;
  readonly lenders: readonly { readonly queue: string; readonly amount: number }[];
}

/** What becomes of a job that is submitted now and may have one flavor. */
export type SubmissionTrial =
  /** It starts: quota and a place for all of it were there (I15). */
  | { readonly kind: 'now'; readonly borrows: readonly Borrowing[] }
  /** It starts once these have left: its place is kept. */
  | { readonly kind: 'evicts'; readonly jobs: readonly string[]; readonly untilMs: number }
  | { readonly kind: 'waits'; readonly standing: JobStanding }
  | { readonly kind: 'refused'; readonly refusal: JobRefusal };

/** Steps until nothing more is decided, and jobs tried in each. */
const STEPS_MAX = 100;
const WORK = 4096;

/** An admission that has decided all that it can at one moment. O(world). */
export function settledAdmission({ nowMs, options, events }: AdmissionMoment): {
  readonly admission: Admission;
  readonly commands: readonly AdmissionCommand[];
} {
  const admission = new Admission(options);
  return { admission, commands: settle(admission, nowMs, events) };
}

function settle(admission: Admission, nowMs: number, events: readonly AdmissionEvent[]): AdmissionCommand[] {
  const commands: AdmissionCommand[] = [];
  let heard = events;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const result = admission.step(nowMs, heard, WORK);
    commands.push(...result.commands);
    heard = [];
    if (!result.more) break;
  }
  return commands;
}

/** Submits a job on a copy, after all that waits has had its turn, and tells what is decided. O(world). */
export function trySubmission(moment: AdmissionMoment, job: QueuedJob): SubmissionTrial {
  const { admission } = settledAdmission(moment);
  const before = admission.overview(0);
  const { id } = job.workload;
  const commands = settle(admission, moment.nowMs, [{ kind: 'job', job, record: null }]);
  const own = commands.findLast((command) => 'job' in command && command.job === id);
  if (own?.kind === 'refuse') return { kind: 'refused', refusal: own.refusal };
  if (own?.kind === 'admit') return { kind: 'now', borrows: borrowings(before, admission.overview(0), job) };
  const standing = admission.standing(id);
  if (standing === null) throw new Error(`${id} is nowhere`);
  if (standing.wait.kind === 'eviction') return standing.wait.jobs.length > 0 ? evicts(standing.wait) : waits(standing);
  return waits(standing);
}

function waits(standing: JobStanding): SubmissionTrial {
  return { kind: 'waits', standing };
}

function evicts({ jobs, untilMs }: { readonly jobs: readonly string[]; readonly untilMs: number }): SubmissionTrial {
  return { kind: 'evicts', jobs, untilMs };
}

/** What its queue borrows more than before, and who lends in the same root. */
function borrowings(
  before: readonly QueueOverview[],
  after: readonly QueueOverview[],
  { workload }: QueuedJob,
): Borrowing[] {
  const [was, is] = [before, after].map((each) => each.find(({ queue }) => queue === workload.queue));
  return (is?.uses ?? []).flatMap(({ flavor, resource, borrowed }, i) => {
    const amount = borrowed - (was?.uses[i]?.borrowed ?? 0);
    if (amount <= 0) return [];
    const lenders = before
      .filter(({ root, queue }) => root === is?.root && queue !== workload.queue)
      .flatMap(({ queue, uses }) => {
        const use = uses.find((each) => each.flavor === flavor && each.resource === resource);
        return use === undefined || use.lendable === 0 ? [] : [{ queue, amount: use.lendable }];
      })
      .toSorted((left, right) => right.amount - left.amount);
    return [{ flavor, resource, amount, lenders }];
  });
}

const CARD_RESOURCES: ReadonlySet<string> = new Set(['cards', 'cardMemoryMiB', 'computeMilli', 'priceMicrosPerHour']);

/**
 * The ways in which a job may be tried, one for each flavor that has cards, best first: each with the flavors that it
 * may be charged to, since CPU and memory may be counted in a flavor of their own.
 */
export function flavorsToTry({ flavors }: QueuedJob, queue: QueueSpec): { flavor: string; flavors: string[] }[] {
  const listed = flavors.length === 0 ? queue.flavors : flavors.filter((id) => queue.flavors.includes(id));
  const withCards = new Set(
    queue.cells.flatMap(({ flavor, resource }) => (CARD_RESOURCES.has(resource) ? [flavor] : [])),
  );
  const main = listed.filter((id) => withCards.has(id));
  if (main.length === 0) return listed.map((flavor) => ({ flavor, flavors: [flavor] }));
  const others = listed.filter((id) => !withCards.has(id));
  return main.map((flavor) => ({ flavor, flavors: [flavor, ...others] }));
}
