const NONE = -1;

/**
 * Which machines' holdings changed, newest first, each at the place of its last touch: a linked list. A score cache
 * remembers how far it has read; the machines from `newest` back to that position are all it must rescore.
 */
export class TouchedLog {
  readonly #lastTouch: Float64Array;
  /** The machine touched last before this one's last touch, and the one touched next after it; NONE at the ends. */
  readonly #older: Int32Array;
  readonly #newer: Int32Array;
  #newest = NONE;
  #count = 0;
  /** The machines touched at least once, in order of their first touch: `everCount` of them. */
  readonly ever: Int32Array;
  everCount = 0;

  constructor(machineCount: number) {
    this.#lastTouch = new Float64Array(machineCount).fill(-1);
    this.#older = new Int32Array(machineCount).fill(NONE);
    this.#newer = new Int32Array(machineCount).fill(NONE);
    this.ever = new Int32Array(machineCount);
  }

  /** How many touches there have been: what a reader stores once it has caught up. */
  get position(): number {
    return this.#count;
  }

  touch(machine: number): void {
    if (this.#lastTouch[machine] === -1) this.ever[this.everCount++] = machine;
    this.#lastTouch[machine] = this.#count;
    this.#count += 1;
    if (machine !== this.#newest) this.#moveToFront(machine);
  }

  #moveToFront(machine: number): void {
    const older = this.#older[machine] as number;
    const newer = this.#newer[machine] as number;
    if (older !== NONE) this.#newer[older] = newer;
    if (newer !== NONE) this.#older[newer] = older;
    if (this.#newest !== NONE) this.#newer[this.#newest] = machine;
    this.#older[machine] = this.#newest;
    this.#newer[machine] = NONE;
    this.#newest = machine;
  }

  /** The position of the newest touch of a machine, -1 when never touched. */
  lastTouchOf(machine: number): number {
    return this.#lastTouch[machine] as number;
  }

  /** The machine touched last, if that was at or after `position`; else -1. */
  newestSince(position: number): number {
    return position < this.#count ? this.#newest : NONE;
  }

  /** The machine whose last touch comes before that of `machine`, if it was at or after `position`; else -1. */
  olderSince(machine: number, position: number): number {
    const older = this.#older[machine] as number;
    return older !== NONE && (this.#lastTouch[older] as number) >= position ? older : NONE;
  }
}
