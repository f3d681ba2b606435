import type { JobLeave, QueueSpec } from '../model/index.ts';
import { claimOn, type Claim } from '../quota/index.ts';
import type { Holding, QuotaCharge } from '../state/index.ts';
import { attempt, type Candidate, type Refused, type Started } from './attempt.ts';
import { type Entry, leastImportantFirst } from './entry.ts';
import type { Jobs } from './jobs.ts';
import type { Line } from './lines.ts';
import type { StartOption } from './start-options.ts';

/** Who has to leave so that a job starts, and where it then is. */
export interface EvictionPlan {
  readonly started: Started;
  readonly victims: readonly { readonly entry: Entry; readonly reason: JobLeave }[];
}

export interface NoPlan {
  /** When the next that might be evicted is protected no longer; Infinity: none is protected. */
  readonly againAtMs: number;
  /** Nobody that holds something it could use is unprotected: looking again before is in vain. */
  readonly isInVain: boolean;
}

/** The most jobs that are tried as victims of one. */
const VICTIMS_TRIED_MAX = 512;

/** Who has been taken out of the book for a try. */
interface Removed {
  readonly entry: Entry;
  readonly reason: JobLeave;
  readonly holdings: readonly Holding[];
  readonly charge: QuotaCharge;
}

/**
 * The jobs that have to leave so that one can start in one way, fewest that are needed (I10). Method, as in Kueue and
 * KAI: take candidates out, least important first, until the job starts, quota and place; then put back whoever can
 * stay, most important first. Gangs leave whole. The book is as before afterwards.
 *
 * Where quota is short, the queue's own rules and the claims on its cohort say who may be taken; where there is quota
 * and no place, those of lower class or priority, and those who borrow what the job's queue owns.
 */
export function planEvictions(jobs: Jobs, entry: Entry, option: StartOption): EvictionPlan | NoPlan {
  const { book } = jobs.fleet;
  const whole = book.savepoint();
  const search = new Search(jobs, entry, option);
  const removed: Removed[] = [];
  let outcome = search.attempt();
  for (let batch = 1; !outcome.ok; batch *= 2) {
    const before = removed.length;
    // Where quota is short, one more may be enough, and who may be taken changes with each.
    const count = outcome.error.kind === 'quota' ? 1 : batch;
    for (let i = 0; i < count; i += 1) {
      const next = search.next(outcome.error);
      if (next !== null) removed.push(next);
    }
    if (removed.length === before) break;
    outcome = search.attempt();
  }
  if (!outcome.ok) {
    book.rollBack(whole);
    return search.none();
  }
  const victims = spare(jobs, search, removed);
  const last = search.attempt();
  book.rollBack(whole);
  return last.ok ? { started: last.value, victims } : search.none();
}

/**
 * Whether others might be evicted for a job that lacks quota, as far as the rules of its queue go: nobody is looked at
 * but the jobs of its own queue.
 */
export function mayEvict(jobs: Jobs, { job, line }: Entry, { demand }: StartOption): boolean {
  if (line === null) return false;
  const { withinQueue, reclaimWithinCohort, borrowWithinCohort } = line.spec.preemption;
  const { quota } = jobs.fleet;
  if (borrowWithinCohort !== 'none' || (reclaimWithinCohort !== 'none' && !quota.wouldBorrow(demand))) return true;
  if (withinQueue === 'none') return false;
  const { priority } = job.workload;
  const isEqualIn = withinQueue === 'lower-or-newer-equal-priority';
  for (const other of jobs.holding.get(line.spec.id) ?? []) {
    const lower = priority - other.job.workload.priority;
    if (lower > 0 || (isEqualIn && lower === 0)) return true;
  }
  return false;
}

/** Puts back whoever can stay, most important first; the others are the victims, least important first. */
function spare({ fleet }: Jobs, search: Search, removed: readonly Removed[]): Removed[] {
  const { book, quota } = fleet;
  const victims: Removed[] = [];
  for (const item of removed.toReversed()) {
    const savepoint = book.savepoint();
    for (const holding of item.holdings) book.hold(holding);
    quota.ledger.charge(item.charge);
    if (search.attempt().ok) {
      book.keep(savepoint);
      continue;
    }
    book.rollBack(savepoint);
    victims.push(item);
  }
  return victims.toReversed();
}

/** The candidates for one job and one way to start, taken out one by one. */
class Search {
  #againAtMs = Infinity;
  #isAnyOpen = false;
  #isOwnOnly = false;
  readonly #jobs: Jobs;
  readonly #entry: Entry;
  readonly #option: StartOption;
  readonly #candidate: Candidate;
  readonly #left = new Map<Refused['kind'], Entry[]>();
  #tried = 0;

  constructor(jobs: Jobs, entry: Entry, option: StartOption) {
    this.#jobs = jobs;
    this.#entry = entry;
    this.#option = option;
    this.#candidate = jobs.candidate(entry);
  }

  none(): NoPlan {
    // Of its own queue alone nothing can be told: what it may claim of others changes with what its queue uses.
    const isInVain = !this.#isAnyOpen && !this.#isOwnOnly;
    return { againAtMs: this.#againAtMs, isInVain };
  }

  /** Whether it starts now; the book is as before. */
  attempt(): ReturnType<typeof attempt> {
    const { fleet, options } = this.#jobs;
    const savepoint = fleet.book.savepoint();
    const outcome = attempt(fleet, this.#candidate, this.#option, options.placesPods);
    fleet.book.rollBack(savepoint);
    return outcome;
  }

  /** Takes the next out of the book that may help; null: there is none. */
  next({ kind }: Refused): Removed | null {
    const left = this.#candidatesFor(kind);
    if (this.#tried >= VICTIMS_TRIED_MAX) return null;
    for (let i = 0; i < left.length; i += 1) {
      const victim = left[i] as Entry;
      const isIn = this.#jobs.fleet.quota.ledger.charges.has(victim.id);
      const reason = !isIn ? null : kind === 'quota' ? this.#byQuota(victim) : this.#byPlace(victim);
      if (reason === null) continue;
      left.splice(i, 1);
      this.#tried += 1;
      return this.#remove(victim, reason);
    }
    return null;
  }

  #remove(entry: Entry, reason: JobLeave): Removed {
    const { fleet } = this.#jobs;
    const holdings = fleet.holdingsOf(entry.id);
    for (const { pod } of holdings) fleet.book.release(pod.id);
    return { entry, reason, holdings, charge: fleet.quota.ledger.refund(entry.id) };
  }

  /** Those that may leave at all, least important first: for quota, of the queues that have it together. */
  #candidatesFor(kind: Refused['kind']): Entry[] {
    const known = this.#left.get(kind);
    if (known !== undefined) return known;
    const { holding, lines, fleet } = this.#jobs;
    const own = this.#entry.line as Line;
    const isAlone = kind === 'quota' && !this.#mayClaim(own);
    if (isAlone) this.#isOwnOnly = true;
    const queues =
      kind === 'place'
        ? [...holding.keys()]
        : (isAlone ? [own] : lines.linesUnder(own.root)).map(({ spec }) => spec.id);
    const found = queues
      .flatMap((queue) => Array.from(holding.get(queue) ?? []))
      .filter((victim) => this.#mayLeave(victim));
    const left = found.filter(({ id }) => fleet.quota.ledger.charges.has(id)).toSorted(leastImportantFirst);
    this.#left.set(kind, left);
    return left;
  }

  #mayClaim({ spec: { preemption } }: Line): boolean {
    const { quota } = this.#jobs.fleet;
    if (preemption.borrowWithinCohort !== 'none') return true;
    return preemption.reclaimWithinCohort !== 'none' && !quota.wouldBorrow(this.#option.demand);
  }

  #mayLeave(victim: Entry): boolean {
    const { nowMs } = this.#jobs;
    const untilMs = this.#jobs.protectedUntilMs(victim);
    if (untilMs > nowMs) {
      this.#againAtMs = Math.min(this.#againAtMs, untilMs);
      return false;
    }
    this.#isAnyOpen = true;
    return this.#byQuota(victim) !== null || this.#byPlace(victim) !== null;
  }

  /** Why a victim may be taken for its quota; null: it may not. */
  #byQuota(victim: Entry): JobLeave | null {
    const { fleet } = this.#jobs;
    const { spec } = this.#entry.line as Line;
    if (victim.line === this.#entry.line)
      return this.#inQueue(victim, spec) && this.#shares(victim) ? 'preempted' : null;
    if (victim.line?.root !== this.#entry.line?.root || spec.cohort === null) return null;
    const charge = fleet.quota.ledger.charges.get(victim.id);
    return charge === undefined ? null : this.#byClaim(victim, claimOn(fleet.quota, this.#option.demand, charge), spec);
  }

  #byClaim(victim: Entry, claim: Claim | null, { preemption }: QueueSpec): JobLeave | null {
    const mine = this.#entry.job.workload.priority;
    const { priority } = victim.job.workload;
    if (claim === 'owned') {
      const { reclaimWithinCohort: rule } = preemption;
      return rule === 'any' || (rule === 'lower-priority' && priority < mine) ? 'reclaimed' : null;
    }
    if (claim === null || preemption.borrowWithinCohort === 'none' || priority >= mine) return null;
    return priority <= (preemption.borrowMaxPriority ?? Infinity) ? 'preempted' : null;
  }

  #inQueue({ job }: Entry, { preemption }: QueueSpec): boolean {
    const mine = this.#entry.job;
    const { priority } = job.workload;
    if (preemption.withinQueue === 'none') return false;
    if (priority < mine.workload.priority) return true;
    const isNewer = priority === mine.workload.priority && job.submittedAtMs > mine.submittedAtMs;
    return preemption.withinQueue === 'lower-or-newer-equal-priority' && isNewer;
  }

  /** Whether it holds quota of a cell that is asked for. */
  #shares(victim: Entry): boolean {
    const { ledger, tree } = this.#jobs.fleet.quota;
    const cells = new Set(Array.from(this.#option.demand.slots, (slot) => tree.cellOf[slot]));
    return ledger.charges.get(victim.id)?.slots.some((slot) => cells.has(tree.cellOf[slot])) === true;
  }

  /** Why a victim may be taken for its place; null: it may not. */
  #byPlace(victim: Entry): JobLeave | null {
    const { line } = this.#entry;
    if (line === null || victim.line === null || !this.#isWhereItHelps(victim)) return null;
    if (victim.line === line) return this.#inQueue(victim, line.spec) ? 'preempted' : null;
    const { preemption } = line.spec;
    if (preemption.reclaimWithinCohort === 'none' && preemption.borrowWithinCohort === 'none') return null;
    const { quota } = this.#jobs.fleet;
    const isBorrowing = quota.wouldBorrow(this.#option.demand);
    const borrows = this.#borrows(victim);
    // Who owns is never evicted for who borrows.
    if (isBorrowing && !borrows) return null;
    if (!isBorrowing && borrows && victim.line.root === line.root && preemption.reclaimWithinCohort === 'any')
      return this.#isOnlineFor(victim) ? null : 'reclaimed';
    if (this.#isOnlineFor(victim)) return null;
    const isHigher = line.spec.workClass === 'online' && victim.line.spec.workClass !== 'online';
    return isHigher || victim.job.workload.priority < this.#entry.job.workload.priority ? 'preempted' : null;
  }

  /** Online work is not evicted for other work (I8). */
  #isOnlineFor(victim: Entry): boolean {
    return victim.line?.spec.workClass === 'online' && this.#entry.line?.spec.workClass !== 'online';
  }

  #borrows(victim: Entry): boolean {
    const { quota } = this.#jobs.fleet;
    return quota.ledger.charges.get(victim.id)?.slots.some((slot) => quota.borrowed(slot) > 0) === true;
  }

  /** It holds something on a machine that the job may use. */
  #isWhereItHelps(victim: Entry): boolean {
    const { fleet } = this.#jobs;
    const { tenant } = this.#candidate.workload;
    const classes = this.#option.sets.map(({ set }) => fleet.book.classOf(set.request, tenant));
    return fleet.holdingsOf(victim.id).some(({ machine }) => classes.some((each) => each.staticRefusal[machine] === 0));
  }
}
