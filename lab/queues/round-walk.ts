import { CARDS_PER_MACHINE, Machines, type Share } from './machines.ts';
import type { RoundJob } from './round-job.ts';

interface RoundOptions {
  /** Up to when held card-time counts. */
  readonly lastMs: number;
  /** Whether cards in use are taken where the last of the round have to leave, not where it is tightest. */
  readonly takesFromLast: boolean;
}

interface Holder {
  /** In the order of the round. */
  readonly place: number;
  readonly cards: number;
}

interface Search {
  readonly count: number;
  /** Of the job that searches. */
  readonly place: number;
  /** Machines that are not to be taken again. */
  readonly taken: readonly Share[];
}

/**
 * One round: jobs in their order claim cards. One that runs keeps its machines if no job before it claimed them; else
 * it goes on cards free now, or on those of jobs after it. O(jobs + placements x machines).
 */
export class RoundWalk {
  /** What no job before has claimed. */
  readonly #unclaimed: Machines;
  /** What is neither claimed nor held by a job that comes later. */
  readonly #spare: Machines;
  /** Held by running jobs whose turn has not come. */
  readonly #later: Int32Array;
  /** The smallest number of cards, of one machine at most, that found no place. */
  /** On each machine, who holds it and may have to leave: by the order of the round. */
  readonly #holders: Holder[][];
  #noRoomFrom = Infinity;
  readonly #noRoom = new Set<number>();

  readonly #options: RoundOptions;

  constructor(machines: number, options: RoundOptions) {
    this.#options = options;
    this.#unclaimed = new Machines(machines);
    this.#spare = new Machines(machines);
    this.#later = new Int32Array(machines);
    this.#holders = Array.from({ length: machines }, () => []);
  }

  /** Jobs in their order; protected ones that run keep what they have. Their state is set anew. */
  walk(jobs: readonly RoundJob[], nowMs: number): void {
    this.#reset(jobs);
    for (const job of jobs) if (job.isProtected && job.shares !== null) this.#keep(job.shares);
    for (const [place, job] of jobs.entries()) {
      if (!job.isProtected || job.shares === null) this.#turn(job, place, nowMs);
    }
  }

  #reset(jobs: readonly RoundJob[]): void {
    this.#noRoomFrom = Infinity;
    this.#noRoom.clear();
    this.#later.fill(0);
    for (const holders of this.#holders) holders.length = 0;
    for (const [place, { shares, isProtected }] of jobs.entries()) {
      for (const { machine, cards } of shares ?? []) {
        (this.#later[machine] as number) += cards;
        if (!isProtected) this.#holders[machine]?.push({ place, cards });
      }
    }
    for (let machine = 0; machine < this.#later.length; machine += 1) {
      this.#unclaimed.setFree(machine, CARDS_PER_MACHINE);
      this.#settle(machine);
    }
  }

  #turn(job: RoundJob, place: number, nowMs: number): void {
    const held = job.shares;
    if (held !== null) {
      if (held.every(({ machine, cards }) => this.#unclaimed.freeOn(machine) >= cards)) return this.#keep(held);
      this.#leave(held);
      job.displace(nowMs, this.#options.lastMs);
    }
    const shares = this.#placeFor(job.cards, place);
    if (shares === null) return;
    this.#claim(shares);
    job.start(shares, nowMs);
  }

  #placeFor(cards: number, place: number): readonly Share[] | null {
    if (cards >= this.#noRoomFrom || this.#noRoom.has(cards)) return null;
    const shares = this.#spare.find(cards) ?? this.#findBusy(cards, place);
    if (shares === null) {
      if (cards <= CARDS_PER_MACHINE) this.#noRoomFrom = cards;
      else this.#noRoom.add(cards);
    }
    return shares;
  }

  /** Where jobs that come later have to leave: by the rule of the model, or where those are the last of all. */
  #findBusy(cards: number, place: number): readonly Share[] | null {
    if (!this.#options.takesFromLast || !this.#unclaimed.fits(cards)) return this.#unclaimed.find(cards);
    const whole = Math.floor(cards / CARDS_PER_MACHINE);
    const rest = cards % CARDS_PER_MACHINE;
    const shares = this.#heldByLast(CARDS_PER_MACHINE, { count: whole, place, taken: [] });
    if (rest === 0) return shares;
    return [...shares, ...this.#heldByLast(rest, { count: 1, place, taken: shares })];
  }

  /** Machines with so many unclaimed cards from which the first to leave comes latest; the tightest among equals. */
  #heldByLast(cards: number, { count, place, taken }: Search): Share[] {
    const fits: { readonly machine: number; readonly leaver: number; readonly unclaimed: number }[] = [];
    for (let machine = 0; machine < this.#later.length; machine += 1) {
      const unclaimed = this.#unclaimed.freeOn(machine);
      if (unclaimed < cards || taken.some((share) => share.machine === machine)) continue;
      fits.push({ machine, leaver: this.#firstToLeave(machine, cards, place), unclaimed });
    }
    fits.sort(
      (left, right) => right.leaver - left.leaver || left.unclaimed - right.unclaimed || left.machine - right.machine,
    );
    return fits.slice(0, count).map(({ machine }) => ({ machine, cards }));
  }

  /** The place in the round of the first job that leaves a machine when so many cards are claimed; the last go first. */
  #firstToLeave(machine: number, cards: number, place: number): number {
    let free = this.#unclaimed.freeOn(machine) - (this.#later[machine] as number);
    if (free >= cards) return Infinity;
    const holders = this.#holders[machine] as Holder[];
    for (let at = holders.length - 1; at >= 0 && (holders[at] as Holder).place > place; at -= 1) {
      free += (holders[at] as Holder).cards;
      if (free >= cards) return (holders[at] as Holder).place;
    }
    return -1;
  }

  #keep(shares: readonly Share[]): void {
    for (const { machine, cards } of shares) (this.#later[machine] as number) -= cards;
    this.#claim(shares);
  }

  #leave(shares: readonly Share[]): void {
    for (const { machine, cards } of shares) {
      (this.#later[machine] as number) -= cards;
      this.#settle(machine);
    }
  }

  #claim(shares: readonly Share[]): void {
    this.#unclaimed.take(shares);
    for (const { machine } of shares) this.#settle(machine);
  }

  #settle(machine: number): void {
    this.#spare.setFree(machine, Math.max(0, this.#unclaimed.freeOn(machine) - (this.#later[machine] as number)));
  }
}
