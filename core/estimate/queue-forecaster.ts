import type { AdmissionCommand, AdmissionEvent, AdmissionOptions } from '../admission/index.ts';
import { RunTimeHistory } from '../forecast/index.ts';
import type { JobRecord, QueuedJob } from '../model/index.ts';
import { admissionOutlookOf, cardsOf, traitsOf } from './admission-outlook.ts';
import { Calibration } from './calibration.ts';
import type { WaitForecast } from './outlook.ts';

/** What one step of the real admission has heard and decided. */
export interface AdmissionNews {
  readonly nowMs: number;
  readonly events: readonly AdmissionEvent[];
  readonly commands: readonly AdmissionCommand[];
}

/** What is told to jobs that wait. */
export interface QueueForecast {
  readonly madeAtMs: number;
  /** Whoever is told no start (Infinity) starts later than this, from then. Infinity: not as far as one can see. */
  readonly reachMs: number;
  readonly waits: ReadonlyMap<string, WaitForecast>;
}

interface Known {
  readonly job: QueuedJob;
  readonly record: JobRecord | null;
}

/**
 * Foretells the starts of all jobs that wait beside an admission at work, of which it needs to hear only what that
 * hears and decides: so it may run elsewhere, and the admission waits for nothing. It learns run times from starts and
 * ends, and how far to trust itself from what became of what it told. Told in order of time.
 */
export class QueueForecaster {
  readonly #history = new RunTimeHistory();
  readonly #calibration = new Calibration();
  readonly #options: AdmissionOptions;
  /** Of each thing that an admission hears of the last event, as a new one has to hear it: quotas first. */
  #quota: AdmissionEvent | null = null;
  readonly #machines = new Map<string, AdmissionEvent>();
  readonly #pods = new Map<string, AdmissionEvent>();
  readonly #jobs = new Map<string, Known>();
  /** Jobs that were told a wait and wait still. */
  readonly #told = new Set<string>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** O(news). */
  hear({ nowMs, events, commands }: AdmissionNews): void {
    for (const event of events) this.#take(event, nowMs);
    for (const command of commands) {
      if (command.kind === 'refuse-quota') continue;
      const known = this.#jobs.get(command.job);
      if (known !== undefined) this.#become(known, command.record, nowMs);
    }
  }

  /** Plays the queue forward from here. O(worlds x (world + turns)), both bounded. */
  forecast(nowMs: number): QueueForecast {
    const quota = this.#quota === null ? [] : [this.#quota];
    const jobs = [...this.#jobs.values()].map(({ job, record }): AdmissionEvent => ({ kind: 'job', job, record }));
    const events = [...quota, ...this.#machines.values(), ...this.#pods.values(), ...jobs];
    const waiting = [...this.#jobs].flatMap(([id, { record }]) => (isWaiting(record) ? [id] : []));
    const moment = { nowMs, options: this.#options, events };
    const outlook = admissionOutlookOf(moment, waiting, { history: this.#history });
    const waits = new Map<string, WaitForecast>();
    for (const id of waiting) {
      const raw = outlook.waitOf(id);
      if (raw === null) continue;
      waits.set(id, this.#calibration.corrected(raw, nowMs));
      if (raw.p90Ms === Infinity || this.#told.has(id)) continue;
      this.#told.add(id);
      this.#calibration.told(id, raw, nowMs);
    }
    return { madeAtMs: nowMs, reachMs: outlook.reachMs, waits };
  }

  #take(event: AdmissionEvent, nowMs: number): void {
    switch (event.kind) {
      case 'quota':
        this.#quota = event;
        return;
      case 'machine':
        return void this.#machines.set(event.machine.id, event);
      case 'machine-gone':
        return void this.#machines.delete(event.id);
      case 'pod':
        return void this.#pods.set(event.seen.uid, event);
      case 'pod-gone':
        return void this.#pods.delete(event.uid);
      case 'job':
        return this.#takeJob(event.job, event.record, nowMs);
      default:
      // What becomes of a job is decided, and is heard with the decision.
    }
  }

  #takeJob(job: QueuedJob, record: JobRecord | null, nowMs: number): void {
    const known = this.#jobs.get(job.workload.id);
    if (known !== undefined) return void this.#jobs.set(job.workload.id, { job, record: known.record });
    this.#jobs.set(job.workload.id, { job, record: null });
    if (record === null) return;
    // It ended before anybody listened: how long it ran is known from what it held.
    if (record.state === 'done' && record.attainedCardMs > 0) {
      const ranMs = ranBeforeMs(job, record);
      this.#history.started(job.workload.id, traitsOf(job), job.submittedAtMs, record.sinceMs - ranMs);
    }
    this.#become({ job, record: null }, record, record.state === 'done' ? record.sinceMs : nowMs);
  }

  #become({ job, record: before }: Known, record: JobRecord, nowMs: number): void {
    const { id } = job.workload;
    const { state, startedAtMs } = record;
    if (startedAtMs !== null && (before?.startedAtMs ?? null) !== startedAtMs) {
      this.#history.started(id, traitsOf(job), job.submittedAtMs, startedAtMs - ranBeforeMs(job, record));
      this.#calibration.started(id, startedAtMs);
      this.#told.delete(id);
    }
    if (state === 'done') this.#history.ended(id, nowMs);
    else if (startedAtMs === null) this.#history.stopped(id, nowMs);
    if (state !== 'done' && state !== 'failed' && state !== 'cancelled') {
      this.#jobs.set(id, { job, record });
      return;
    }
    this.#jobs.delete(id);
    if (this.#told.delete(id)) this.#calibration.left(id, nowMs);
  }
}

/** How long it has run before its present start. */
function ranBeforeMs(job: QueuedJob, { attainedCardMs }: JobRecord): number {
  return Math.round(attainedCardMs / Math.max(1, cardsOf(job)));
}

function isWaiting(record: JobRecord | null): boolean {
  return record === null || record.state === 'queued';
}
