export { systemClock } from '@springtide/adapters/clock';
import type { Cancel, Clock } from '@springtide/ports/clock';

interface Timer {
  readonly dueMs: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Time that passes only when it is told to. Whatever follows from a timer is over before the next one fires. */
export class VirtualClock implements Clock {
  #nowMs = 0;
  #wallOffsetMs: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(startWallMs = Date.UTC(2026, 0, 1)) {
    this.#wallOffsetMs = startWallMs;
  }

  readonly nowMs = (): number => this.#nowMs;
  readonly wallMs = (): number => this.#nowMs + this.#wallOffsetMs;

  readonly after = (delayMs: number, callback: () => void): Cancel => {
    const timer = { dueMs: this.#nowMs + Math.max(0, delayMs), order: (this.#order += 1), callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  /** The wall clock is set, as an operator or a broken time server does; the monotone one does not notice. */
  jumpWall(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  /** Lets so much time pass, timer by timer. */
  async pass(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await settled();
    for (let next = this.#next(endMs); next !== null; next = this.#next(endMs)) {
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.callback();
      await settled();
    }
    this.#nowMs = endMs;
  }

  #next(endMs: number): Timer | null {
    let first: Timer | null = null;
    for (const timer of this.#timers) {
      if (timer.dueMs > endMs) continue;
      const isEarlier = first === null || timer.dueMs < first.dueMs;
      if (isEarlier || (timer.dueMs === first?.dueMs && timer.order < first.order)) first = timer;
    }
    return first;
  }
}

/** Every promise that can go on has gone on. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}
