import { isAlike } from '../base/index.ts';
import type { ClaimAllocation, Machine, SliceHeld } from '../model/index.ts';
import { DEFAULT_SERVICE_CAPS, type LearnedMix, Placer, Tide } from '../placement/index.ts';
import { Book, Devices, fillBook, type Holding, holdObserved, type ObservedHolding, slicesOf } from '../state/index.ts';
import type { SchedulerEvent, SeenPod } from './events.ts';
import type { WorldSnapshot } from './snapshot.ts';

/** A bind that was ordered and has not been seen yet. */
export interface Assumed {
  readonly machine: string;
  /** The parts of cards that were ordered with it: they stay its own when the book is built anew. */
  readonly slices: readonly SliceHeld[];
  /** After this it is taken back, unless it was seen. */
  readonly untilMs: number;
}

/** An order that was given. */
interface Ordered extends Assumed {
  /** Devices chosen for the pod's claims. */
  readonly claims?: readonly ClaimAllocation[];
}

type DeviceEvent = SchedulerEvent & { readonly kind: 'device-pool' | 'device-pool-gone' | 'device-claim' };

/** Where room may have appeared: ranks of machines, or anywhere. */
export type Gains = ReadonlySet<number> | 'anywhere';

/**
 * What the scheduler knows: machines and pods as last seen, and what it ordered. The book is derived from them:
 * single pods change it in place; a machine that changes has it built anew, with what was learned carried over.
 */
export class SchedulerWorld {
  readonly machines = new Map<string, Machine>();
  readonly pods = new Map<string, SeenPod>();
  /** In the order in which they were ordered, and so in that of their times. */
  readonly assumed = new Map<string, Assumed>();
  #devices = new Devices();
  /**
   * Devices that were chosen for the claims of pods, by uid: held as long as the pod is there, since what the cluster
   * tells of claims may come later than what it tells of pods.
   */
  readonly #chosen = new Map<string, readonly ClaimAllocation[]>();
  #book: Book | null = null;
  #placer: Placer | null = null;
  #policy: Tide | null = null;
  #mix: LearnedMix | null = null;
  #gained: Set<number> | 'anywhere' = 'anywhere';
  /** How many pods are known of each priority. */
  readonly #priorities = new Map<number, number>();
  /** Counts up whenever room may have appeared: what was refused before may fit now. */
  gains = 0;
  /** Counts up whenever a pod takes a place: some wait for others to be near. */
  arrivals = 0;

  static resume({ machines, pods, assumed, learned, devices, chosen }: WorldSnapshot): SchedulerWorld {
    const world = new SchedulerWorld();
    world.#devices = Devices.resume(devices);
    for (const [uid, claims] of chosen) world.#chosen.set(uid, claims);
    for (const machine of machines) world.machines.set(machine.id, machine);
    for (const [uid, each] of assumed) world.assumed.set(uid, each);
    for (const seen of pods) world.setPod(seen);
    world.#mix = learned;
    return world;
  }

  snapshot(): WorldSnapshot {
    const learned = this.#policy?.learned() ?? this.#mix;
    return {
      machines: [...this.machines.values()],
      pods: [...this.pods.values()],
      assumed: [...this.assumed],
      devices: this.#devices.snapshot(),
      chosen: [...this.#chosen],
      learned,
    };
  }

  /** Whether the book stands; else the next decision builds it. */
  get isBuilt(): boolean {
    return this.#book !== null;
  }

  /** Null while there is no machine. */
  get placer(): Placer | null {
    if (this.#placer === null && this.machines.size > 0) this.#build();
    return this.#placer;
  }

  /** Whether a pod of lower priority is known. O(priorities). */
  hasLower(priority: number): boolean {
    for (const known of this.#priorities.keys()) if (known < priority) return true;
    return false;
  }

  /** Uids of pods by what they hold. O(pods). */
  uidsOf(holdings: readonly Holding[]): { readonly uid: string; readonly id: string }[] {
    const uids = new Map(holdings.map(({ pod }) => [pod.id, '']));
    for (const { uid, pod } of this.pods.values()) if (uids.has(pod.id)) uids.set(pod.id, uid);
    return Array.from(uids, ([id, uid]) => ({ uid, id }));
  }

  /** Where room may have appeared since this was last asked. */
  takeGains(): Gains {
    const gained = this.#gained;
    this.#gained = new Set();
    return gained;
  }

  /** Room may have appeared since `takeGains` was last asked. */
  get hasGained(): boolean {
    return this.#gained === 'anywhere' || this.#gained.size > 0;
  }

  gainAnywhere(): void {
    this.#gained = 'anywhere';
    this.gains += 1;
  }

  setMachine(machine: Machine): void {
    const known = this.machines.get(machine.id);
    if (known !== undefined && isAlike(known, machine)) return;
    this.machines.set(machine.id, machine);
    this.#forgetBook();
  }

  removeMachine(id: string): void {
    if (this.machines.delete(id)) this.#forgetBook();
  }

  /** Devices come or go, or what claims have does. */
  hearDevices(event: DeviceEvent): void {
    if (event.kind === 'device-claim') {
      if (this.#devices.tell(event.claim, event.allocation)) this.gainAnywhere();
      return;
    }
    if (event.kind === 'device-pool') this.#devices.setPool(event.pool);
    else this.#devices.removePool(event.id);
    this.gainAnywhere();
  }

  /** Takes a pod's newest state. */
  setPod(seen: SeenPod): void {
    const before = this.pods.get(seen.uid);
    this.pods.set(seen.uid, seen);
    if (before?.pod.priority !== seen.pod.priority) {
      if (before !== undefined) this.#countPriority(before, -1);
      this.#countPriority(seen, 1);
    }
    if (seen.machine !== null) this.assumed.delete(seen.uid);
    if (this.#book !== null) this.#rebook(this.#book, before, seen);
  }

  /** Brings what a pod holds in line with what it is now. */
  #rebook(book: Book, before: SeenPod | undefined, seen: SeenPod): void {
    const { pod, isDeleting } = seen;
    const holding = book.holdings.get(pod.id);
    const machine = this.#machineOf(seen);
    if (holding === undefined && machine === null) return;
    const isHeldThere = holding !== undefined && book.machines[holding.machine]?.id === machine;
    const asksTheSame = before !== undefined && isAlike(before.pod.request, pod.request);
    // What a plug-in names is what was ordered, most of the time: then nothing has changed, and nobody gains.
    const isNamedSo = isHeldThere && seen.held !== null && isAlike(slicesOf(book, holding), seen.held);
    const holdsTheSame = isHeldThere && asksTheSame && (isNamedSo || isAlike(before.held, seen.held));
    if (holdsTheSame && holding.deleting === isDeleting && isAlike(holding.pod.labels, pod.labels)) return;
    this.#release(pod.id);
    if (machine === null) return;
    if (holdsTheSame) book.hold({ ...holding, pod, deleting: isDeleting });
    else holdObserved(book, this.#observed(seen, machine));
    this.arrivals += 1;
  }

  removePod(uid: string): void {
    const seen = this.pods.get(uid);
    if (seen === undefined) return;
    this.pods.delete(uid);
    this.assumed.delete(uid);
    this.#countPriority(seen, -1);
    this.#release(seen.pod.id);
    this.#chosen.delete(uid);
  }

  /** Notes an ordered bind; its holding is in the book already. */
  assume(uid: string, { claims, ...assumed }: Ordered): void {
    this.assumed.delete(uid);
    this.assumed.set(uid, assumed);
    if (claims !== undefined) this.#chosen.set(uid, claims);
    this.arrivals += 1;
  }

  /** Takes back an ordered bind that failed or was never seen. */
  forgetAssumed(uid: string): void {
    if (!this.assumed.delete(uid)) return;
    const seen = this.pods.get(uid);
    if (seen !== undefined && seen.machine === null) this.#release(seen.pod.id);
    if (seen?.machine === null) this.#chosen.delete(uid);
  }

  /** The machine a pod holds something on, or null. */
  #machineOf({ uid, machine, isFinished }: SeenPod): string | null {
    return (isFinished ? null : machine) ?? this.assumed.get(uid)?.machine ?? null;
  }

  /** What names its cards: a plug-in, once it is bound, and before that the order. */
  #observed({ uid, pod, machine, isDeleting, held, fractionGroups }: SeenPod, on: string): ObservedHolding {
    const ordered = machine === null ? (this.assumed.get(uid)?.slices ?? []) : [];
    const claims = this.#chosen.get(uid);
    const rest = claims === undefined ? {} : { claims };
    return { pod, machine: on, isDeleting, held: ordered.length > 0 ? ordered : held, fractionGroups, ...rest };
  }

  #countPriority({ pod: { priority } }: SeenPod, by: number): void {
    const count = (this.#priorities.get(priority) ?? 0) + by;
    if (count === 0) this.#priorities.delete(priority);
    else this.#priorities.set(priority, count);
  }

  #release(podId: string): void {
    if (this.#book?.holdings.has(podId) !== true) return;
    const { machine, claims } = this.#book.release(podId);
    // Devices need not be of that machine alone.
    if (claims !== undefined) return this.gainAnywhere();
    if (this.#gained !== 'anywhere') this.#gained.add(machine);
    this.gains += 1;
  }

  #forgetBook(): void {
    if (this.#policy !== null) this.#mix = this.#policy.learned();
    if (this.#book !== null) this.#devices.forgetChosen();
    this.#book = null;
    this.#placer = null;
    this.#policy = null;
    this.gainAnywhere();
  }

  #build(): void {
    const book = new Book([...this.machines.values()], { devices: this.#devices });
    const holding = [...this.pods.values()].flatMap((seen) => {
      const machine = this.#machineOf(seen);
      return machine === null ? [] : [this.#observed(seen, machine)];
    });
    fillBook(book, holding);
    const policy = new Tide(book);
    if (this.#mix !== null) policy.resume(this.#mix);
    this.#book = book;
    this.#policy = policy;
    this.#placer = new Placer({ book, policy, serviceCaps: DEFAULT_SERVICE_CAPS });
  }
}
