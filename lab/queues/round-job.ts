import type { JobFacts } from '@springtide/core/queue-order';
import type { Share } from './machines.ts';
import type { QueueJob } from './queue-job.ts';

/** What a job that was displaced loses when it starts again. */
const RESTART_MS = 30_000;

/** A job under a preemptive policy, as it stands at one round. */
export class RoundJob implements JobFacts {
  readonly job: QueueJob;
  readonly cards: number;
  readonly runTimeMs: number;
  attainedMs = 0;
  waitingSinceMs: number | null;
  startedAtMs: number | null = null;
  evictions = 0;
  shares: readonly Share[] | null = null;
  /** The rank of this round. */
  rank = 0;
  /** Protected at this round. */
  isProtected = false;
  #attainedBeforeMs = 0;
  #workMs: number;
  #heldCardMs = 0;

  constructor(job: QueueJob) {
    this.job = job;
    this.cards = job.cards;
    this.runTimeMs = job.runTimeMs;
    this.#workMs = job.runTimeMs;
    this.waitingSinceMs = job.submittedAtMs;
  }

  /** Infinity: it waits. */
  get endsAtMs(): number {
    return this.startedAtMs === null ? Infinity : this.startedAtMs + this.#workMs - this.#attainedBeforeMs;
  }

  tick(nowMs: number): void {
    if (this.startedAtMs !== null) this.attainedMs = this.#attainedBeforeMs + nowMs - this.startedAtMs;
  }

  start(shares: readonly Share[], nowMs: number): void {
    this.shares = shares;
    this.startedAtMs = nowMs;
    this.waitingSinceMs = null;
  }

  /** Card-time held so far, what is after `untilMs` left out. */
  heldCardMs(untilMs: number): number {
    if (this.startedAtMs === null) return this.#heldCardMs;
    return this.#heldCardMs + this.cards * Math.max(0, Math.min(this.endsAtMs, untilMs) - this.startedAtMs);
  }

  /** Takes its cards; what it has done is kept, but for the cost of starting again. */
  displace(nowMs: number, untilMs: number): void {
    this.#heldCardMs = this.heldCardMs(Math.min(nowMs, untilMs));
    this.#attainedBeforeMs = this.attainedMs;
    this.#workMs += RESTART_MS;
    this.evictions += 1;
    this.shares = null;
    this.startedAtMs = null;
    this.waitingSinceMs = nowMs;
  }
}
