import { compareText } from '../base/index.ts';
import type { Machine } from '../model/index.ts';
import { DEFAULT_SERVICE_CAPS, type LearnedRequest, Placer, Tide } from '../placement/index.ts';
import { Book, fillBook, type Holding } from '../state/index.ts';
import type { SeenPod } from './events.ts';

/** A bind that was ordered and has not been seen yet. */
export interface Assumed {
  readonly machine: string;
  /** After this it is taken back, unless it was seen. */
  readonly untilMs: number;
}

/**
 * What the scheduler knows: machines and pods as last seen, and what it ordered. The book is derived from them:
 * single pods change it in place; a machine that changes has it built anew, with what was learned carried over.
 */
export class SchedulerWorld {
  readonly machines = new Map<string, Machine>();
  readonly pods = new Map<string, SeenPod>();
  readonly assumed = new Map<string, Assumed>();
  #book: Book | null = null;
  #placer: Placer | null = null;
  #policy: Tide | null = null;
  #mix: readonly LearnedRequest[] = [];
  /** Counts up whenever room may have appeared: what was refused before may fit now. */
  gains = 0;

  /** Null while there is no machine. */
  get placer(): Placer | null {
    if (this.#placer === null && this.machines.size > 0) this.#build();
    return this.#placer;
  }

  setMachine(machine: Machine): void {
    const known = this.machines.get(machine.id);
    if (known !== undefined && isSame(known, machine)) return;
    this.machines.set(machine.id, machine);
    this.#forgetBook();
  }

  removeMachine(id: string): void {
    if (this.machines.delete(id)) this.#forgetBook();
  }

  /** Takes a pod's newest state. */
  setPod(seen: SeenPod): void {
    const before = this.pods.get(seen.uid);
    this.pods.set(seen.uid, seen);
    if (seen.machine !== null) this.assumed.delete(seen.uid);
    if (this.#book === null) return;
    const machineBefore = this.#holdingOf(seen)?.machine;
    const machine = holdsOn(seen) ?? this.assumed.get(seen.uid)?.machine ?? null;
    const isHeldThere = machineBefore !== undefined && this.#book.machines[machineBefore]?.id === machine;
    if (isHeldThere && before?.isDeleting === seen.isDeleting && before.held === seen.held) return;
    this.#release(seen.pod.id);
    if (machine !== null) fillBook(this.#book, [observed(seen, machine)]);
  }

  removePod(uid: string): void {
    const seen = this.pods.get(uid);
    if (seen === undefined) return;
    this.pods.delete(uid);
    this.assumed.delete(uid);
    this.#release(seen.pod.id);
  }

  /** Notes an ordered bind; its holding is in the book already. */
  assume(uid: string, assumed: Assumed): void {
    this.assumed.set(uid, assumed);
  }

  /** Takes back an ordered bind that failed or was never seen. */
  forgetAssumed(uid: string): void {
    if (!this.assumed.delete(uid)) return;
    const seen = this.pods.get(uid);
    if (seen !== undefined && seen.machine === null) this.#release(seen.pod.id);
  }

  #holdingOf(seen: SeenPod): Holding | undefined {
    return this.#book?.holdings.get(seen.pod.id);
  }

  #release(podId: string): void {
    if (this.#book?.holdings.has(podId) !== true) return;
    this.#book.release(podId);
    this.gains += 1;
  }

  #forgetBook(): void {
    if (this.#policy !== null) this.#mix = this.#policy.learned();
    this.#book = null;
    this.#placer = null;
    this.#policy = null;
    this.gains += 1;
  }

  #build(): void {
    const book = new Book([...this.machines.values()]);
    const holding = [...this.pods.values()].flatMap((seen) => {
      const machine = holdsOn(seen) ?? this.assumed.get(seen.uid)?.machine ?? null;
      return machine === null ? [] : [observed(seen, machine)];
    });
    fillBook(
      book,
      holding.toSorted((left, right) => compareText(left.pod.id, right.pod.id)),
    );
    const policy = new Tide(book);
    policy.resume(this.#mix);
    this.#book = book;
    this.#policy = policy;
    this.#placer = new Placer({ book, policy, serviceCaps: DEFAULT_SERVICE_CAPS });
  }
}

/** The machine a pod holds something on, or null. */
function holdsOn({ machine, isFinished }: SeenPod): string | null {
  return isFinished ? null : machine;
}

function observed(
  { pod, isDeleting, held, fractionGroups }: SeenPod,
  machine: string,
): Parameters<typeof fillBook>[1][number] {
  return { pod, machine, isDeleting, held, fractionGroups };
}

/** Whether two states of a machine are alike in all that placement reads. */
function isSame(left: Machine, right: Machine): boolean {
  return textOf(left) === textOf(right);
}

function textOf(machine: Machine): string {
  return JSON.stringify([machine, [...machine.resources], [...machine.labels]]);
}
