import { isAlike } from '@springtide/core/base';
import type { Cancel, Clock } from '@springtide/ports/clock';
import { InputFault } from '../fault.ts';
import { type Fields, fieldsAt, textAt, textMapAt } from '../fields.ts';
import { CAMBRICON_NODE_LOCK, HAMI_NODE_LOCK } from '../hami/keys.ts';
import { headOf } from '../watch/known-objects.ts';

const LOCKS: readonly string[] = [HAMI_NODE_LOCK, CAMBRICON_NODE_LOCK];

export interface SeenLock {
  readonly value: string;
  /** `Clock.nowMs` since when it has been seen with this value. */
  readonly sinceMs: number;
}

/** A node as last seen, as far as its locks go. */
export interface SeenNode {
  readonly version: string;
  /** By annotation. */
  readonly locks: ReadonlyMap<string, SeenLock>;
}

/** Locks that went last, of which it is remembered how long they had stood. */
const STOOD_KEPT = 64;

const NO_LOCKS: ReadonlyMap<string, SeenLock> = new Map();

/** The locks that the watch of nodes shows, and whoever waits for one to change. */
export class NodeLocks {
  readonly #clock: Clock;
  /** Told when a lock is taken, changed or taken away. */
  readonly #onChange: (machine: string) => void;
  readonly #nodes = new Map<string, SeenNode>();
  readonly #locked = new Set<string>();
  /** By machine, those who wait until it changes. */
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #stoodMs: number[] = [];

  constructor(clock: Clock, onChange: (machine: string) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  see(object: Fields): void {
    const { id } = headOf(object);
    const before = this.#nodes.get(id)?.locks ?? NO_LOCKS;
    const node = this.#read(object, before);
    this.#nodes.set(id, node);
    if (node.locks.size > 0) this.#locked.add(id);
    else this.#locked.delete(id);
    if (!isAlike(before, node.locks)) this.#onChange(id);
    for (const [key, { value, sinceMs }] of before) {
      if (node.locks.get(key)?.value !== value) this.#remember(this.#clock.nowMs() - sinceMs);
    }
    this.#tell(id);
  }

  lose(id: string): void {
    this.#nodes.delete(id);
    this.#locked.delete(id);
    this.#tell(id);
  }

  of(machine: string): SeenNode | undefined {
    return this.#nodes.get(machine);
  }

  /** Machines with a lock, whoever holds it. */
  locked(): readonly string[] {
    return [...this.#locked];
  }

  /** How long the locks that went last had stood at most; longer than `limitMs`: they were left, and tell nothing. */
  stoodMsMax(limitMs: number): number {
    return Math.max(0, ...this.#stoodMs.filter((stoodMs) => stoodMs <= limitMs));
  }

  #remember(stoodMs: number): void {
    this.#stoodMs.push(stoodMs);
    if (this.#stoodMs.length > STOOD_KEPT) this.#stoodMs.shift();
  }

  /** Resolves when the machine is seen in another version than this one, or is gone, or after so long. */
  changed(machine: string, version: string, waitMs: number): Promise<void> {
    if (this.#nodes.get(machine)?.version !== version) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(machine) ?? new Set();
      this.#waiting.set(machine, waiting);
      let cancel: Cancel = () => {};
      const end = (): void => {
        cancel();
        waiting.delete(end);
        if (waiting.size === 0 && this.#waiting.get(machine) === waiting) this.#waiting.delete(machine);
        resolve();
      };
      waiting.add(end);
      cancel = this.#clock.after(waitMs, end);
    });
  }

  /** Lets all go on that wait. */
  release(): void {
    for (const machine of this.#waiting.keys()) this.#tell(machine);
  }

  #tell(machine: string): void {
    for (const end of Array.from(this.#waiting.get(machine) ?? [])) end();
  }

  #read(object: Fields, before: ReadonlyMap<string, SeenLock>): SeenNode {
    try {
      const metadata = fieldsAt(object, 'metadata');
      const annotations = textMapAt(metadata, 'annotations');
      const locks = new Map<string, SeenLock>();
      for (const key of LOCKS) {
        const value = annotations.get(key);
        const known = before.get(key);
        if (value === undefined) continue;
        locks.set(key, known?.value === value ? known : { value, sinceMs: this.#clock.nowMs() });
      }
      return { version: textAt(metadata, 'resourceVersion'), locks: locks.size === 0 ? NO_LOCKS : locks };
    } catch (error) {
      if (!(error instanceof InputFault)) throw error;
      return { version: '', locks: NO_LOCKS };
    }
  }
}
