/**
 * The log of machines whose holdings changed. Each score cache remembers how far it has read; what follows is
 * all it must rescore. A machine touched again later in the log is skipped at its earlier places. The log is
 * a ring: a reader that fell behind by more than the ring scans the machines' last touches instead.
 */
export class TouchedLog {
  readonly #ring: Int32Array;
  readonly #lastTouch: Float64Array;
  #count = 0;
  /** The machines touched at least once, in order of their first touch: `everCount` of them. */
  readonly ever: Int32Array;
  everCount = 0;

  constructor(machineCount: number) {
    this.#ring = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(4096, machineCount))));
    this.#lastTouch = new Float64Array(machineCount).fill(-1);
    this.ever = new Int32Array(machineCount);
  }

  /** How many touches there have been: what a reader stores once it has caught up. */
  get position(): number {
    return this.#count;
  }

  touch(machine: number): void {
    this.#ring[this.#count & (this.#ring.length - 1)] = machine;
    if (this.#lastTouch[machine] === -1) this.ever[this.everCount++] = machine;
    this.#lastTouch[machine] = this.#count;
    this.#count += 1;
  }

  /** The position of the newest touch of a machine, -1 when never touched. */
  lastTouchOf(machine: number): number {
    return this.#lastTouch[machine] as number;
  }

  /** Writes the machines touched at or after `position` to `out`, each once; returns how many. */
  since(position: number, out: Int32Array): number {
    let found = 0;
    if (this.#count - position > this.#ring.length) {
      for (let machine = 0; machine < this.#lastTouch.length; machine += 1) {
        if ((this.#lastTouch[machine] as number) >= position) out[found++] = machine;
      }
      return found;
    }
    const mask = this.#ring.length - 1;
    for (let at = position; at < this.#count; at += 1) {
      const machine = this.#ring[at & mask] as number;
      if (this.#lastTouch[machine] === at) out[found++] = machine;
    }
    return found;
  }
}
