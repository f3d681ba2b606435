import { assert, compareNumber, compareText, err, Heap, isAlike, ok, type Result } from '../base/index.ts';
import type { JobTrouble, PodFailure, ProgressRefusal, ProgressReport, SavedCheckpoint } from '../model/index.ts';
import type { ProgressNews } from './news.ts';
import { Pulse } from './pulse.ts';
import { begun, checkpointToLoad, type ProgressRecord, withCheckpoint } from './record.ts';
import { decideRestart } from './restart.ts';
import { Suspects } from './suspects.ts';

/** Jobs that are followed at once. */
const JOBS_MAX = 50_000;
/** Pods of one job that may report. */
const PODS_MAX = 4096;
/** A pod may report once a second on the average, and so many at once. */
const SPACING_MS = 1000;
const BURST = 10;

/** Now, by both clocks: durations are of the one that never goes back. */
export interface Instant {
  readonly nowMs: number;
  readonly wallMs: number;
}

/** A pod that reports, as the cluster knows it. */
export interface ReportingPod {
  readonly uid: string;
  /** Empty: not known. */
  readonly machine: string;
  /** The incarnation that it was started as; null: nobody says. */
  readonly incarnation: number | null;
}

/** What a job is told in answer to a heartbeat. */
export interface ProgressAnswer {
  /** What this incarnation is to go on from; null: from the beginning. */
  readonly from: SavedCheckpoint | null;
  /** Make a checkpoint within so many milliseconds, for it will be stopped then; null: go on. */
  readonly checkpointWithinMs: number | null;
}

/** A heartbeat that was taken. */
export interface Heard {
  readonly answer: ProgressAnswer;
  readonly news: readonly ProgressNews[];
  /** What is to be kept of the job, where the heartbeat told of a checkpoint: before it is answered. */
  readonly record: ProgressRecord;
}

interface Followed {
  readonly job: string;
  record: ProgressRecord;
  pulse: Pulse;
  /** By pod: until when its reports are used up. */
  readonly usedUntilMs: Map<string, number>;
  /** When to look at it again; Infinity: when something is heard. */
  wakeAtMs: number;
  /** Since when it has been in trouble that is told and not yet acted on; null: it is well. */
  troubledAtMs: number | null;
  stopsAtMs: number | null;
}

/**
 * Follows the heartbeats of all jobs: takes reports, refuses those of former incarnations, finds what stands still,
 * and decides on restarts. One report is O(pods of the job + log jobs); what is due is O(log jobs) each.
 */
export class ProgressTracker {
  readonly #followed = new Map<string, Followed>();
  readonly #wakes = new Heap<Followed>(
    (left, right) => compareNumber(left.wakeAtMs, right.wakeAtMs) || compareText(left.job, right.job),
  );
  readonly #suspects = new Suspects();
  /** When any job was heard last. */
  #heardAtMs = 0;

  /** Whether a job is followed; if not, `follow` it with its record first. */
  knows(job: string): boolean {
    return this.#followed.has(job);
  }

  /** Begins to follow a job, with what was kept of it. A job that is followed already stays as it is. */
  follow(nowMs: number, job: string, record: ProgressRecord): Result<null, ProgressRefusal> {
    if (this.#followed.has(job)) return ok(null);
    if (this.#followed.size >= JOBS_MAX) return err({ why: 'full', what: 'jobs', most: JOBS_MAX });
    const pulse = new Pulse(nowMs);
    const wakeAtMs = Number.POSITIVE_INFINITY;
    const followed = { job, record, pulse, usedUntilMs: new Map(), wakeAtMs, troubledAtMs: null, stopsAtMs: null };
    this.#followed.set(job, followed);
    this.#wakes.put(followed);
    return ok(null);
  }

  /** Takes a heartbeat of a job that is followed, until it says that it is done. A refused one changes nothing. */
  hear(
    { nowMs, wallMs }: Instant,
    job: string,
    pod: ReportingPod,
    report: ProgressReport,
  ): Result<Heard, ProgressRefusal> {
    const followed = this.#known(job);
    const refusal = refusalOf(followed, nowMs, pod, report);
    if (refusal !== null) return err(refusal);
    const news: ProgressNews[] = [];
    if (report.incarnation > followed.record.incarnation) this.#begin(nowMs, followed, report.incarnation);
    if (report.checkpoint !== null) {
      const before = checkpointToLoad(followed.record);
      followed.record = withCheckpoint(followed.record, report.checkpoint, { step: report.step, atMs: wallMs });
      const checkpoint = checkpointToLoad(followed.record);
      if (!isAlike(checkpoint, before))
        news.push({ kind: 'checkpointed', job, incarnation: report.incarnation, checkpoint });
    }
    followed.pulse.hear(nowMs, pod, report);
    this.#heardAtMs = nowMs;
    if (followed.troubledAtMs !== null && followed.pulse.trouble(nowMs) === null) {
      news.push({ kind: 'recovered', job, incarnation: report.incarnation, afterMs: nowMs - followed.troubledAtMs });
      followed.troubledAtMs = null;
    }
    if (followed.troubledAtMs === null) this.#wakeAt(followed, followed.pulse.deadlineMs);
    const { stopsAtMs, record } = followed;
    const checkpointWithinMs = stopsAtMs === null ? null : Math.max(0, stopsAtMs - nowMs);
    if (followed.pulse.isDone) this.forget(job);
    return ok({ answer: { from: record.from, checkpointWithinMs }, news, record });
  }

  /**
   * The next heartbeats are answered with the wish for a checkpoint, until then; null: no more. Of another incarnation:
   * nothing.
   */
  askForCheckpoint(job: string, incarnation: number, untilMs: number | null): void {
    const followed = this.#followed.get(job);
    if (followed?.record.incarnation === incarnation) followed.stopsAtMs = untilMs;
  }

  /** A pod of an incarnation failed. Of a former one: nothing follows. */
  fail(nowMs: number, job: string, incarnation: number, failure: PodFailure, machine: string): ProgressNews[] {
    const followed = this.#known(job);
    if (followed.record.incarnation !== incarnation) return [];
    return [this.#restart(nowMs, followed, { kind: 'failed', failure }, machine === '' ? [] : [machine])];
  }

  /** It runs no more: done, suspended, cancelled. What was kept of it is kept elsewhere. */
  forget(job: string): void {
    const followed = this.#followed.get(job);
    if (followed === undefined) return;
    this.#followed.delete(job);
    this.#wakes.delete(followed);
  }

  /** When `due` has something to tell; Infinity: not before more is heard. */
  get wakeAtMs(): number {
    return this.#wakes.first?.wakeAtMs ?? Number.POSITIVE_INFINITY;
  }

  /** What is wrong by now, and what becomes of jobs with which it has been wrong for long enough. */
  due(nowMs: number): ProgressNews[] {
    const news: ProgressNews[] = [];
    for (let next = this.#wakes.first; next !== undefined && next.wakeAtMs <= nowMs; next = this.#wakes.first) {
      news.push(...this.#look(nowMs, next));
    }
    return news;
  }

  #look(nowMs: number, followed: Followed): ProgressNews[] {
    const found = followed.pulse.trouble(nowMs);
    if (found === null) {
      this.#wakeAt(followed, followed.pulse.deadlineMs);
      return [];
    }
    const { job, record, pulse } = followed;
    // Where nobody else has been heard since, it may be we who hear nothing.
    const isAllSilent = this.#followed.size > 1 && this.#heardAtMs <= pulse.heardAtMs;
    const actsAtMs = pulse.actsAtMs(found.trouble.kind === 'silent' && !isAllSilent);
    if (followed.troubledAtMs !== null && nowMs >= actsAtMs) {
      return [this.#restart(nowMs, followed, found.trouble, found.suspects)];
    }
    this.#wakeAt(followed, Math.max(actsAtMs, nowMs + 1));
    if (followed.troubledAtMs !== null) return [];
    followed.troubledAtMs = nowMs;
    return [{ kind: 'troubled', job, incarnation: record.incarnation, ...found }];
  }

  /** The old incarnation is over with this: its reports are stale from now on. */
  #restart(nowMs: number, followed: Followed, trouble: JobTrouble, machines: readonly string[]): ProgressNews {
    const { job, record, pulse } = followed;
    for (const machine of machines) this.#suspects.suspect(machine, job, nowMs);
    const decided = decideRestart(record, pulse.step, trouble, this.#suspects.avoidedBy(job, nowMs));
    followed.record = decided.record;
    this.#renew(nowMs, followed);
    const { incarnation } = record;
    return { kind: 'decided', job, incarnation, decision: decided.decision, record: decided.record };
  }

  #begin(nowMs: number, followed: Followed, incarnation: number): void {
    followed.record = begun(followed.record, incarnation, followed.pulse.step);
    this.#renew(nowMs, followed);
  }

  #renew(nowMs: number, followed: Followed): void {
    followed.pulse = new Pulse(nowMs);
    followed.usedUntilMs.clear();
    followed.troubledAtMs = null;
    followed.stopsAtMs = null;
    this.#wakeAt(followed, Number.POSITIVE_INFINITY);
  }

  #wakeAt(followed: Followed, atMs: number): void {
    followed.wakeAtMs = atMs;
    this.#wakes.put(followed);
  }

  #known(job: string): Followed {
    const followed = this.#followed.get(job);
    assert(followed !== undefined, `${job} is not followed`);
    return followed;
  }
}

function refusalOf(
  { record, usedUntilMs }: Followed,
  nowMs: number,
  { uid, incarnation: started }: ReportingPod,
  { incarnation }: ProgressReport,
): ProgressRefusal | null {
  const usedMs = Math.max(usedUntilMs.get(uid) ?? 0, nowMs) + SPACING_MS;
  if (usedMs - nowMs > BURST * SPACING_MS)
    return { why: 'too-often', retryAfterMs: usedMs - nowMs - BURST * SPACING_MS };
  if (started !== null && started !== incarnation) return { why: 'not-its-own', incarnation, started };
  if (incarnation < record.incarnation) return { why: 'stale', incarnation, live: record.incarnation };
  if (!usedUntilMs.has(uid) && usedUntilMs.size >= PODS_MAX) return { why: 'full', what: 'pods', most: PODS_MAX };
  usedUntilMs.set(uid, usedMs);
  return null;
}
