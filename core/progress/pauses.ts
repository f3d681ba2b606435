/**
 * Pauses that a job made in the midst of its training, without a word, and from which it came back by itself: an
 * evaluation after so many steps, as a rule. Two of them tell when the next is due.
 */
export class Pauses {
  #steps: readonly [earlier: number, latest: number] | null = null;
  #latest: number | null = null;
  #longestMs = 0;

  /** The longest one yet. */
  get longestMs(): number {
    return this.#longestMs;
  }

  /** It came back after `lastedMs`, and had done `step` steps when it paused. */
  add(step: number, lastedMs: number): void {
    if (this.#latest !== null && step > this.#latest) this.#steps = [this.#latest, step];
    this.#latest = step;
    this.#longestMs = Math.max(this.#longestMs, lastedMs);
  }

  /** Whether a pause after this step is no surprise. `tolerance`: steps between two reports. */
  isDue(step: number, tolerance: number): boolean {
    if (this.#steps === null) return false;
    const [earlier, latest] = this.#steps;
    return Math.abs(step - (2 * latest - earlier)) <= tolerance;
  }
}
