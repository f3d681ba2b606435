import { describe, expect, test } from 'vitest';
import { compareNumber, mulberry32, type Random } from '../base/index.ts';
import type { JobPhase, ProgressReport } from '../model/index.ts';
import { FIRST_RECORD, ProgressTracker } from './index.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const JOBS = 240;
/** Every job trains for a day, and hangs then. */
const DAY_MS = 24 * HOUR;

type Evaluation = 'none' | 'told' | 'untold';

/** How one simulated job behaves. */
interface Habit {
  readonly stepMs: number;
  /** Spread of a step's duration: the deviation of its logarithm. */
  readonly jitter: number;
  readonly startMs: number;
  readonly evaluation: Evaluation;
  readonly evaluateEverySteps: number;
  readonly evaluateMs: number;
  readonly isHeartDead: boolean;
}

interface Sent {
  readonly atMs: number;
  readonly step: number;
  readonly phase: JobPhase;
}

/** The helper sends a step ten seconds after the one before at the earliest, and something every ten anyhow. */
const SEND_EVERY_MS = 10 * SECOND;
/** Of what is sent, one in fifty is sent again, five seconds later. */
const LOST = 0.02;
const RESEND_MS = 5 * SECOND;

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.unit())) * Math.cos(2 * Math.PI * random.unit());
}

function between(random: Random, least: number, most: number): number {
  return least * (most / least) ** random.unit();
}

function habitOf(random: Random): Habit {
  const stepMs = between(random, 200, 120 * SECOND);
  return {
    stepMs,
    jitter: [0.05, 0.15, 0.3][random.below(3)] as number,
    startMs: between(random, MINUTE, 20 * MINUTE),
    evaluation: (['none', 'told', 'untold'] as const)[random.below(3)] as Evaluation,
    evaluateEverySteps: Math.ceil(between(random, 30 * MINUTE, 2 * HOUR) / stepMs),
    evaluateMs: between(random, 2 * MINUTE, 10 * MINUTE),
    isHeartDead: random.below(2) === 0,
  };
}

/** Makes a job's heartbeats one after the other, as the helper would send them. */
class Job {
  readonly sent: Sent[] = [];
  readonly #habit: Habit;
  readonly #random: Random;
  #nowMs = 0;
  #sentAtMs = 0;
  #stepSentAtMs = 0;
  #step = 0;
  #stepSent = 0;

  constructor(habit: Habit, random: Random) {
    this.#habit = habit;
    this.#random = random;
  }

  #send(phase: JobPhase): void {
    const delayMs = this.#random.unit() < LOST ? RESEND_MS : 0;
    this.sent.push({ atMs: Math.round(this.#nowMs + delayMs), step: this.#step, phase });
    this.#sentAtMs = this.#nowMs;
    if (this.#step > this.#stepSent) [this.#stepSent, this.#stepSentAtMs] = [this.#step, this.#nowMs];
  }

  /** Time passes in which its heart beats. */
  #pass(ms: number, phase: JobPhase): void {
    const untilMs = this.#nowMs + ms;
    while (this.#sentAtMs + SEND_EVERY_MS < untilMs) {
      this.#nowMs = this.#sentAtMs + SEND_EVERY_MS;
      this.#send(phase);
    }
    this.#nowMs = untilMs;
  }

  #evaluate(): void {
    const { evaluation, evaluateMs } = this.#habit;
    const isTold = evaluation === 'told';
    if (isTold) this.#send('evaluate');
    this.#pass(evaluateMs * (0.9 + 0.2 * this.#random.unit()), isTold ? 'evaluate' : 'train');
    if (isTold) this.#send('train');
  }

  /** Its last step, after which it hangs. */
  run(): number {
    const { stepMs, jitter, startMs, evaluation, evaluateEverySteps, isHeartDead } = this.#habit;
    this.#send('start');
    this.#pass(startMs, 'start');
    while (this.#nowMs < DAY_MS) {
      this.#pass(stepMs * Math.exp(jitter * normal(this.#random)), 'train');
      this.#step += 1;
      if (this.#nowMs >= this.#stepSentAtMs + SEND_EVERY_MS) this.#send('train');
      if (evaluation !== 'none' && this.#step % evaluateEverySteps === 0) this.#evaluate();
    }
    this.#send('train');
    const lastMs = this.#nowMs;
    if (!isHeartDead) this.#pass(6 * HOUR, 'train');
    this.sent.sort((left, right) => compareNumber(left.atMs, right.atMs));
    return lastMs;
  }
}

interface Outcome {
  /** Told while it was well. */
  readonly falseAlarms: number;
  readonly falseRestarts: number;
  /** From its last step to the word that it stands still, and from there to the restart. */
  readonly foundMs: number;
  readonly actedMs: number;
  /** The mean time from one report with a step to the next, and the time in which nine of ten come. */
  readonly meanMs: number;
  readonly usualMs: number;
  readonly kind: string;
}

const POD = { uid: 'u', machine: 'm', incarnation: 1 };

function reportOf({ step, phase }: Sent): ProgressReport {
  return { incarnation: 1, step, loss: null, phase, checkpoint: null };
}

function gapsOf(sent: readonly Sent[], lastMs: number): number[] {
  const gaps: number[] = [];
  let [step, sinceMs] = [-1, 0];
  for (const { atMs, step: now, phase } of sent) {
    if (now > step && atMs <= lastMs) {
      if (phase === 'train' && step > 0) gaps.push(atMs - sinceMs);
      [step, sinceMs] = [now, atMs];
    }
  }
  return gaps.toSorted(compareNumber);
}

function outcomeOf(habit: Habit, random: Random): Outcome {
  const job = new Job(habit, random);
  const lastMs = Math.round(job.run());
  const tracker = new ProgressTracker();
  tracker.follow(0, 'j', FIRST_RECORD);
  let [falseAlarms, falseRestarts, foundMs, actedMs, kind] = [0, 0, Number.NaN, Number.NaN, ''];
  const hear = (untilMs: number): void => {
    while (tracker.wakeAtMs <= untilMs && Number.isNaN(actedMs)) {
      const atMs = tracker.wakeAtMs;
      for (const news of tracker.due(atMs)) {
        const isWell = atMs < lastMs;
        if (news.kind === 'troubled' && isWell) falseAlarms += 1;
        if (news.kind === 'decided' && isWell) falseRestarts += 1;
        if (news.kind === 'troubled' && !isWell) [foundMs, kind] = [atMs - lastMs, news.trouble.kind];
        if (news.kind === 'decided' && !isWell) actedMs = atMs - lastMs;
      }
    }
  };
  for (const sent of job.sent) {
    hear(sent.atMs - 1);
    if (!Number.isNaN(actedMs)) break;
    tracker.hear({ nowMs: sent.atMs, wallMs: sent.atMs }, 'j', POD, reportOf(sent));
  }
  hear(DAY_MS + 24 * HOUR);
  const gaps = gapsOf(job.sent, lastMs);
  const meanMs = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const usualMs = gaps[Math.ceil(0.9 * gaps.length) - 1] as number;
  return { falseAlarms, falseRestarts, foundMs, actedMs, meanMs, usualMs, kind };
}

describe('R1, simulated: 240 jobs that train for a day each and hang then', () => {
  const random = mulberry32(20_261_130);
  const all = Array.from({ length: JOBS }, () => {
    const habit = habitOf(random);
    return { habit, outcome: outcomeOf(habit, random) };
  });
  const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  /** Those whose pauses are told, or that make none. */
  const open = all.filter(({ habit }) => habit.evaluation !== 'untold');
  const alarmsADay = (isOf: (habit: Habit) => boolean): number =>
    meanOf(all.filter(({ habit }) => isOf(habit)).map(({ outcome }) => outcome.falseAlarms));

  test('every hang is found, and every job restarted; dead hearts and stalled steps are told apart', () => {
    for (const { habit, outcome } of all) {
      expect(outcome.kind).toBe(habit.isHeartDead ? 'silent' : 'stalled');
      expect(outcome.actedMs).toBeLessThan(HOUR);
    }
  });

  test('a hang is found within two intervals of its steps, in the median and in nine of ten', () => {
    const intervals = open.map(({ outcome }) => outcome.foundMs / outcome.usualMs).toSorted(compareNumber);
    expect(intervals[Math.floor(0.5 * open.length)]).toBeCloseTo(2, 1);
    expect(intervals[Math.floor(0.9 * open.length)]).toBeLessThan(2.1);
    expect(intervals.at(-1)).toBeLessThan(3.5);
    // Of the mean interval, which jitter leaves below the usual one.
    const means = open.map(({ outcome }) => outcome.foundMs / outcome.meanMs).toSorted(compareNumber);
    expect(means[Math.floor(0.5 * open.length)]).toBeLessThan(2.1);
    expect(means[Math.floor(0.9 * open.length)]).toBeLessThan(2.6);
  });

  test('false alarms of a job are rare, and none leads to a restart', () => {
    expect(all.every(({ outcome }) => outcome.falseRestarts === 0)).toBe(true);
    expect(alarmsADay(({ evaluation, jitter }) => evaluation !== 'untold' && jitter < 0.3)).toBeLessThan(0.05);
    expect(alarmsADay(({ evaluation, jitter }) => evaluation !== 'untold' && jitter === 0.3)).toBeLessThan(1);
    // Two evaluations without a word, until it is known when the next is due.
    expect(alarmsADay(({ evaluation, jitter }) => evaluation === 'untold' && jitter < 0.3)).toBeLessThan(3);
  });
});
