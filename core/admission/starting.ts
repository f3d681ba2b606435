import { attempt, observe, type Refused, type Started } from './attempt.ts';
import { sharesOf } from '../quota/index.ts';
import type { Entry } from './entry.ts';
import { type EvictionPlan, type NoPlan, planEvictions } from './evictions.ts';
import type { Jobs } from './jobs.ts';
import { type Lane, type Line, newHeap } from './lines.ts';
import type { Promised, Promises } from './promises.ts';
import type { Shape } from './shapes.ts';
import { startOptions, type StartOption } from './start-options.ts';

/** Victims are looked for again at the earliest after this. */
const LOOK_REST_MS = 1000;

/** What became of a job's turn. */
type Turn = { readonly ok: true; readonly value: Started } | { readonly ok: false; readonly error: Refused };

/** One job's turn: its ways to start in order, then with fewer pods, then with others evicted; else it rests. */
export class Starting {
  readonly #jobs: Jobs;
  readonly #promises: Promises;
  readonly #options = new WeakMap<Line, WeakMap<Shape, readonly StartOption[]>>();

  constructor(jobs: Jobs, promises: Promises) {
    this.#jobs = jobs;
    this.#promises = promises;
  }

  /** Ways to start with all pods, best first; as long as the quota tree stands. */
  optionsOf({ line, shape }: Entry): readonly StartOption[] {
    if (line === null) return [];
    const known = this.#options.get(line) ?? new WeakMap<Shape, readonly StartOption[]>();
    this.#options.set(line, known);
    const options =
      known.get(shape) ??
      this.optionsWith(
        line,
        shape,
        shape.podSets.map(({ count }) => count),
      );
    known.set(shape, options);
    return options;
  }

  /** Ways to start with the fewest pods that do. */
  leastOptionsOf(entry: Entry): readonly StartOption[] {
    const { line, shape } = entry;
    if (line === null || shape.minCounts.size === 0) return this.optionsOf(entry);
    return this.optionsWith(line, shape, fewer(shape, slackOf(shape)));
  }

  optionsWith({ spec }: Line, shape: Shape, counts: readonly number[]): StartOption[] {
    const { quota } = this.#jobs.fleet;
    return startOptions(shape, counts, { queue: spec, flavors: this.#jobs.flavors, quota });
  }

  /** Starts a job, keeps a place for it, or puts it to rest. */
  try(entry: Entry): void {
    const jobs = this.#jobs;
    const { book } = jobs.fleet;
    this.#observe(entry);
    const savepoint = book.savepoint();
    const turn = this.#turn(entry);
    const delayed = turn.ok ? this.#promises.delayedBy(entry, turn.value) : null;
    if (turn.ok && delayed === null) {
      book.keep(savepoint);
      this.#promises.forget(entry);
      jobs.admit(entry, turn.value);
      return this.#promises.start(entry);
    }
    book.rollBack(savepoint);
    if (delayed !== null) {
      entry.refused = { kind: 'delays', job: delayed.holder.id, startMs: delayed.startsAtMs };
      return this.#rest(entry, null, delayed);
    }
    if (!turn.ok) this.#block(entry, turn.error);
  }

  /** It is refused for its quota, as the one before it in its lane was. */
  pass(entry: Entry, lane: Lane): void {
    const [option] = lane.options;
    if (option !== undefined) entry.refused = { kind: 'quota', option, isOwnOnly: !lane.mayBorrow };
    lane.triedAt = this.#jobs.freedCount;
    this.#promises.block(entry, lane.options);
    this.#jobs.lines.sleep(entry);
  }

  /** Whether it would have to borrow, and how much its queue and the cohorts above have: less goes first. */
  standingOf(entry: Entry): number[] {
    const { quota } = this.#jobs.fleet;
    const [first] = this.optionsOf(entry);
    const hasCohort = entry.line?.spec.cohort !== null;
    const borrows = hasCohort && first !== undefined && quota.wouldBorrow(first.demand);
    return [borrows ? 1 : 0, ...sharesOf(quota, entry.job.workload.queue)];
  }

  #observe(entry: Entry): void {
    const { fleet, options } = this.#jobs;
    const [first] = this.optionsOf(entry);
    if (entry.isObserved || first === undefined || !options.placesPods || fleet.machines.size === 0) return;
    entry.isObserved = true;
    observe(fleet.placer, this.#jobs.candidate(entry), first);
  }

  #turn(entry: Entry): Turn {
    const turn = this.#first(entry, this.optionsOf(entry));
    const { line, shape } = entry;
    if (turn.ok || line === null || shape.minCounts.size === 0) return turn;
    return this.#elastic(entry, line, shape) ?? turn;
  }

  #first(entry: Entry, options: readonly StartOption[]): Turn {
    const {
      fleet,
      options: { placesPods },
    } = this.#jobs;
    const candidate = this.#jobs.candidate(entry);
    let refused: Refused = { kind: 'flavor' };
    for (const option of options) {
      const outcome = attempt(fleet, candidate, option, placesPods);
      if (outcome.ok) return outcome;
      // What has quota came nearest; else the first choice is what is told.
      if (refused.kind === 'flavor' || (refused.kind === 'quota' && outcome.error.kind === 'place'))
        refused = outcome.error;
    }
    return { ok: false, error: refused };
  }

  /** The most pods that start, found by halving; the book holds them. */
  #elastic(entry: Entry, line: Line, shape: Shape): Turn | null {
    const { book } = this.#jobs.fleet;
    const withFewer = (by: number): Turn => this.#first(entry, this.optionsWith(line, shape, fewer(shape, by)));
    let high = slackOf(shape);
    let low = 0;
    const isEnough = (by: number): boolean => {
      const savepoint = book.savepoint();
      const { ok } = withFewer(by);
      book.rollBack(savepoint);
      return ok;
    };
    if (high === 0 || !isEnough(high)) return null;
    while (low + 1 < high) {
      const middle = Math.floor((low + high) / 2);
      if (isEnough(middle)) high = middle;
      else low = middle;
    }
    return withFewer(high);
  }

  /** It cannot start as things are: others are evicted for it, or it is promised a start and rests. */
  #block(entry: Entry, refused: Refused): void {
    entry.refused = refused;
    const options = this.leastOptionsOf(entry);
    const isEarly = entry.lane !== null && entry.lane.looksAtMs > this.#jobs.nowMs;
    const looked = isEarly ? { againAtMs: 0, isInVain: false } : this.#evictFor(entry, options);
    if (looked === 'planned') return;
    this.#promises.block(entry, options);
    this.#rest(entry, looked);
  }

  #evictFor(entry: Entry, options: readonly StartOption[]): NoPlan | 'planned' {
    const jobs = this.#jobs;
    let againAtMs = Infinity;
    let isInVain = true;
    for (const option of options) {
      const plan = planEvictions(jobs, entry, option);
      if ('victims' in plan) {
        this.#keepPlaceFor(entry, plan);
        return 'planned';
      }
      againAtMs = Math.min(againAtMs, plan.againAtMs);
      isInVain &&= plan.isInVain;
    }
    return { againAtMs, isInVain };
  }

  /** The book holds its place beside those who have to leave it, so that nobody else takes what they give back. */
  #keepPlaceFor(entry: Entry, { started, victims }: EvictionPlan): void {
    const jobs = this.#jobs;
    for (const holding of started.holdings) jobs.fleet.book.hold(holding);
    jobs.fleet.quota.charge(entry.id, started.option.demand);
    this.#promises.forget(entry);
    jobs.reserve(
      entry,
      started,
      victims.map((victim) => victim.entry),
    );
    for (const victim of victims) jobs.leave(victim.entry, victim.reason, { by: entry });
  }

  #rest(entry: Entry, looked: NoPlan | null, heldBy: Promised | null = null): void {
    const jobs = this.#jobs;
    const why = entry.refused?.kind ?? 'quota';
    const lane = jobs.lines.rest(entry, this.#laneFor(entry), why);
    if (heldBy !== null && lane.entries.first === entry) jobs.lines.explain(lane, why, heldBy);
    lane.triedAt = jobs.freedCount;
    if (looked === null) return;
    // Whoever starts from now on is protected for as long.
    const againAtMs = looked.isInVain ? Math.min(looked.againAtMs, jobs.nowMs + jobs.options.quantumMs) : 0;
    if (lane.looksAtMs <= jobs.nowMs) lane.looksAtMs = Math.max(againAtMs, jobs.nowMs + LOOK_REST_MS);
    jobs.due(entry, Math.min(entry.dueMs, Math.max(againAtMs, looked.isInVain ? 0 : looked.againAtMs, lane.looksAtMs)));
  }

  #laneFor(entry: Entry): Lane {
    const { line } = entry;
    return {
      key: this.#jobs.laneKey(entry),
      line: line as Line,
      entries: newHeap(),
      options: this.leastOptionsOf(entry),
      mayBorrow: this.#jobs.mayBorrow(entry),
      why: 'quota',
      heldBy: null,
      triedAt: 0,
      looksAtMs: entry.lane?.looksAtMs ?? 0,
      needs: null,
      need: 0,
      needIn: -1,
      mayEvict: false,
      standing: [],
    };
  }
}

/** How many pods fewer than all may start. */
function slackOf({ podSets, minCounts }: Shape): number {
  return podSets.reduce((sum, { name, count }) => sum + count - (minCounts.get(name) ?? count), 0);
}

/** So many pods fewer, taken from the last pod sets first. */
function fewer({ podSets, minCounts }: Shape, by: number): number[] {
  let left = by;
  const counts = podSets.toReversed().map(({ name, count }) => {
    const taken = Math.min(left, count - (minCounts.get(name) ?? count));
    left -= taken;
    return count - taken;
  });
  return counts.toReversed();
}
