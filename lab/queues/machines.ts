/** Machines of the reference model have this many cards. */
export const CARDS_PER_MACHINE = 8;

/** Cards of one machine that a job holds. */
export interface Share {
  readonly machine: number;
  readonly cards: number;
}

/**
 * Free cards of like machines. A job of g cards takes floor(g / 8) wholly free machines and, for the rest, the machine
 * with the fewest free cards that still fits it; the lowest index among equals. `fits` is O(1), `find` O(machines).
 */
export class Machines {
  readonly count: number;
  readonly #free: Int8Array;
  /** How many machines have so many cards free. */
  readonly #byFree = new Int32Array(CARDS_PER_MACHINE + 1);

  constructor(count: number) {
    this.count = count;
    this.#free = new Int8Array(count).fill(CARDS_PER_MACHINE);
    this.#byFree[CARDS_PER_MACHINE] = count;
  }

  copy(): Machines {
    const copy = new Machines(this.count);
    copy.become(this);
    return copy;
  }

  /** Takes over the state of another one of the same size. */
  become(other: Machines): void {
    this.#free.set(other.#free);
    this.#byFree.set(other.#byFree);
  }

  freeOn(machine: number): number {
    return this.#free[machine] as number;
  }

  get freeCards(): number {
    return this.#byFree.reduce((sum, machines, free) => sum + machines * free, 0);
  }

  setFree(machine: number, cards: number): void {
    (this.#byFree[this.#free[machine] as number] as number) -= 1;
    this.#free[machine] = cards;
    (this.#byFree[cards] as number) += 1;
  }

  fits(cards: number): boolean {
    const whole = Math.floor(cards / CARDS_PER_MACHINE);
    const rest = cards % CARDS_PER_MACHINE;
    const empty = this.#byFree[CARDS_PER_MACHINE] as number;
    if (empty < whole) return false;
    return rest === 0 || empty > whole || this.#tightest(rest) < CARDS_PER_MACHINE;
  }

  /** Where a job goes; null: nowhere. Nothing is taken yet. */
  find(cards: number): Share[] | null {
    if (!this.fits(cards)) return null;
    const whole = Math.floor(cards / CARDS_PER_MACHINE);
    const rest = cards % CARDS_PER_MACHINE;
    const shares: Share[] = [];
    let machine = -1;
    while (shares.length < whole) {
      machine = this.#free.indexOf(CARDS_PER_MACHINE, machine + 1);
      shares.push({ machine, cards: CARDS_PER_MACHINE });
    }
    if (rest === 0) return shares;
    const tightest = this.#tightest(rest);
    const from = tightest === CARDS_PER_MACHINE ? machine + 1 : 0;
    shares.push({ machine: this.#free.indexOf(tightest, from), cards: rest });
    return shares;
  }

  take(shares: readonly Share[]): void {
    for (const { machine, cards } of shares) this.setFree(machine, this.freeOn(machine) - cards);
  }

  give(shares: readonly Share[]): void {
    for (const { machine, cards } of shares) this.setFree(machine, this.freeOn(machine) + cards);
  }

  /** The fewest free cards of a machine that has at least so many. */
  #tightest(cards: number): number {
    let free = cards;
    while (free < CARDS_PER_MACHINE && this.#byFree[free] === 0) free += 1;
    return free;
  }
}
