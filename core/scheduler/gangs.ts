import type { SeenPod } from './events.ts';

export interface GangTimes {
  /** How long a gang may be started in part while the rest of it finds no place; then it gives its cards back. */
  readonly gangPartMs: number;
  /** How long a started gang may take until all its members are ready; then it gives its cards back. */
  readonly gangReadyMs: number;
}

/** A gang that has to give back what its members hold. */
export interface GiveBack {
  readonly gang: string;
  readonly reason: 'gang-incomplete' | 'gang-not-ready';
  readonly members: readonly SeenPod[];
}

/** What is known of pods elsewhere. */
export interface KnownPods {
  /** The members of a gang that are there, waiting or not; none that has ended. */
  readonly membersOf: (gang: string) => readonly SeenPod[];
  /** A bind was ordered that has not been seen. */
  readonly isOrdered: (seen: SeenPod) => boolean;
}

/** What is remembered of one gang. */
export interface GangMemory {
  /** It was seen before any of it had started. */
  isKnown: boolean;
  /** All that must start together has been bound at once. */
  wasWhole: boolean;
  wasReady: boolean;
  /** When it gives back, unless it is whole by then; null: it is whole, or nothing of it has started. */
  partUntilMs: number | null;
  /** The same for being ready. */
  unreadyUntilMs: number | null;
  /** Cards that members hold while not all are ready, counted up to `countedAtMs`. */
  cardsUnready: number;
  countedAtMs: number;
}

export interface GangsSnapshot {
  readonly gangs: readonly (readonly [gang: string, GangMemory])[];
  readonly cardMsUnready: number;
}

/** How the members of a gang stand. */
interface Standing {
  readonly bound: readonly SeenPod[];
  readonly waiting: readonly SeenPod[];
  /** Bound, or ordered and not seen yet. */
  readonly started: number;
  readonly wanted: number;
  readonly ready: number;
}

/**
 * Watches that gangs start whole and get ready (I3, Q1):
 *
 *     waiting --ordered--> started in part --all seen--> whole --all ready--> ready
 *        ^                       | gangPartMs              | gangReadyMs        | a member is lost and waits
 *        +------- gives back ----+-------------------------+ <------------------+
 *
 * What the pods show is nearly all it goes by, so that a replica that takes over goes on: a gang that it finds
 * started in part was never whole if what waits of it is older than what runs of it.
 */
export class Gangs {
  readonly #times: GangTimes;
  readonly #known: KnownPods;
  readonly #gangs = new Map<string, GangMemory>();
  readonly #touched = new Set<string>();
  readonly #timed = new Set<string>();
  #cardMsUnready = 0;

  constructor(times: GangTimes, known: KnownPods) {
    this.#times = times;
    this.#known = known;
  }

  /** Card-milliseconds that gangs have held until all their members were ready, or until they gave back. */
  get cardMsUnready(): number {
    return this.#cardMsUnready;
  }

  snapshot(): GangsSnapshot {
    const gangs = Array.from(this.#gangs, ([id, gang]) => [id, { ...gang }] as const);
    return { gangs, cardMsUnready: this.#cardMsUnready };
  }

  resume({ gangs, cardMsUnready }: GangsSnapshot): void {
    for (const [id, gang] of gangs) {
      this.#gangs.set(id, { ...gang });
      if (gang.partUntilMs !== null || gang.unreadyUntilMs !== null) this.#timed.add(id);
    }
    this.#cardMsUnready = cardMsUnready;
  }

  /** A member came, changed or went, or an order for one was given or taken back. */
  touch({ gang }: SeenPod): void {
    if (gang !== null) this.#touched.add(gang.id);
  }

  /** Gangs whose time is up, each again after `gangPartMs` until it holds nothing. O(members of gangs that moved). */
  due(nowMs: number): GiveBack[] {
    for (const id of this.#touched) this.#settle(id, nowMs);
    this.#touched.clear();
    const due: GiveBack[] = [];
    for (const id of this.#timed) {
      const gang = this.#gangs.get(id) as GangMemory;
      const reason = latenessOf(gang, nowMs);
      if (reason === null) continue;
      const members = this.#known.membersOf(id).filter((seen) => seen.machine !== null && !seen.isDeleting);
      if (members.length > 0) due.push({ gang: id, reason, members });
      // An eviction may be refused, for a disruption budget: it is asked for again while anything is held.
      const untilMs = nowMs + this.#times.gangPartMs;
      if (reason === 'gang-incomplete') gang.partUntilMs = untilMs;
      else gang.unreadyUntilMs = untilMs;
    }
    return due;
  }

  /** When `due` may have something next, if nothing happens. O(gangs that are not ready). */
  get wakeAtMs(): number | null {
    let wakeAtMs = Infinity;
    for (const id of this.#timed) {
      const { partUntilMs, unreadyUntilMs } = this.#gangs.get(id) as GangMemory;
      wakeAtMs = Math.min(wakeAtMs, partUntilMs ?? Infinity, unreadyUntilMs ?? Infinity);
    }
    return wakeAtMs === Infinity ? null : wakeAtMs;
  }

  #settle(id: string, nowMs: number): void {
    const { gangPartMs, gangReadyMs } = this.#times;
    const members = this.#known.membersOf(id);
    const gang = this.#gangs.get(id) ?? freshGang(nowMs);
    const standing = standingOf(members, this.#known.isOrdered);
    const { bound, started, waiting, wanted } = standing;
    this.#cardMsUnready += gang.cardsUnready * (nowMs - gang.countedAtMs);
    if (started === 0) Object.assign(gang, { isKnown: true, wasWhole: false, wasReady: false });
    gang.wasWhole ||= bound.length >= wanted;
    const isPart = started > 0 && waiting.length > 0 && started < wanted;
    const isNew = isPart && !gang.wasWhole && (gang.isKnown || isOlder(waiting, bound));
    gang.partUntilMs = isNew ? (gang.partUntilMs ?? nowMs + gangPartMs) : null;
    gang.wasReady = !isPart && (gang.wasReady || isReady(standing));
    const isUnready = bound.length > 0 && !gang.wasReady;
    gang.unreadyUntilMs = isUnready ? (gang.unreadyUntilMs ?? nowMs + gangReadyMs) : null;
    gang.cardsUnready = isUnready ? cardsOf(bound) : 0;
    gang.countedAtMs = nowMs;
    if (isNew || isUnready) this.#timed.add(id);
    else this.#timed.delete(id);
    if (members.length === 0) this.#gangs.delete(id);
    else this.#gangs.set(id, gang);
  }
}

function standingOf(members: readonly SeenPod[], isOrdered: KnownPods['isOrdered']): Standing {
  const bound: SeenPod[] = [];
  const waiting: SeenPod[] = [];
  let [started, wanted, ready] = [0, 0, 0];
  for (const seen of members) {
    wanted = Math.max(wanted, seen.gang?.minCount ?? 0);
    if (seen.isDeleting) continue;
    if (seen.machine !== null) bound.push(seen);
    if (seen.machine !== null || isOrdered(seen)) started += 1;
    else if (seen.isOurs) waiting.push(seen);
    if (seen.machine !== null && seen.isReady) ready += 1;
  }
  return { bound, waiting, started, wanted, ready };
}

function latenessOf({ partUntilMs, unreadyUntilMs }: GangMemory, nowMs: number): GiveBack['reason'] | null {
  if (partUntilMs !== null && partUntilMs <= nowMs) return 'gang-incomplete';
  return unreadyUntilMs !== null && unreadyUntilMs <= nowMs ? 'gang-not-ready' : null;
}

/** What waits was there before anything that is bound was started: no member was made anew. */
function isOlder(waiting: readonly SeenPod[], bound: readonly SeenPod[]): boolean {
  const firstStartMs = bound.reduce((first, { startedAtMs }) => Math.min(first, startedAtMs ?? Infinity), Infinity);
  return waiting.every(({ createdAtMs }) => createdAtMs <= firstStartMs);
}

function freshGang(countedAtMs: number): GangMemory {
  return {
    isKnown: false,
    wasWhole: false,
    wasReady: false,
    partUntilMs: null,
    unreadyUntilMs: null,
    cardsUnready: 0,
    countedAtMs,
  };
}

/** All that must be, or all that there is once some have ended. */
function isReady({ bound, started, wanted, ready }: Standing): boolean {
  return ready > 0 && (ready >= wanted || (ready === bound.length && started === bound.length));
}

function cardsOf(pods: readonly SeenPod[]): number {
  return pods.reduce((sum, { pod }) => sum + (pod.request.cards.kind === 'none' ? 0 : pod.request.cards.count), 0);
}
