import type { IdleHolder, JobReport, JobStanding, QueueOverview } from '../model/index.ts';
import { type Entry, inLine } from './entry.ts';
import type { AdmissionCommand, AdmissionEvent, AdmissionResult } from './events.ts';
import { Hearing } from './hearing.ts';
import { Jobs } from './jobs.ts';
import { ADMISSION_DEFAULTS, type AdmissionOptions } from './options.ts';
import { idleHoldersOf, overviewOf } from './overview.ts';
import { Promises } from './promises.ts';
import { Starting } from './starting.ts';
import { redeemReserved, tendLowered, tendTimers } from './timers.ts';
import { toldKey, waitOf } from './waits.ts';
import { Waking } from './waking.ts';

/**
 * Admission to the cards, pure: events in, commands out, the same for the same input. It holds no clock and does no
 * I/O. What it decides, quota and place, is in one book in one transaction; a job is given all that it needs or nothing.
 */
export class Admission {
  readonly #jobs: Jobs;
  readonly #promises: Promises;
  readonly #starting: Starting;
  readonly #hearing: Hearing;
  readonly #waking: Waking;
  /** Those that were tried in this step and did not start. */
  #refused: Entry[] = [];

  constructor(options: AdmissionOptions = ADMISSION_DEFAULTS) {
    this.#jobs = new Jobs(options, (head) => this.#starting.standingOf(head));
    this.#promises = new Promises(this.#jobs);
    this.#starting = new Starting(this.#jobs, this.#promises);
    this.#waking = new Waking(this.#jobs, this.#promises, this.#starting);
    this.#hearing = new Hearing(this.#jobs, this.#promises, this.#starting);
  }

  /** Card-milliseconds held by jobs of a queue whose pods were not all ready yet (Q1). */
  unreadyCardMs(queue: string): number {
    return this.#jobs.unreadyCardMs.get(queue) ?? 0;
  }

  /**
   * One pass. What was refused, and cannot have gained since, costs nothing; at most `work` jobs are tried.
   *
   * 1. What happened is taken in.
   * 2. What is due by time: pods not ready in time, a grace that is over, a rest that is over, deadlines nearer.
   * 3. Jobs whose place is kept start once those who had to leave it are gone; else the rest of the plan is dropped.
   * 4. Where quota was lowered below use, what is too much is evicted in order.
   * 5. What was refused and may have gained is to be tried again.
   * 6. Heads in order: online work first, then by priority (raised towards a deadline), who need not borrow, who has
   *    borrowed least, by time of submission, by id.
   *    For each, its flavors in order; for each, quota and then place, in one transaction.
   *    It starts unless it would move the promised start of a job before it later; else with fewer pods if it is
   *    elastic; else others are evicted for it; else it is promised a start and rests with those that ask the same.
   * 7. Those that were refused for another reason than was told last are told.
   */
  step(nowMs: number, events: readonly AdmissionEvent[], work: number): AdmissionResult {
    const jobs = this.#jobs;
    jobs.nowMs = nowMs;
    jobs.commands = [];
    this.#refused = [];
    jobs.fleet.quota.ledger.advance(nowMs);
    for (const event of events) this.#hearing.hear(event);
    tendTimers(jobs);
    redeemReserved(jobs);
    const loweredMs = tendLowered(jobs);
    this.#waking.wake();
    const tried = this.#tryHeads(work);
    const more = jobs.lines.head !== null || jobs.freedRoots.size > 0 || this.#waking.isOpen || jobs.fleet.hasGained;
    const wakeAtMs = more ? nowMs : Math.min(this.#wakeAtMs(), loweredMs);
    const commands: AdmissionCommand[] = jobs.commands;
    return { commands, reports: this.#reports(), tried, more, wakeAtMs: wakeAtMs === Infinity ? null : wakeAtMs };
  }

  /** Where a job stands and why it waits, as of the last step; null: it is not known, or does not wait. O(jobs of its queue). */
  standing(id: string): JobStanding | null {
    const entry = this.#jobs.all.get(id);
    if (entry === undefined || (entry.record.state !== 'queued' && entry.record.state !== 'reserved')) return null;
    const { queue } = entry.job.workload;
    let position = 1;
    let waiting = 0;
    for (const other of this.#jobs.all.values()) {
      if (other.record.state !== 'queued' || other.job.workload.queue !== queue) continue;
      waiting += 1;
      if (inLine(other, entry) < 0) position += 1;
    }
    return { ...this.#reportOf(entry), position, waiting };
  }

  /** Every queue as of the last step, with the first `waitingMax` of those that wait. O(jobs log jobs + slots x queues). */
  overview(waitingMax: number): QueueOverview[] {
    return overviewOf(this.#jobs, (entry) => this.#reportOf(entry), waitingMax);
  }

  /** Jobs that hold cards while their pods are not all ready, the longest first. O(jobs). */
  idleHolders(): IdleHolder[] {
    return idleHoldersOf(this.#jobs);
  }

  #tryHeads(work: number): number {
    const { lines } = this.#jobs;
    let tried = 0;
    for (let head = lines.head; head !== null && tried < work; head = lines.head) {
      const root = head.line?.root ?? -1;
      if (head.lane !== null && this.#waking.isHopeless(head.lane)) this.#starting.pass(head, head.lane);
      else {
        tried += 1;
        this.#starting.try(head);
      }
      if (head.record.state === 'queued') this.#refused.push(head);
      this.#waking.goOn(root);
    }
    return tried;
  }

  #reports(): JobReport[] {
    const reports: JobReport[] = [];
    for (const entry of this.#refused) {
      if (entry.refused === null || entry.record.state !== 'queued') continue;
      const told = toldKey(entry.refused);
      if (told === entry.told) continue;
      entry.told = told;
      reports.push(this.#reportOf(entry));
    }
    return reports;
  }

  #reportOf(entry: Entry): JobReport {
    const { id, job } = entry;
    const wait = waitOf(this.#jobs, entry);
    return { job: id, queue: job.workload.queue, wait, promisedStartMs: this.#promises.of(entry) };
  }

  #wakeAtMs(): number {
    return Math.min(this.#jobs.timers.first?.dueMs ?? Infinity, this.#waking.restEndsAtMs);
  }
}
