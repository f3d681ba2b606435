import { compareText, Heap } from '../base/index.ts';
import type { QueueSpec } from '../model/index.ts';
import type { QuotaNeeds } from '../quota/index.ts';
import { type Entry, inLine } from './entry.ts';
import type { Refused } from './attempt.ts';
import type { Promised } from './promises.ts';
import type { StartOption } from './start-options.ts';

/** Jobs of one queue that are refused when its first is: they ask for the same at the same priority. */
export interface Lane {
  readonly key: string;
  readonly line: Line;
  readonly entries: Heap<Entry>;
  readonly options: readonly StartOption[];
  readonly mayBorrow: boolean;
  /** Why its first was refused, and so what can help. */
  why: Refused['kind'];
  /** The promise that its first would break, where that is why. */
  heldBy: Promised | null;
  /** When its first was tried last, by the count of times that quota was given back. */
  triedAt: number;
  /** When it may look for victims again, if something has changed. */
  looksAtMs: number;
  /** What its options need of the cohort, none: whatever is there is of no use; null: to be worked out. */
  needs: readonly QuotaNeeds[] | null;
  /** The least that any start needs of one slot of the cohort, -1: of none; for a quick look before all needs are. */
  need: number;
  needIn: number;
  /** Of its first, among those of other queues. */
  standing: readonly number[];
  /** Whether its first may evict others at all. All stand until use of the queue's quota changes. */
  mayEvict: boolean;
}

/** A queue with what waits in it. */
export interface Line {
  spec: QueueSpec;
  /** The queues that can lend to each other have one root. */
  root: number;
  /** What is to be tried, in order. */
  readonly active: Heap<Entry>;
  readonly lanes: Map<string, Lane>;
  /** The head of a strict queue that was refused: nothing behind it is tried. */
  blocked: Entry | null;
  /** Of its first. */
  standing: readonly number[];
  /** Its first, while it is among those to be tried: what the order of queues goes by. */
  first: Entry | null;
}

const NO_LANES: ReadonlySet<Lane> = new Set();

export function newHeap(): Heap<Entry> {
  return new Heap(inLine);
}

/** What says, of a head, where its queue stands among queues: 0 if it need not borrow, then its shares. Less goes first. */
export type StandingOf = (head: Entry) => readonly number[];

/**
 * The queues, each with its jobs in order, and the order among their heads: evicted in vain first, then online work
 * (Q8), then by priority, who need not borrow, who has borrowed least, by time of submission, by id. Nothing here is
 * looked through: each operation is O(log jobs + log queues).
 *
 *     add --> active --take--> started: removed
 *               ^       |
 *               |       +--rest--> lane --wake (its first); the next when that one has started--> active
 */
export class Lines {
  readonly #lines = new Map<string, Line>();
  readonly #ready = new Heap<Line>(byHead);
  /** All lanes, by the root of their queues. */
  readonly #lanes = new Map<number, Set<Lane>>();
  readonly #under = new Map<number, Line[]>();
  /** Those that other things than quota can help. */
  readonly #others = new Set<Lane>();
  readonly #standingOf: StandingOf;

  constructor(standingOf: StandingOf) {
    this.#standingOf = standingOf;
  }

  get(queue: string): Line | null {
    return this.#lines.get(queue) ?? null;
  }

  /** All lanes. */
  *lanes(): Iterable<Lane> {
    for (const lanes of this.#lanes.values()) yield* lanes;
  }

  /** Lanes whose first was refused for another reason than quota. */
  get othersThanQuota(): ReadonlySet<Lane> {
    return this.#others;
  }

  /** Queues that can lend to each other. */
  linesUnder(root: number): readonly Line[] {
    return this.#under.get(root) ?? [];
  }

  /** Lanes of queues that can lend to each other. */
  lanesUnder(root: number): ReadonlySet<Lane> {
    return this.#lanes.get(root) ?? NO_LANES;
  }

  /** Takes a queue in that has no jobs. */
  set(spec: QueueSpec, root: number): Line {
    const empty = { active: newHeap(), lanes: new Map<string, Lane>() };
    const line: Line = { spec, root, ...empty, blocked: null, standing: [], first: null };
    this.#lines.set(spec.id, line);
    const beside = this.#under.get(root);
    if (beside === undefined) this.#under.set(root, [line]);
    else beside.push(line);
    return line;
  }

  /** Forgets all queues, with what waits in them. */
  clear(): void {
    this.#lines.clear();
    this.#under.clear();
    this.#lanes.clear();
    this.#others.clear();
    while (this.#ready.take() !== undefined);
  }

  /** Puts a job where it waits: in the lane of its kind, whose first was refused, or among those to be tried. */
  add(entry: Entry, laneKey: string): void {
    const line = entry.line as Line;
    const lane = line.lanes.get(laneKey);
    if (lane === undefined || entry.isResumed) {
      line.active.put(entry);
      this.settle(line);
    } else {
      entry.lane = lane;
      lane.entries.put(entry);
    }
  }

  /** Takes a job out, wherever it waits. What rested with it behind it is tried next if it was the one that is tried. */
  take(entry: Entry): void {
    const { line, lane } = entry;
    if (line === null) return;
    const wasActive = line.active.delete(entry);
    const wasBlocking = line.blocked !== null && (line.blocked === entry || line.blocked.lane === lane);
    this.#leaveLane(entry);
    if (wasBlocking) this.#unblock(line);
    const next = lane?.entries.first;
    if (wasActive && next !== undefined) line.active.put(next);
    this.settle(line);
  }

  /** The queue whose head is first of all, and the head; null: nothing is to be tried. */
  get head(): Entry | null {
    return this.#ready.first?.first ?? null;
  }

  /** The head was refused: it rests in the lane of the key of `made`, and a strict queue with it. */
  rest(entry: Entry, made: Lane, why: Refused['kind']): Lane {
    const { line, key } = made;
    const lane = line.lanes.get(key) ?? made;
    line.lanes.set(key, lane);
    this.#laneSet(line.root).add(lane);
    line.active.delete(entry);
    if (entry.lane !== lane) {
      this.#leaveLane(entry);
      entry.lane = lane;
      lane.entries.put(entry);
    }
    // A lane is as its first was found.
    if (lane.entries.first === entry) this.explain(lane, why);
    if (line.spec.strategy === 'strict') line.blocked = entry;
    this.settle(line);
    return lane;
  }

  /** Whether the first of a lane would be tried, once awake: not where its queue is stopped, or strict behind another. */
  mayGo({ line: { spec, blocked }, entries: { first } }: Lane): boolean {
    if (spec.isStopped || first === undefined) return false;
    return blocked === null || (blocked.lane !== null && blocked.lane === first.lane) || inLine(first, blocked) < 0;
  }

  /** The first of a lane is tried again. */
  wake(lane: Lane): void {
    const { line, entries } = lane;
    if (entries.first === undefined) return;
    line.active.put(entries.first);
    // Should it start now, those before what comes next have their turn first.
    if (line.blocked?.lane === lane) this.#unblock(line);
    this.settle(line);
  }

  /** Why the first of a lane is refused, and by whose promise. */
  explain(lane: Lane, why: Refused['kind'], heldBy: Promised | null = null): void {
    lane.why = why;
    lane.heldBy = heldBy;
    if (why === 'quota') this.#others.delete(lane);
    else this.#others.add(lane);
  }

  /** The first of a lane that would be refused as the one before it was: it rests without being tried. */
  sleep(entry: Entry): void {
    const line = entry.line as Line;
    line.active.delete(entry);
    if (line.spec.strategy === 'strict') line.blocked = entry;
    this.settle(line);
  }

  /** Whether its first is to be tried. */
  isAwake({ line, entries }: Lane): boolean {
    return entries.first !== undefined && line.active.has(entries.first);
  }

  /** Lets a strict queue go on with whatever is its head now. */
  #unblock(line: Line): void {
    line.blocked = null;
    for (const { entries } of line.lanes.values()) if (entries.first !== undefined) line.active.put(entries.first);
  }

  /** Finds the place of a queue among all anew, after its head or its share has changed. */
  settle(line: Line): void {
    const { active, blocked } = line;
    const first = active.first ?? null;
    const isReady = !line.spec.isStopped && first !== null && (blocked === null || inLine(first, blocked) < 0);
    if (!isReady) {
      this.#ready.delete(line);
      line.first = null;
      return;
    }
    // The heap must not hold a queue whose key changes under it.
    this.#ready.delete(line);
    line.first = first;
    line.standing = this.#standingOf(first);
    this.#ready.put(line);
  }

  /** Shares change with time, and with those of cohorts: brings the order of all that is to be tried up to date. */
  refresh(): void {
    for (const line of Array.from(this.#ready)) this.settle(line);
  }

  #leaveLane(entry: Entry): void {
    const { lane } = entry;
    entry.lane = null;
    if (lane === null) return;
    lane.entries.delete(entry);
    if (lane.entries.size > 0) return;
    lane.line.lanes.delete(lane.key);
    this.#laneSet(lane.line.root).delete(lane);
    this.#others.delete(lane);
  }

  #laneSet(root: number): Set<Lane> {
    const known = this.#lanes.get(root) ?? new Set<Lane>();
    this.#lanes.set(root, known);
    return known;
  }
}

/** A total order of queues by their heads. */
function byHead(left: Line, right: Line): number {
  return compareHeads([left, left.first as Entry], [right, right.first as Entry]);
}

function compareHeads([left, one]: Head, [right, other]: Head): number {
  return (
    Number(other.isResumed) - Number(one.isResumed) ||
    Number(isOnline(other)) - Number(isOnline(one)) ||
    other.rank - one.rank ||
    byStanding(left.standing, right.standing) ||
    one.job.submittedAtMs - other.job.submittedAtMs ||
    compareText(one.id, other.id)
  );
}

type Head = readonly [{ readonly standing: readonly number[] }, Entry];

function isOnline({ line }: Entry): boolean {
  return line?.spec.workClass === 'online';
}

/** Level by level downwards; who has had less goes first. */
function byStanding(left: readonly number[], right: readonly number[]): number {
  const depth = Math.max(left.length, right.length);
  for (let level = 0; level < depth; level += 1) {
    const difference = (left[level] ?? 0) - (right[level] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether the first of one lane comes before that of another. */
export function isLaneBefore(left: Lane, right: Lane): boolean {
  const [one, other] = [left.entries.first as Entry, right.entries.first as Entry];
  return (left.line === right.line ? inLine(one, other) : compareHeads([left, one], [right, other])) < 0;
}

/** Whether one job comes before another in the order of all heads. */
export function isBefore(one: Entry, other: Entry): boolean {
  const [left, right] = [one.line, other.line];
  if (left === null || right === null || left === right) return inLine(one, other) < 0;
  return compareHeads([left, one], [right, other]) < 0;
}
