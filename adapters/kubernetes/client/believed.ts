import { createHash } from 'node:crypto';
import type { Result } from '@springtide/core/base';
import type { Clock } from '@springtide/ports/clock';

/** Questions under way at once; beyond that nobody is asked. */
const ASKED_MAX = 8;

interface Kept<T> {
  readonly untilMs: number;
  readonly answer: Promise<T>;
}

/** Answers about secrets such as tokens, believed for a while. The secrets are not kept, only their digests. */
export class Believed<T extends Result<unknown, unknown>> {
  readonly #clock: Clock;
  readonly #believedMs: number;
  readonly #keptMax: number;
  readonly #kept = new Map<string, Kept<T>>();
  #asking = 0;

  /** `keptMax`: when so many are kept the oldest goes. */
  constructor(clock: Clock, believedMs: number, keptMax: number) {
    this.#clock = clock;
    this.#believedMs = believedMs;
    this.#keptMax = keptMax;
  }

  /** What is believed about a secret, else what `ask` says. Null: too many are being asked already. */
  get(secret: string, ask: () => Promise<T>): Promise<T> | null {
    const nowMs = this.#clock.nowMs();
    const key = createHash('sha256').update(secret).digest('base64');
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.untilMs > nowMs) return kept.answer;
    if (this.#asking >= ASKED_MAX) return null;
    const answer = this.#ask(key, ask);
    this.#kept.delete(key);
    this.#kept.set(key, { untilMs: nowMs + this.#believedMs, answer });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#keptMax && oldest !== undefined) this.#kept.delete(oldest);
    return answer;
  }

  async #ask(key: string, ask: () => Promise<T>): Promise<T> {
    this.#asking += 1;
    const answer = await ask();
    this.#asking -= 1;
    // What nobody could tell is asked again.
    if (!answer.ok) this.#kept.delete(key);
    return answer;
  }
}
