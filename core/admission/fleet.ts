import { fail, isAlike } from '../base/index.ts';
import type { Machine, Pod, SliceHeld } from '../model/index.ts';
import { DEFAULT_SERVICE_CAPS, type LearnedMix, Placer, Tide } from '../placement/index.ts';
import { Quota } from '../quota/index.ts';
import {
  Book,
  fillBook,
  type Holding,
  holdObserved,
  type ObservedHolding,
  QuotaLedger,
  slicesOf,
} from '../state/index.ts';
import type { SeenJobPod } from './events.ts';

/** A place that is kept for a pod of a job until the pod is seen. */
interface Planned {
  readonly pod: Pod;
  readonly job: string;
  readonly podSet: string;
  readonly machine: string;
  /** Its cards, once they are chosen; null: whichever are free. */
  readonly held: readonly SliceHeld[] | null;
  /** The pod that came for it; null: none yet. */
  uid: string | null;
}

/** Where room may have appeared: ranks of machines, or anywhere. */
export type Gains = ReadonlySet<number> | 'anywhere';

/**
 * Machines, the pods on them, and the places kept for jobs whose pods are not there yet: in one book with the quota.
 * A machine that changes has the book built anew, with what was learned carried over.
 */
export class Fleet {
  readonly quota: Quota;
  readonly machines = new Map<string, Machine>();
  readonly #pods = new Map<string, SeenJobPod>();
  /** By job, then by pod id. */
  readonly #planned = new Map<string, Map<string, Planned>>();
  /** Ids of the pods of a job that are in the book, planned or seen. */
  readonly #held = new Map<string, Set<string>>();
  readonly #jobOf = new Map<string, string>();
  readonly #ledger = new QuotaLedger();
  #book: Book | null = null;
  #placer: Placer | null = null;
  #policy: Tide | null = null;
  #mix: LearnedMix | null = null;
  #gained: Set<number> | 'anywhere' = 'anywhere';

  constructor() {
    this.quota = new Quota(this.#ledger);
  }

  get book(): Book {
    return (this.#book ??= this.#build());
  }

  get placer(): Placer {
    const { book } = this;
    const policy = (this.#policy ??= new Tide(book));
    return (this.#placer ??= new Placer({ book, policy, serviceCaps: DEFAULT_SERVICE_CAPS }));
  }

  /** The job of a pod in the book; undefined: none that is queued. */
  jobOf(podId: string): string | undefined {
    return this.#jobOf.get(podId);
  }

  /** What a job holds. O(its pods). */
  holdingsOf(job: string): Holding[] {
    return Array.from(this.#held.get(job) ?? [], (id) => this.book.holdings.get(id) ?? fail(`${id} holds nothing`));
  }

  /** Where room may have appeared since this was last asked. */
  takeGains(): Gains {
    const gained = this.#gained;
    this.#gained = new Set();
    return gained;
  }

  get hasGained(): boolean {
    return this.#gained === 'anywhere' || this.#gained.size > 0;
  }

  setMachine(machine: Machine): void {
    const known = this.machines.get(machine.id);
    if (known !== undefined && isAlike(known, machine)) return;
    this.machines.set(machine.id, machine);
    this.#forgetBook();
  }

  /** The jobs that had a pod or a place there. */
  removeMachine(id: string): string[] {
    if (!this.machines.has(id)) return [];
    const rank = this.book.machineOf(id);
    const jobs = new Set(this.book.podsOn(rank).flatMap(({ pod }) => this.#jobOf.get(pod.id) ?? []));
    this.machines.delete(id);
    this.#forgetBook();
    return [...jobs];
  }

  /** Keeps the places of a job that the book holds already. */
  plan(job: string, sets: readonly string[], holdings: readonly Holding[]): void {
    const planned = new Map<string, Planned>();
    holdings.forEach((holding, i) => {
      const { pod } = holding;
      const machine = this.book.machines[holding.machine]?.id ?? '';
      const held = slicesOf(this.book, holding);
      planned.set(pod.id, { pod, job, podSet: sets[i] ?? '', machine, held, uid: null });
      this.#tie(job, pod.id);
    });
    this.#planned.set(job, planned);
  }

  /** Keeps places that were chosen before a restart, whichever cards they were. */
  assume(
    job: string,
    places: readonly { readonly pod: Pod; readonly podSet: string; readonly machine: string }[],
  ): void {
    const planned = new Map<string, Planned>();
    const uids = [...this.#pods.values()].filter((seen) => seen.job === job).map(({ uid }) => uid);
    for (const place of places) {
      const item: Planned = { ...place, job, held: null, uid: null };
      planned.set(place.pod.id, item);
      this.#hold(item);
    }
    this.#planned.set(job, planned);
    for (const uid of uids) this.#replace(this.#pods.get(uid) as SeenJobPod);
  }

  /** Gives up the places of a job for which no pod came; pods that are there hold until they go. */
  free(job: string): void {
    const planned = this.#planned.get(job);
    this.#planned.delete(job);
    for (const { pod, uid } of planned?.values() ?? []) if (uid === null) this.#release(job, pod.id);
  }

  /** Takes a pod's newest state; one of a job takes one of the places kept for it. */
  see(seen: SeenJobPod): void {
    const before = this.#pods.get(seen.uid);
    if (before !== undefined && isAlike(before, seen)) return;
    // One that is built later would hold the pod already.
    const { book } = this;
    const isHeld = before !== undefined && before.machine !== null;
    if (isHeld) this.#release(before.job, before.pod.id);
    this.#pods.set(seen.uid, seen);
    if (seen.machine === null) return;
    if (!isHeld) this.#replace(seen);
    if (holdObserved(book, seen)) this.#tie(seen.job, seen.pod.id);
  }

  lose(uid: string): void {
    const seen = this.#pods.get(uid);
    if (seen === undefined) return;
    this.#pods.delete(uid);
    if (seen.machine !== null) this.#release(seen.job, seen.pod.id);
    // Its job goes on and will have another in its place.
    for (const planned of this.#planned.get(seen.job ?? '')?.values() ?? []) {
      if (planned.uid !== uid) continue;
      planned.uid = null;
      this.#hold(planned);
    }
  }

  /** The place of a pod that came: on its machine if there is one, else the last. */
  #replace({ job, podSet, machine, uid }: SeenJobPod): void {
    if (job === null || machine === null) return;
    let found: Planned | null = null;
    for (const planned of this.#planned.get(job)?.values() ?? []) {
      if (planned.uid !== null || planned.podSet !== podSet) continue;
      if (found === null || found.machine !== machine) found = planned;
    }
    if (found === null) return;
    found.uid = uid;
    this.#release(job, found.pod.id);
  }

  #hold(planned: Planned): void {
    if (holdObserved(this.book, observed(planned))) this.#tie(planned.job, planned.pod.id);
  }

  #tie(job: string | null, podId: string): void {
    if (job === null) return;
    const held = this.#held.get(job);
    if (held === undefined) this.#held.set(job, new Set([podId]));
    else held.add(podId);
    this.#jobOf.set(podId, job);
  }

  #release(job: string | null, podId: string): void {
    const held = this.#held.get(job ?? '');
    held?.delete(podId);
    if (held?.size === 0) this.#held.delete(job ?? '');
    this.#jobOf.delete(podId);
    if (!this.book.holdings.has(podId)) return;
    const { machine } = this.book.release(podId);
    if (this.#gained !== 'anywhere') this.#gained.add(machine);
  }

  #forgetBook(): void {
    if (this.#policy !== null) this.#mix = this.#policy.learned();
    this.#book = null;
    this.#placer = null;
    this.#policy = null;
    this.#gained = 'anywhere';
  }

  #build(): Book {
    const book = new Book([...this.machines.values()], { quota: this.#ledger });
    const observedPods: ObservedHolding[] = [...this.#pods.values()];
    for (const places of this.#planned.values()) {
      for (const planned of places.values()) if (planned.uid === null) observedPods.push(observed(planned));
    }
    fillBook(book, observedPods);
    this.#policy = new Tide(book);
    if (this.#mix !== null) this.#policy.resume(this.#mix);
    this.#held.clear();
    this.#jobOf.clear();
    const tie = (job: string | null, id: string): void => {
      if (book.holdings.has(id)) this.#tie(job, id);
    };
    for (const { job, pod } of this.#pods.values()) tie(job, pod.id);
    for (const places of this.#planned.values()) for (const { job, pod } of places.values()) tie(job, pod.id);
    return book;
  }
}

function observed({ pod, machine, held }: Planned): ObservedHolding {
  return { pod, machine, isDeleting: false, held, fractionGroups: [] };
}
