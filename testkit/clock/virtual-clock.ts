import type { Cancel, Clock } from '@springtide/ports/clock';
import { type Timer, Timers } from './timers.ts';

/** Time that passes only when it is told to. Whatever follows from a timer is over before the next one fires. */
export class VirtualClock implements Clock {
  #nowMs = 0;
  #wallOffsetMs: number;
  #order = 0;
  readonly #timers = new Timers();

  constructor(startWallMs = Date.UTC(2026, 0, 1)) {
    this.#wallOffsetMs = startWallMs;
  }

  readonly nowMs = (): number => this.#nowMs;
  readonly wallMs = (): number => this.#nowMs + this.#wallOffsetMs;

  readonly after = (delayMs: number, callback: () => void): Cancel => {
    this.#order += 1;
    const dueMs = this.#nowMs + Math.max(0, delayMs);
    const timer: Timer = { dueMs, order: this.#order, callback, isCancelled: false };
    this.#timers.add(timer);
    return () => {
      timer.isCancelled = true;
    };
  };

  /** The wall clock is set, as an operator or a broken time server does; the monotone one does not notice. */
  jumpWall(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  /** Lets so much time pass, timer by timer. */
  async pass(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await settled();
    for (let next = this.#timers.takeDue(endMs); next !== null; next = this.#timers.takeDue(endMs)) {
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.callback();
      await settled();
    }
    this.#nowMs = endMs;
  }
}

/** Every promise that can go on has gone on. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}
