import type { JobPhase, JobTrouble, ProgressReport } from '../model/index.ts';
import { Cadence } from './cadence.ts';
import { Pauses } from './pauses.ts';

/** Reports are not expected closer together than this, however fast the steps are. */
const INTERVAL_LEAST_MS = 5000;
/** Intervals without a step after which a job is stalled. */
const STALL_INTERVALS = 2;
/** Beats that are missing when a heart stands still. */
const SILENT_BEATS = 3;
/** Where steps stand still too, a heart this late is what is wrong. */
const LATE_BEATS = 1.5;
/** For a job to do its first steps, and for a phase of which nothing is known yet. */
const UNKNOWN_MS = 60 * 60_000;
/** How long trouble that was found has to last before it is acted on. */
const PATIENCE_MS = 60_000;
const STALL_PATIENCE_MS = 15 * 60_000;
/** Times the longest evaluation (or save) there has been that the next may take. */
const PHASE_TIMES = 2;

/** A pod that has told something. */
interface Reporter {
  readonly machine: string;
  readonly beats: Cadence;
  heardAtMs: number;
  step: number;
}

export interface FoundTrouble {
  readonly trouble: JobTrouble;
  /** Machines that may be the cause; empty: it cannot be told which. */
  readonly suspects: readonly string[];
}

/**
 * One incarnation's heartbeats: what comes is remembered as two cadences, that of steps and that of each pod's hearts,
 * and from them follows the moment at which something is wrong if nothing more comes.
 *
 *     start --steps--> train <--the job says so--> evaluate, save
 *       | an hour        | 2 intervals of its steps     | twice the longest one yet; an hour for the first
 *       v                v                              v
 *     all hearts silent for 3 beats, a heart late: `silent`, else `stalled`
 *
 * `hear` and `deadlineMs` are O(pods that report).
 */
export class Pulse {
  readonly #reporters = new Map<string, Reporter>();
  readonly #steps = new Cadence(INTERVAL_LEAST_MS);
  readonly #pauses = new Pauses();
  readonly #longestMs = new Map<JobPhase, number>();
  #phase: JobPhase = 'start';
  #step = 0;
  #sinceMs: number;
  #stepsAtOnce = 1;
  /** No phase but training was in the gap that is open. */
  #isGapWhole = false;
  /** The pod whose word counts for the phase. */
  #leader: string | null = null;

  constructor(nowMs: number) {
    this.#sinceMs = nowMs;
  }

  get step(): number {
    return this.#step;
  }

  /** Takes one heartbeat in. */
  hear(nowMs: number, pod: { readonly uid: string; readonly machine: string }, report: ProgressReport): void {
    const before = this.#beat(nowMs, pod, report.step);
    const isFirst = this.#leader === null;
    const isAdvance = !isFirst && report.step > this.#step;
    if (isFirst || isAdvance) this.#leader = pod.uid;
    if (isAdvance) this.#advance(nowMs, report);
    // The first word of all, or its container began anew from an earlier step.
    else if (isFirst || report.step < before) this.#begin(nowMs, report.step);
    if (this.#leader === pod.uid) this.#enter(nowMs, report.phase);
  }

  /** The step that the pod told before. */
  #beat(nowMs: number, { uid, machine }: { readonly uid: string; readonly machine: string }, step: number): number {
    const known = this.#reporters.get(uid);
    if (known === undefined) {
      this.#reporters.set(uid, { machine, beats: new Cadence(INTERVAL_LEAST_MS), heardAtMs: nowMs, step });
      return step;
    }
    const before = known.step;
    known.beats.add(nowMs - known.heardAtMs);
    known.heardAtMs = nowMs;
    known.step = step;
    return before;
  }

  #advance(nowMs: number, { step }: ProgressReport): void {
    const gapMs = nowMs - this.#sinceMs;
    const { intervalMs } = this.#steps;
    if (this.#isGapWhole) {
      if (intervalMs !== null && gapMs > STALL_INTERVALS * intervalMs) this.#pauses.add(this.#step, gapMs);
      else this.#stepsAtOnce = step - this.#step;
      this.#steps.add(gapMs);
    }
    this.#begin(nowMs, step);
    this.#isGapWhole = this.#phase === 'train';
  }

  #begin(nowMs: number, step: number): void {
    this.#step = step;
    this.#sinceMs = nowMs;
    this.#isGapWhole = false;
  }

  #enter(nowMs: number, phase: JobPhase): void {
    if (phase === this.#phase) return;
    const lastedMs = nowMs - this.#sinceMs;
    if (this.#phase === 'evaluate' || this.#phase === 'save') {
      this.#longestMs.set(this.#phase, Math.max(lastedMs, this.#longestMs.get(this.#phase) ?? 0));
    }
    this.#phase = phase;
    this.#sinceMs = nowMs;
    this.#isGapWhole = phase === 'train';
  }

  /** It said that it has done what it had to. */
  get isDone(): boolean {
    return this.#phase === 'done';
  }

  /** When something is wrong unless more is heard. */
  get deadlineMs(): number {
    if (this.isDone) return Number.POSITIVE_INFINITY;
    return Math.min(this.#sinceMs + this.#allowedMs(), this.#silentAtMs());
  }

  /** When a pod was heard last; 0: never. */
  get heardAtMs(): number {
    let latestMs = 0;
    for (const { heardAtMs } of this.#reporters.values()) latestMs = Math.max(latestMs, heardAtMs);
    return latestMs;
  }

  /**
   * When trouble is acted on, if it lasts. Where it is certain (`isSilent`), a minute after the deadline. A job whose
   * heart beats may be in a pause of which it says nothing: after a quarter of an hour without a step at the earliest,
   * and twice the longest pause that it has come back from by itself.
   */
  actsAtMs(isSilent: boolean): number {
    const atMs = this.deadlineMs + PATIENCE_MS;
    if (isSilent) return atMs;
    return Math.max(atMs, this.#sinceMs + STALL_PATIENCE_MS, this.#sinceMs + PHASE_TIMES * this.#pauses.longestMs);
  }

  #allowedMs(): number {
    const { intervalMs } = this.#steps;
    const ofStepsMs = intervalMs === null ? UNKNOWN_MS : STALL_INTERVALS * intervalMs;
    if (this.#phase === 'start') return UNKNOWN_MS;
    if (this.#phase !== 'train') {
      const longestMs = this.#longestMs.get(this.#phase);
      return longestMs === undefined ? UNKNOWN_MS : Math.max(PHASE_TIMES * longestMs, ofStepsMs);
    }
    const isPauseDue = this.#pauses.isDue(this.#step, this.#stepsAtOnce);
    return isPauseDue ? Math.max(ofStepsMs, PHASE_TIMES * this.#pauses.longestMs) : ofStepsMs;
  }

  /** When the last heart has been silent for three beats; Infinity while one beats at no known cadence, or none does. */
  #silentAtMs(): number {
    let latestMs = this.#reporters.size === 0 ? Number.POSITIVE_INFINITY : 0;
    for (const { beats, heardAtMs } of this.#reporters.values()) {
      latestMs = Math.max(latestMs, heardAtMs + SILENT_BEATS * (beats.intervalMs ?? Number.POSITIVE_INFINITY));
    }
    return latestMs;
  }

  /** What is wrong; null before the deadline. */
  trouble(nowMs: number): FoundTrouble | null {
    if (nowMs < this.deadlineMs) return null;
    const pods = [...this.#reporters.values()];
    const late = pods.filter(({ beats, heardAtMs }) => {
      return beats.intervalMs !== null && nowMs - heardAtMs > LATE_BEATS * beats.intervalMs;
    });
    const about = { phase: this.#phase, step: this.#step, allowedMs: Math.round(this.#allowedMs()) };
    if (late.length > 0) return { trouble: { kind: 'silent', ...about }, suspects: machinesOf(late) };
    const least = Math.min(...pods.map(({ step }) => step));
    const behind = pods.filter(({ step }) => step === least);
    const machines = machinesOf(pods);
    const suspects = machines.length > 1 && behind.length === pods.length ? [] : machinesOf(behind);
    return { trouble: { kind: 'stalled', ...about }, suspects };
  }
}

function machinesOf(reporters: readonly Reporter[]): string[] {
  return [...new Set(reporters.map(({ machine }) => machine).filter((machine) => machine !== ''))];
}
