import type { ReplayOutcome } from '@springtide/lab/replay';
import { message, type Language } from '@springtide/wire/messages';

const CLEAR_LINE = '\r\u001B[2K';

/** How far the replays are, on one line of a terminal. Elsewhere it says nothing. */
export class Progress {
  readonly #all: number;
  readonly #language: Language;
  readonly #isShown = process.stderr.isTTY;

  constructor(all: number, language: Language) {
    this.#all = all;
    this.#language = language;
  }

  show({ trace, placement, seed }: ReplayOutcome, done: number): void {
    if (!this.#isShown) return;
    const text = message(this.#language, 'replay.progress', { done, all: this.#all, trace, placement, seed });
    process.stderr.write(`${CLEAR_LINE}${text}`);
  }

  clear(): void {
    if (this.#isShown) process.stderr.write(CLEAR_LINE);
  }
}
