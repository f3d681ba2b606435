import type { Entry } from './entry.ts';
import { mayEvict } from './evictions.ts';
import type { Gains } from './fleet.ts';
import type { Jobs } from './jobs.ts';
import { isBefore, isLaneBefore, type Lane } from './lines.ts';
import type { Promised, Promises } from './promises.ts';
import type { Starting } from './starting.ts';
import { areMet, needsOf } from '../quota/index.ts';

/** Whatever rests is tried anew this often, should nothing else have happened to it. */
const REST_MS = 300_000;
/** Shares over time are brought up to date this often. */
const SHARES_MS = 1000;

/** A root where quota was given back. */
interface Opening {
  /** By when. */
  readonly freedAt: number;
  /** The lane that is to use it; null: not chosen yet. */
  lane: Lane | null;
}

/** The least that a lane needed of a slot and was held back by a promise. */
interface HeldBack {
  readonly promised: Promised;
  readonly slot: number;
  readonly need: number;
}

/**
 * Which of those that were refused are tried again. Where quota was given back, the first in order that could use it,
 * then the next, until there is none: so a job that ends costs a look at the lanes of its cohorts, and one more for
 * each job that starts. Room on machines, and promises that changed, wake those that they can help.
 */
export class Waking {
  readonly #jobs: Jobs;
  readonly #promises: Promises;
  readonly #starting: Starting;
  readonly #open = new Map<number, Opening>();
  /** By root: those that need as much and do not end before the promise are not tried while it stands. */
  readonly #heldBack = new Map<number, HeldBack>();
  /** `Promises.version` when those that it held back were last let go. */
  #letGoAt = 0;
  #restedAtMs = -Infinity;
  #sharedAtMs = -Infinity;

  constructor(jobs: Jobs, promises: Promises, starting: Starting) {
    this.#jobs = jobs;
    this.#promises = promises;
    this.#starting = starting;
  }

  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** When everything that rests is tried anew; Infinity: nothing rests. */
  get restEndsAtMs(): number {
    for (const _ of this.#jobs.lines.lanes()) return this.#restedAtMs + REST_MS;
    return Infinity;
  }

  /** At the beginning of a step. */
  wake(): void {
    const { nowMs, fleet, lines, freedRoots, freedCount } = this.#jobs;
    if (this.#sharedAtMs + SHARES_MS <= nowMs) {
      this.#sharedAtMs = nowMs;
      lines.refresh();
    }
    if (this.#restedAtMs + REST_MS <= nowMs) this.#wakeAll();
    const gains = fleet.takeGains();
    const hasGains = gains === 'anywhere' || gains.size > 0;
    for (const lane of hasGains ? lines.othersThanQuota : []) {
      if (lane.why === 'place' && this.#isHelped(lane, gains)) lines.wake(lane);
    }
    this.#letGo();
    for (const root of freedRoots) {
      this.#open.set(root, { freedAt: freedCount, lane: null });
      this.goOn(root);
    }
    freedRoots.clear();
  }

  /** After a job of these queues was tried: chooses who is next to use what was given back. O(lanes of the root). */
  goOn(root: number): void {
    this.#letGo();
    const open = this.#open.get(root);
    const { lines } = this.#jobs;
    if (open === undefined || (open.lane !== null && lines.isAwake(open.lane) && lines.mayGo(open.lane))) return;
    if (open.lane !== null) this.#noteHeld(root, open.lane);
    open.lane = this.#best(root, open.freedAt);
    if (open.lane === null) this.#open.delete(root);
    else lines.wake(open.lane);
  }

  /** Those that were held back for a promise that no longer stands, before others are tried that come after them. */
  #letGo(): void {
    const { version } = this.#promises;
    if (version === this.#letGoAt) return;
    this.#letGoAt = version;
    for (const lane of this.#jobs.lines.othersThanQuota) {
      if (lane.heldBy === null || this.#promises.stands(lane.heldBy)) continue;
      if (this.#hasQuota(lane, this.#available())) this.#jobs.lines.wake(lane);
      else this.#jobs.lines.explain(lane, 'quota');
    }
  }

  /** Whether the first of a lane is known to be refused for its quota, with nobody to be evicted for it now. */
  isHopeless(lane: Lane): boolean {
    return lane.why === 'quota' && !this.#hasQuota(lane, this.#available()) && !this.#looks(lane);
  }

  #noteHeld(root: number, { heldBy: promised, needIn: slot, need }: Lane): void {
    if (promised === null || slot < 0 || need <= 0) return;
    const known = this.#heldBack.get(root);
    const isLess = known?.promised !== promised || known.slot !== slot || need < known.need;
    if (isLess) this.#heldBack.set(root, { promised, slot, need });
  }

  /** It needs no less than what was held back by a promise that stands, and does not end before that either. */
  #isHeldToo({ need, needIn, entries: { first } }: Lane, { promised, slot, need: least }: HeldBack): boolean {
    if (needIn !== slot || need < least) return false;
    const { nowMs, options } = this.#jobs;
    return nowMs + (first?.job.expectedRunMs ?? options.unknownRunMs) > promised.startsAtMs;
  }

  #best(root: number, freedAt: number): Lane | null {
    const available = this.#available();
    const known = this.#heldBack.get(root);
    const held = known !== undefined && this.#promises.stands(known.promised) ? known : null;
    let best: Lane | null = null;
    for (const lane of this.#jobs.lines.lanesUnder(root)) {
      // In the order of what a look costs: most lanes are passed over at the first two.
      if (lane.triedAt >= freedAt) continue;
      if (!this.#hasQuota(lane, available) && !this.#looks(lane)) continue;
      // What is held back for another starts with that one's promise, whatever is given back.
      if (lane.heldBy !== null && this.#promises.stands(lane.heldBy)) continue;
      if (held !== null && this.#isHeldToo(lane, held) && isBefore(held.promised.holder, lane.entries.first as Entry))
        continue;
      if (!this.#jobs.lines.mayGo(lane) || this.#jobs.lines.isAwake(lane)) continue;
      if (best === null || isLaneBefore(lane, best)) best = lane;
    }
    return best;
  }

  /** What is available in a slot, found out once for lanes one after the other that ask for the same. */
  #available(): (slot: number) => number {
    const { quota } = this.#jobs.fleet;
    let known = -1;
    let amount = 0;
    return (slot) => {
      if (slot !== known) [known, amount] = [slot, quota.available(slot)];
      return amount;
    };
  }

  #hasQuota(lane: Lane, available: (slot: number) => number): boolean {
    if (lane.needs === null) this.#findNeeds(lane);
    if (lane.needIn >= 0 && available(lane.needIn) < lane.need) return false;
    for (const needs of lane.needs ?? []) if (areMet(needs, available)) return true;
    return false;
  }

  #findNeeds(lane: Lane): void {
    const { quota } = this.#jobs.fleet;
    const { options, mayBorrow, entries } = lane;
    const needs = options.flatMap(({ demand }) => needsOf(quota, demand, mayBorrow) ?? []);
    lane.needs = needs;
    lane.mayEvict = options.some((option) => mayEvict(this.#jobs, entries.first as Entry, option));
    lane.standing = this.#starting.standingOf(entries.first as Entry);
    const [only] = needs;
    const isOne = only !== undefined && needs.length === 1 && only.parents.length > 0;
    lane.needIn = isOne ? (only.parents[0] as number) : -1;
    lane.need = isOne ? (only.amounts[0] as number) : 0;
  }

  /** What was given back may be enough together with what others would have to, now or when it may look again. */
  #looks(lane: Lane): boolean {
    if (!lane.mayEvict) return false;
    if (lane.looksAtMs <= this.#jobs.nowMs) return true;
    const first = lane.entries.first as Entry;
    if (first.dueMs > lane.looksAtMs) this.#jobs.due(first, lane.looksAtMs);
    return false;
  }

  #wakeAll(): void {
    this.#restedAtMs = this.#jobs.nowMs;
    for (const lane of this.#jobs.lines.lanes()) {
      lane.looksAtMs = 0;
      this.#jobs.lines.wake(lane);
    }
  }

  /** Whether room on one of these machines can be of use. */
  #isHelped({ entries, options }: Lane, gains: Gains): boolean {
    if (gains === 'anywhere') return true;
    const { book } = this.#jobs.fleet;
    const tenant = entries.first?.job.workload.tenant ?? '';
    return options.some(({ sets }) =>
      sets.some(({ set }) => {
        const { staticRefusal } = book.classOf(set.request, tenant);
        for (const machine of gains) if (staticRefusal[machine] === 0) return true;
        return false;
      }),
    );
  }
}
