const FIRST_MS = 1000;
const CAP_MS = 60_000;

export interface SetBackEntry {
  readonly failures: number;
  readonly untilMs: number;
  readonly isTold: boolean;
}

/**
 * Pods whose orders failed: each is left alone for a while, twice as long each time, up to the cap, until an order
 * of it goes through. A refusal may last, and so may the outage behind it. One entry a pod that waits.
 */
export class SetBack {
  readonly #pods = new Map<string, SetBackEntry>();

  add(uid: string, nowMs: number): void {
    const failures = (this.#pods.get(uid)?.failures ?? 0) + 1;
    const waitMs = Math.min(CAP_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
    this.#pods.set(uid, { failures, untilMs: nowMs + waitMs, isTold: false });
  }

  snapshot(): [uid: string, entry: SetBackEntry][] {
    return [...this.#pods];
  }

  resume(entries: readonly (readonly [uid: string, SetBackEntry])[]): void {
    for (const [uid, entry] of entries) this.#pods.set(uid, entry);
  }

  forget(uid: string): void {
    this.#pods.delete(uid);
  }

  holds(uid: string, nowMs: number): boolean {
    return (this.#pods.get(uid)?.untilMs ?? 0) > nowMs;
  }

  /** Those that may be tried again since this was last asked. */
  takeDue(nowMs: number): string[] {
    const due = [...this.#pods].filter(([, { isTold, untilMs }]) => !isTold && untilMs <= nowMs);
    for (const [uid, entry] of due) this.#pods.set(uid, { ...entry, isTold: true });
    return due.map(([uid]) => uid);
  }

  /** When the next of them may be tried again; infinity: none is set back. */
  get nextMs(): number {
    let next = Infinity;
    for (const { isTold, untilMs } of this.#pods.values()) if (!isTold) next = Math.min(next, untilMs);
    return next;
  }
}
