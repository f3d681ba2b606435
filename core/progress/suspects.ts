import { compareNumber, compareText } from '../base/index.ts';

/** Machines that are remembered; when full, the one that expires first goes. */
const MACHINES_MAX = 4096;
/** For the first trouble on a machine; twice as long for each further one while it lasts. */
const SUSPECT_MS = 3_600_000;
const SUSPECT_MS_MAX = 24 * 3_600_000;
/** Different jobs in trouble on a machine after which all jobs keep off. */
const JOBS_MIN = 2;
/** Machines that one job is told to keep off. */
const AVOIDED_MAX = 16;
/** Jobs that are remembered for a machine. */
const JOBS_MAX = 8;

interface Suspect {
  readonly jobs: Set<string>;
  strikes: number;
  untilMs: number;
}

/**
 * Machines on which jobs got into trouble. A job keeps off the machine that failed it for an hour, longer if it fails
 * again, a day at most; when two jobs had trouble there, all jobs keep off. Memory only: a restart of the process
 * forgets suspicions, which costs a retry at worst.
 */
export class Suspects {
  readonly #machines = new Map<string, Suspect>();

  /** O(1), but O(machines) when full. */
  suspect(machine: string, job: string, nowMs: number): void {
    const known = this.#machines.get(machine);
    const suspect =
      known !== undefined && known.untilMs > nowMs ? known : { jobs: new Set<string>(), strikes: 0, untilMs: 0 };
    if (suspect.jobs.size < JOBS_MAX) suspect.jobs.add(job);
    suspect.strikes += 1;
    suspect.untilMs = nowMs + Math.min(SUSPECT_MS * 2 ** (suspect.strikes - 1), SUSPECT_MS_MAX);
    this.#machines.delete(machine);
    this.#machines.set(machine, suspect);
    if (this.#machines.size > MACHINES_MAX) this.#machines.delete(this.#nextToExpire());
  }

  /** What a job is to keep off now, those first that stay suspect longest. O(machines log machines). */
  avoidedBy(job: string, nowMs: number): string[] {
    const found = [...this.#machines].filter(([, { untilMs, jobs }]) => {
      return untilMs > nowMs && (jobs.has(job) || jobs.size >= JOBS_MIN);
    });
    found.sort(([left, one], [right, other]) => compareNumber(other.untilMs, one.untilMs) || compareText(left, right));
    return found.slice(0, AVOIDED_MAX).map(([machine]) => machine);
  }

  #nextToExpire(): string {
    let [first, earliestMs] = ['', Number.POSITIVE_INFINITY];
    for (const [machine, { untilMs }] of this.#machines) {
      if (untilMs < earliestMs) [first, earliestMs] = [machine, untilMs];
    }
    return first;
  }
}
