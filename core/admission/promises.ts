import { compareText } from '../base/index.ts';
import { attempt, type Started } from './attempt.ts';
import { endsAtMs, type Entry, isHolding } from './entry.ts';
import type { Jobs } from './jobs.ts';
import { isBefore } from './lines.ts';
import type { StartOption } from './start-options.ts';

/** Jobs that are looked after at once, at most. */
const PROMISES_MAX = 256;
/** A promise is not worked out anew more often. */
const FRESH_MS = 1000;

/** When a blocked job is to start, if jobs end as expected and none that starts meanwhile is in its way. */
export interface Promised {
  readonly key: string;
  readonly holder: Entry;
  readonly options: readonly StartOption[];
  /** Infinity: not even when all have ended. */
  readonly startsAtMs: number;
  readonly madeAtMs: number;
  /** Jobs that have ended by then. */
  readonly released: Set<Entry>;
  /** Where it then is. */
  machines: ReadonlySet<number>;
  slots: ReadonlySet<number>;
}

interface Blocked {
  readonly entry: Entry;
  readonly options: readonly StartOption[];
}

/**
 * Backfill (Q4) after EASY (Lifka 1995; Mu'alem and Feitelson 2001), on the real quota and placement: the first blocked
 * job of each flavor is promised a start, and a job behind it starts only if it ends before that, or leaves it its
 * place then. With exact run times no such job moves a promised start later. Conservative: every blocked job is
 * promised one, up to a bound, each as if the others were not there.
 */
export class Promises {
  readonly #jobs: Jobs;
  readonly #promised = new Map<string, Promised>();
  /** Counts up whenever a promise no longer stands. */
  version = 0;

  constructor(jobs: Jobs) {
    this.#jobs = jobs;
  }

  /** When a job is promised to start; null: it is not. O(promises). */
  of(entry: Entry): number | null {
    for (const { holder, startsAtMs } of this.#promised.values()) {
      if (holder === entry && startsAtMs !== Infinity) return startsAtMs;
    }
    return null;
  }

  /** A job is blocked: it, or whoever is blocked before it, is promised a start if nobody of its flavor is. */
  block(entry: Entry, options: readonly StartOption[]): void {
    const { backfill } = this.#jobs.options;
    if (backfill === 'none' || options.length === 0) return;
    const key = this.#keyOf(entry, options);
    const known = this.#promised.get(key);
    if (known !== undefined && known.holder !== entry && isBefore(known.holder, entry)) return;
    if (known?.holder === entry && this.#isFresh(known)) return;
    if (known === undefined && this.#promised.size >= PROMISES_MAX) return;
    const first = known?.holder === entry ? { entry, options } : this.#firstBlocked(key, { entry, options });
    this.#promised.set(key, this.#promise(key, first));
    this.version += 1;
  }

  /** The first in order of those that are blocked and would be promised in the same place. O(lanes). */
  #firstBlocked(key: string, blocked: Blocked): Blocked {
    const { lines, options } = this.#jobs;
    let best = blocked;
    const lanes = options.placesPods ? lines.lanes() : lines.lanesUnder(blocked.entry.line?.root ?? -1);
    for (const lane of lanes) {
      const entry = lane.entries.first;
      if (entry === undefined || lane.why === 'delays' || lines.isAwake(lane)) continue;
      if (this.#keyOf(entry, lane.options) === key && isBefore(entry, best.entry))
        best = { entry, options: lane.options };
    }
    return best;
  }

  /** It waits no longer. */
  forget(entry: Entry): void {
    for (const [key, { holder }] of this.#promised) {
      if (holder !== entry) continue;
      this.#promised.delete(key);
      this.version += 1;
    }
  }

  /** Whether a promise still stands as it was made. */
  stands(promised: Promised): boolean {
    return this.#promised.get(promised.key) === promised;
  }

  clear(): void {
    this.#promised.clear();
    this.version += 1;
  }

  /** The job whose promised start would be moved later by one that has just started in the book; null: nobody's. */
  delayedBy(entry: Entry, started: Started): Promised | null {
    if (this.#promised.size === 0) return null;
    const untilMs = this.#jobs.nowMs + this.#runMs(entry);
    for (const promised of this.#promised.values()) {
      const { holder, startsAtMs } = promised;
      if (holder === entry || startsAtMs === Infinity || !this.#helps(entry, holder)) continue;
      if (!isBefore(holder, entry)) continue;
      if (untilMs <= startsAtMs || !this.#meets(promised, started)) continue;
      if (!this.#isKept(promised)) return promised;
    }
    return null;
  }

  /** A job has started that nobody is delayed by. */
  start(entry: Entry): void {
    const untilMs = this.#jobs.nowMs + this.#runMs(entry);
    for (const { holder, startsAtMs, released } of this.#promised.values()) {
      // It may have been among them with its former run.
      released.delete(entry);
      if (untilMs <= startsAtMs && this.#helps(entry, holder)) released.add(entry);
    }
  }

  #runMs({ job }: Entry): number {
    return job.expectedRunMs ?? this.#jobs.options.unknownRunMs;
  }

  /** Cards are everybody's; quota is that of the queues that have it together. */
  #keyOf(entry: Entry, options: readonly StartOption[]): string {
    if (this.#jobs.options.backfill === 'conservative') return entry.id;
    const flavor = options[0]?.sets[0]?.flavor ?? '';
    return this.#jobs.options.placesPods ? flavor : `${entry.line?.root} ${flavor}`;
  }

  #isFresh({ madeAtMs }: Promised): boolean {
    return madeAtMs + FRESH_MS > this.#jobs.nowMs;
  }

  /** Whether a start and a promise have a machine or a quota in common. */
  #meets({ machines, slots }: Promised, { option, holdings }: Started): boolean {
    return (
      holdings.some(({ machine }) => machines.has(machine)) || [...this.#pathOf(option)].some((slot) => slots.has(slot))
    );
  }

  #pathOf({ demand }: StartOption): Set<number> {
    const { parentOf } = this.#jobs.fleet.quota.tree;
    const path = new Set<number>();
    for (const first of demand.slots) for (let slot = first; slot >= 0; slot = parentOf[slot] as number) path.add(slot);
    return path;
  }

  /**
   * Whether the holder finds a place at its promised time, with all that has started and does not end before. It may be
   * another than before, which is then what others must leave it.
   */
  #isKept(promised: Promised): boolean {
    const { holder, options, released } = promised;
    const started = this.#startsWithout(holder, options, [...released].filter(isHolding));
    if (started === null) return false;
    promised.machines = new Set(started.holdings.map(({ machine }) => machine));
    promised.slots = this.#pathOf(started.option);
    return true;
  }

  /** The fewest jobs in order of their ends that must have ended: doubled until enough, then halved in between. */
  #promise(key: string, { entry: holder, options }: Blocked): Promised {
    const {
      nowMs,
      options: { unknownRunMs },
    } = this.#jobs;
    const ends = this.#mayHelp(holder)
      .map((entry) => ({ entry, atMs: this.#endOf(entry, unknownRunMs) }))
      .toSorted((left, right) => left.atMs - right.atMs || compareText(left.entry.id, right.entry.id));
    const without = (count: number): Started | null =>
      this.#startsWithout(
        holder,
        options,
        ends.slice(0, count).map(({ entry }) => entry),
      );
    let enough = 1;
    while (enough < ends.length && without(enough) === null) enough *= 2;
    let high = Math.min(enough, ends.length);
    let started = without(high);
    const madeAtMs = nowMs;
    const none = { key, holder, options, madeAtMs, released: new Set<Entry>(), machines: NOWHERE, slots: NOWHERE };
    if (started === null) return { ...none, startsAtMs: Infinity };
    let low = Math.floor(enough / 2);
    while (low + 1 < high) {
      const middle = Math.floor((low + high) / 2);
      const found = without(middle);
      if (found === null) low = middle;
      else [high, started] = [middle, found];
    }
    const machines = new Set(started.holdings.map(({ machine }) => machine));
    const startsAtMs = Math.max(nowMs, ends[high - 1]?.atMs ?? nowMs);
    const released = new Set(ends.filter(({ atMs }) => atMs <= startsAtMs).map(({ entry }) => entry));
    return { ...none, startsAtMs, released, machines, slots: this.#pathOf(started.option) };
  }

  /** Those that hold what it lacks: cards, whoever has them, or quota of queues that have it together. */
  #mayHelp({ line }: Entry): Entry[] {
    const { holding, lines, options } = this.#jobs;
    if (options.placesPods) return [...holding.values()].flatMap((held) => Array.from(held));
    return lines.linesUnder(line?.root ?? -1).flatMap(({ spec }) => Array.from(holding.get(spec.id) ?? []));
  }

  /** Whether what a job gives back can be of use to another. */
  #helps(entry: Entry, holder: Entry): boolean {
    return this.#jobs.options.placesPods || entry.line?.root === holder.line?.root;
  }

  #endOf(entry: Entry, unknownRunMs: number): number {
    const { state } = entry.record;
    if (state === 'suspending') return Math.max(this.#jobs.nowMs, entry.dueMs);
    return endsAtMs(entry, unknownRunMs, this.#jobs.nowMs);
  }

  /** How a job starts once some have ended; the book is as before. */
  #startsWithout(holder: Entry, options: readonly StartOption[], ended: readonly Entry[]): Started | null {
    const {
      fleet,
      options: { placesPods },
    } = this.#jobs;
    const savepoint = fleet.book.savepoint();
    for (const { id } of ended) {
      if (placesPods) for (const { pod } of fleet.holdingsOf(id)) fleet.book.release(pod.id);
      if (fleet.quota.ledger.charges.has(id)) fleet.quota.ledger.refund(id);
    }
    const candidate = this.#jobs.candidate(holder);
    let started: Started | null = null;
    for (const option of options) {
      const outcome = attempt(fleet, candidate, option, placesPods);
      if (!outcome.ok) continue;
      started = outcome.value;
      break;
    }
    fleet.book.rollBack(savepoint);
    return started;
  }
}

const NOWHERE: ReadonlySet<number> = new Set();
