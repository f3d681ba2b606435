import type { Random } from '@springtide/core/base';

export interface BackoffOptions {
  readonly firstMs: number;
  readonly capMs: number;
  readonly random: Random;
}

/** Waits that double from `firstMs` up to `capMs`, each drawn between half of itself and all of it. */
export class Backoff {
  readonly #options: BackoffOptions;
  #attempts = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** Failures since the last success. */
  get attempts(): number {
    return this.#attempts;
  }

  /** How long to wait now, at least `leastMs` where the server asked for that. */
  next(leastMs = 0): number {
    const { firstMs, capMs, random } = this.#options;
    const fullMs = Math.min(capMs, firstMs * 2 ** Math.min(this.#attempts, 30));
    this.#attempts += 1;
    return Math.max(leastMs, fullMs / 2 + (fullMs / 2) * random.unit());
  }

  reset(): void {
    this.#attempts = 0;
  }
}
