import type { Clock } from '@springtide/ports/clock';

/** The clock of this machine. */
export const systemClock: Clock = {
  wallMs: () => Date.now(),
  nowMs: () => performance.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
