import type { Clock } from '@springtide/ports/clock';
import type { Term } from '@springtide/ports/cluster';

/** One time in office, seen from inside. */
export class Office {
  readonly #clock: Clock;
  #validUntilMs: number;
  #isOver = false;
  readonly term: Term;

  constructor(clock: Clock, validUntilMs: number, about: Pick<Term, 'holder' | 'transitions' | 'cameBy'>) {
    this.#clock = clock;
    this.#validUntilMs = validUntilMs;
    this.term = {
      ...about,
      isValid: () => !this.#isOver && this.#clock.nowMs() < this.#validUntilMs,
      validUntilMs: () => this.#validUntilMs,
    };
  }

  /** An office that has run out is not prolonged: somebody may have noticed. */
  prolong(validUntilMs: number): void {
    if (this.term.isValid()) this.#validUntilMs = Math.max(this.#validUntilMs, validUntilMs);
  }

  end(): void {
    this.#isOver = true;
  }
}
