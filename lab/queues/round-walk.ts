import { CARDS_PER_MACHINE, Machines, type Share } from './machines.ts';
import type { RoundJob } from './round-job.ts';

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
  #noRoomFrom = Infinity;
  readonly #noRoom = new Set<number>();

  readonly #lastMs: number;

  /** `lastMs`: up to when held card-time counts. */
  constructor(machines: number, lastMs: number) {
    this.#lastMs = lastMs;
    this.#unclaimed = new Machines(machines);
    this.#spare = new Machines(machines);
    this.#later = new Int32Array(machines);
  }

  /** Jobs in their order; protected ones that run keep what they have. Their state is set anew. */
  walk(jobs: readonly RoundJob[], nowMs: number): void {
    this.#reset(jobs);
    for (const job of jobs) if (job.isProtected && job.shares !== null) this.#keep(job.shares);
    for (const job of jobs) if (!job.isProtected || job.shares === null) this.#turn(job, nowMs);
  }

  #reset(jobs: readonly RoundJob[]): void {
    this.#noRoomFrom = Infinity;
    this.#noRoom.clear();
    this.#later.fill(0);
    for (const { shares } of jobs) {
      for (const { machine, cards } of shares ?? []) (this.#later[machine] as number) += cards;
    }
    for (let machine = 0; machine < this.#later.length; machine += 1) {
      this.#unclaimed.setFree(machine, CARDS_PER_MACHINE);
      this.#settle(machine);
    }
  }

  #turn(job: RoundJob, nowMs: number): void {
    const held = job.shares;
    if (held !== null) {
      if (held.every(({ machine, cards }) => this.#unclaimed.freeOn(machine) >= cards)) return this.#keep(held);
      this.#leave(held);
      job.displace(nowMs, this.#lastMs);
    }
    const shares = this.#placeFor(job.cards);
    if (shares === null) return;
    this.#claim(shares);
    job.start(shares, nowMs);
  }

  #placeFor(cards: number): readonly Share[] | null {
    if (cards >= this.#noRoomFrom || this.#noRoom.has(cards)) return null;
    const shares = this.#spare.find(cards) ?? this.#unclaimed.find(cards);
    if (shares === null) {
      if (cards <= CARDS_PER_MACHINE) this.#noRoomFrom = cards;
      else this.#noRoom.add(cards);
    }
    return shares;
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
