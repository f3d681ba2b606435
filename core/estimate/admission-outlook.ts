import type { AdmissionEvent } from '../admission/index.ts';
import { RunTimeHistory, type RunTimeTraits } from '../forecast/index.ts';
import type { JobRecord, QueuedJob } from '../model/index.ts';
import { type AdmissionMoment, AdmissionRehearsal } from './admission-rehearsal.ts';
import { type Outlook, outlookOf } from './outlook.ts';
import type { QueueMember } from './rehearsal.ts';

/** Of jobs behind all that are asked for so many are played along: those further behind are taken not to be there. */
const BEHIND_MAX = 500;

/** What is known of run times from the jobs of one moment: those that have ended and are still there, and that run. */
export interface KnownRuns {
  readonly history: RunTimeHistory;
  /** How many runs it knows. */
  readonly runs: number;
}

/** A job that an admission knows, with what was kept of it. */
interface Known {
  readonly job: QueuedJob;
  readonly record: JobRecord;
  readonly cards: number;
}

/** O(jobs log jobs). */
export function knownRunsOf({ events }: Pick<AdmissionMoment, 'events'>): KnownRuns {
  const history = new RunTimeHistory();
  const known = events.flatMap((event) =>
    event.kind === 'job' && event.record !== null
      ? [{ job: event.job, record: event.record, cards: cardsOf(event.job) }]
      : [],
  );
  const ended = known.filter(({ record }) => record.state === 'done' && record.attainedCardMs > 0);
  for (const each of ended.toSorted((left, right) => left.record.sinceMs - right.record.sinceMs)) {
    const { job, record } = each;
    const { id } = job.workload;
    history.started(id, traitsOf(job), job.submittedAtMs, record.sinceMs - lastedMs(each));
    history.ended(id, record.sinceMs);
  }
  const running = known.filter(({ record }) => record.startedAtMs !== null);
  for (const each of running) {
    const { job, record } = each;
    const startedAtMs = (record.startedAtMs as number) - lastedMs(each);
    history.started(job.workload.id, traitsOf(job), job.submittedAtMs, startedAtMs);
  }
  return { history, runs: ended.length + running.length };
}

/**
 * Steps and turns of jobs in one world at most, beside a turn of each that waits; and in all after which no further
 * world is begun: of a large queue fewer worlds are played, and less far.
 */
const EFFORT_MAX = 2000;
const EFFORT_OF_ALL_MAX = 20_000;

/**
 * When jobs that wait start, from the real admission played forward; only those asked for are told. What it costs is
 * bounded by the jobs behind that are played along and by the turns of a rehearsal. O(worlds x (world + turns)).
 */
export function admissionOutlookOf(
  moment: AdmissionMoment,
  asked: readonly string[],
  { history }: Pick<KnownRuns, 'history'>,
): Outlook<never> {
  const events = withoutFarBehind(moment.events, new Set(asked));
  const members = events.flatMap((event) => (event.kind === 'job' ? memberOf(event.job, event.record) : []));
  const running = members.filter(({ startedAtMs }) => startedAtMs !== null);
  const waiting = members.filter(({ startedAtMs }) => startedAtMs === null);
  const played: AdmissionRehearsal[] = [];
  const rehearse = (runTimeMs: ReadonlyMap<string, number>): AdmissionRehearsal => {
    const rehearsal = new AdmissionRehearsal({ ...moment, events }, runTimeMs);
    played.push(rehearsal);
    return rehearsal;
  };
  const effortMax = waiting.length + EFFORT_MAX;
  const mayGoOn = (): boolean => played.reduce((sum, { effort }) => sum + effort, 0) < EFFORT_OF_ALL_MAX;
  const snapshot = { nowMs: moment.nowMs, running, waiting, rehearse };
  return outlookOf<never>({ snapshot, history, kinds: [], asked: new Set(asked), effortMax, mayGoOn });
}

/** Without jobs that wait, and are submitted so much later than all asked for, with no higher priority. */
function withoutFarBehind(events: readonly AdmissionEvent[], asked: ReadonlySet<string>): readonly AdmissionEvent[] {
  const waiting = events.filter(isWaiting);
  const wanted = waiting.filter(({ job }) => asked.has(job.workload.id));
  const lastMs = Math.max(...wanted.map(({ job }) => job.submittedAtMs));
  const least = Math.min(...wanted.map(({ job }) => job.workload.priority));
  const behind = waiting
    .filter(({ job }) => job.submittedAtMs > lastMs && job.workload.priority <= least)
    .toSorted((left, right) => left.job.submittedAtMs - right.job.submittedAtMs);
  if (behind.length <= BEHIND_MAX) return events;
  const dropped = new Set<AdmissionEvent>(behind.slice(BEHIND_MAX));
  return events.filter((event) => !dropped.has(event));
}

type JobEvent = Extract<AdmissionEvent, { readonly kind: 'job' }>;

function isWaiting(event: AdmissionEvent): event is JobEvent {
  return event.kind === 'job' && (event.record === null || event.record.state === 'queued');
}

function memberOf(job: QueuedJob, record: JobRecord | null): QueueMember[] {
  const state = record?.state ?? 'queued';
  if (state === 'done' || state === 'failed' || state === 'cancelled') return [];
  const { submittedAtMs } = job;
  const startedAtMs = record?.startedAtMs ?? null;
  return [{ id: job.workload.id, traits: traitsOf(job), submittedAtMs, startedAtMs }];
}

/** What is known of a job that says something of how long it runs. Numbers at the end of a name differ in each run. */
export function traitsOf(job: QueuedJob): RunTimeTraits {
  const { tenant, id } = job.workload;
  return { tenant, cards: cardsOf(job), user: '', name: id.replace(/(?:[-_.]?\d+)+$/, ''), image: '' };
}

/** Whole cards of all its pods, and slices, each as a card. */
export function cardsOf({ workload }: QueuedJob): number {
  return workload.podSets.reduce((sum, { count, request: { cards } }) => {
    return cards.kind === 'none' ? sum : sum + count * cards.count;
  }, 0);
}

/** How long it has run so far, before its present start. */
function lastedMs({ record, cards }: Known): number {
  return Math.round(record.attainedCardMs / Math.max(1, cards));
}
