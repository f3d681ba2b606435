import { compareText, Heap, isAlike } from '../base/index.ts';
import type { Explanation, TopologyRequest } from '../model/index.ts';
import type { RequestClass } from '../state/index.ts';
import type { SeenPod } from './events.ts';

/** What waits together: one pod, or all members of a gang that are there. */
export interface Waiting {
  /** A pod's uid, or `gang:` and the gang's id. */
  readonly key: string;
  readonly pods: readonly SeenPod[];
  /** Members that must start together: 1 for a single pod. */
  readonly wanted: number;
  /** Members of the gang that run or are ordered already. */
  readonly started: number;
  readonly priority: number;
  readonly createdAtMs: number;
  /** As the members of a gang have them. */
  readonly topology: TopologyRequest | null;
  readonly unknownTopology: string;
}

/** What is remembered of something that waits. */
export interface Memory {
  /** What was last told, so that only changes are told. */
  told: string;
  isObserved: boolean;
}

/** A pod or a gang in the queue. */
export interface Item {
  readonly key: string;
  memory: Memory;
}

/** What was found out for all that wait in a lane. */
export interface Lane {
  readonly key: string;
  /** Machines that this class can never use cannot help; null: any machine may. */
  readonly requestClass: RequestClass | null;
  /** Pods that come may help too, not only those that go. */
  readonly isHelpedByPods: boolean;
  /** Whole cards without which trying is in vain: all that a gang asks for at once. */
  cardsAsked: number;
  /** `SchedulerWorld.gains` when its first was refused a place, and when it found nobody to evict either. */
  refusedAt: number;
  hopelessAt: number;
  /** `SchedulerWorld.arrivals` when its first was tried. */
  arrivedAt: number;
  explained: { readonly filters: string; readonly atMs: number; readonly explanation: Explanation } | null;
}

interface Member {
  readonly seen: SeenPod;
  readonly isStarted: boolean;
}

interface Entry extends Item {
  /** Of the pod or the gang: what was made within one second is tried by name, as whoever made it counted. */
  readonly name: string;
  /** Members that are there, by uid. */
  readonly members: Map<string, Member>;
  /** A gang of which some members have started and others wait: it holds cards and does not run. */
  isPart: boolean;
  priority: number;
  createdAtMs: number;
  lane: RestingLane | null;
}

interface RestingLane extends Lane {
  readonly entries: Heap<Entry>;
}

/**
 * Pods and gangs that wait for a place, in the order in which they are tried: gangs started in part, then priority,
 * age, name. An item is ready, or it rests because nothing that is known could help it: in a lane with others that
 * are refused when it is, or alone until it changes itself. Of a lane only the first is tried again, and the next
 * when that one left.
 *
 *     set --> ready --take--> placed: set as started
 *               ^     |
 *               |     +--rest--> lane --wake (the first), next (when the first left), set--> ready
 *               +----- set ----- alone
 */
export class WaitingQueue {
  readonly #entries = new Map<string, Entry>();
  readonly #entryOf = new Map<string, Entry>();
  readonly #ready = new Heap<Entry>(inOrder);
  readonly #lanes = new Map<string, RestingLane>();

  /** Takes a pod's newest state. O(log items), and O(members) for one of a gang. */
  set(seen: SeenPod, isStarted: boolean): void {
    const { uid, gang } = seen;
    const key = gang === null ? uid : `gang:${gang.id}`;
    const isIn = !seen.isFinished && (gang !== null || (!isStarted && waits(seen)));
    const before = this.#entryOf.get(uid);
    if (before !== undefined && (!isIn || before.key !== key)) this.remove(uid);
    if (!isIn) return;
    const entry = this.#entries.get(key) ?? this.#admit(key, gang?.id ?? seen.pod.id);
    const known = entry.members.get(uid);
    entry.members.set(uid, { seen, isStarted });
    this.#entryOf.set(uid, entry);
    if (known === undefined || hasChanged(known, { seen, isStarted })) this.#settle(entry);
  }

  remove(uid: string): void {
    const entry = this.#entryOf.get(uid);
    if (entry === undefined) return;
    this.#entryOf.delete(uid);
    entry.members.delete(uid);
    this.#settle(entry);
    if (entry.members.size === 0) this.#entries.delete(entry.key);
  }

  /** The pods of a gang that are there, waiting or not. */
  membersOf(gang: string): SeenPod[] {
    return Array.from(this.#entries.get(`gang:${gang}`)?.members.values() ?? [], ({ seen }) => seen);
  }

  /** What is remembered of each pod and gang, by key. O(items). */
  memories(): [key: string, memory: Memory][] {
    return Array.from(this.#entries.values(), ({ key, memory }) => [key, { ...memory }]);
  }

  remember(key: string, memory: Memory): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.memory = { ...memory };
  }

  get isReady(): boolean {
    return this.#ready.size > 0;
  }

  get isResting(): boolean {
    return this.#lanes.size > 0;
  }

  /** The first that is ready, which then rests alone until it is put to rest elsewhere, or changes. */
  take(): { readonly item: Item; readonly waiting: Waiting } | null {
    const entry = this.#ready.take();
    return entry === undefined ? null : { item: entry, waiting: waitingOf(entry) };
  }

  /** The lane of a key; `make` says what is known of a new one, which stays if something is put to rest in it. */
  laneOf(key: string, make: (key: string) => Lane): Lane {
    return this.#lanes.get(key) ?? make(key);
  }

  rest(item: Item, lane: Lane): void {
    const entry = this.#entries.get(item.key);
    if (entry === undefined) return;
    const found = this.#lanes.get(lane.key) ?? Object.assign(lane, { entries: new Heap<Entry>(inOrder) });
    if (entry.lane === found) return;
    this.#leave(entry);
    this.#lanes.set(lane.key, found);
    found.entries.put(entry);
    entry.lane = found;
  }

  /** Makes the first of every lane that could be helped ready. O(lanes). */
  wake(isHelped: (lane: Lane) => boolean): void {
    for (const lane of this.#lanes.values()) {
      const { first } = lane.entries;
      if (first !== undefined && isHelped(lane)) this.#ready.put(first);
    }
  }

  /** Makes one ready, for its own time has come. */
  wakeOne(key: string): void {
    const entry = this.#entries.get(key);
    if (entry?.lane) this.#ready.put(entry);
  }

  /** Takes it out of its lane, so that another is tried there: it rests until `retry`, or until it changes. */
  restAlone(item: Item): void {
    const entry = this.#entries.get(item.key);
    if (entry !== undefined) this.#leave(entry);
  }

  /** Makes what a pod belongs to ready, if it waits. */
  retry(uid: string): void {
    const entry = this.#entryOf.get(uid);
    if (entry !== undefined) this.#settle(entry);
  }

  /** Makes all that rest in lanes ready, and forgets what was known of the lanes. */
  wakeAll(): void {
    for (const { entries } of this.#lanes.values()) {
      for (const entry of entries) {
        entry.lane = null;
        this.#ready.put(entry);
      }
    }
    this.#lanes.clear();
  }

  #admit(key: string, name: string): Entry {
    const memory = newMemory();
    const place = { isPart: false, priority: -Infinity, createdAtMs: Infinity, lane: null };
    const entry: Entry = { key, name, memory, members: new Map(), ...place };
    this.#entries.set(key, entry);
    return entry;
  }

  /** After its members changed: finds its place anew, and makes it ready if one of them waits. */
  #settle(entry: Entry): void {
    this.#ready.delete(entry);
    this.#leave(entry);
    let isWaiting = false;
    let started = 0;
    let wanted = 1;
    entry.priority = -Infinity;
    entry.createdAtMs = Infinity;
    for (const { seen, isStarted } of entry.members.values()) {
      wanted = Math.max(wanted, seen.gang?.minCount ?? 1);
      if (isStarted && !seen.isDeleting) started += 1;
      if (isStarted || !waits(seen)) continue;
      isWaiting = true;
      entry.priority = Math.max(entry.priority, seen.pod.priority);
      entry.createdAtMs = Math.min(entry.createdAtMs, seen.createdAtMs);
    }
    entry.isPart = started > 0 && started < wanted;
    if (isWaiting) this.#ready.put(entry);
  }

  /** Takes it out of its lane, where the next may now be the one to try. */
  #leave(entry: Entry): void {
    const { lane } = entry;
    if (lane === null) return;
    entry.lane = null;
    lane.entries.delete(entry);
    const { first } = lane.entries;
    if (first === undefined) this.#lanes.delete(lane.key);
    else this.#ready.put(first);
  }
}

export function newMemory(): Memory {
  return { told: '', isObserved: false };
}

export function waits({ isOurs, isDeleting, machine }: SeenPod): boolean {
  return isOurs && !isDeleting && machine === null;
}

/** Whether something else may come of a member than before. */
function hasChanged(before: Member, now: Member): boolean {
  if (before.isStarted !== now.isStarted) return true;
  if (!now.isStarted) return !isAlike(before.seen, now.seen);
  return before.seen.isDeleting !== now.seen.isDeleting || !isAlike(before.seen.gang, now.seen.gang);
}

function waitingOf({ key, members, priority, createdAtMs }: Entry): Waiting {
  const pods: SeenPod[] = [];
  let wanted = 1;
  let started = 0;
  for (const { seen, isStarted } of members.values()) {
    wanted = Math.max(wanted, seen.gang?.minCount ?? 1);
    // What is being deleted of a former gang of that name is no member of this one.
    if (isStarted) started += seen.isDeleting ? 0 : 1;
    else if (waits(seen)) pods.push(seen);
  }
  if (pods.length > 1) pods.sort((left, right) => compareText(left.pod.id, right.pod.id));
  const { topology = null, unknownTopology = '' } = pods[0]?.gang ?? {};
  return { key, pods, wanted, started, priority, createdAtMs, topology, unknownTopology };
}

function inOrder(left: Entry, right: Entry): number {
  return (
    Number(right.isPart) - Number(left.isPart) ||
    right.priority - left.priority ||
    left.createdAtMs - right.createdAtMs ||
    compareText(left.name, right.name) ||
    compareText(left.key, right.key)
  );
}
