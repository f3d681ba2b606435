import { assert } from '../base/index.ts';
import type { Pod, TopologyRequest } from '../model/index.ts';
import { NOBODY, type Book } from '../state/index.ts';
import { domainsAt, levelsFrom, type Domain } from './domains.ts';
import type { Gang } from './gang.ts';

export interface Reservation {
  readonly gang: string;
  readonly domain: string;
  readonly machines: readonly number[];
  readonly expiresAtMs: number;
}

/** The most reservations at once: more would empty the fleet for gangs that do not run. When full, none is added. */
export const RESERVATIONS_MAX = 64;

/**
 * Domains kept for gangs that cannot start yet (P4), so that a preference does not decay into scatter: nobody
 * else is placed there until the gang starts, gives up, or the reservation times out. Nothing here survives a
 * restart, by design.
 */
export class Reservations {
  readonly #book: Book;
  readonly #byNumber = new Map<number, Reservation>();
  #next = 0;

  constructor(book: Book) {
    this.#book = book;
  }

  /** The number of a gang's reservation, or NOBODY. */
  of(gang: string): number {
    for (const [number, reservation] of this.#byNumber) if (reservation.gang === gang) return number;
    return NOBODY;
  }

  get list(): readonly Reservation[] {
    return [...this.#byNumber.values()];
  }

  /**
   * Reserves the domain of the gang's level that has most free cards among those that could hold it once empty; for
   * a gang without a topology the machines with most free cards, as few as could hold it.
   * Returns null when there is no such domain, none is free to reserve, or the bound is reached.
   */
  open(gang: Gang, expiresAtMs: number): Reservation | null {
    if (this.#byNumber.size >= RESERVATIONS_MAX || this.of(gang.id) !== NOBODY) return null;
    const domain = gang.topology === null ? this.#freest(gang) : this.#mostFree(gang, gang.topology);
    if (domain === null) return null;
    const reservation = { gang: gang.id, domain: domain.name, machines: domain.machines, expiresAtMs };
    const number = this.#next++;
    this.#byNumber.set(number, reservation);
    for (const machine of domain.machines) this.#book.reserve(machine, number);
    return reservation;
  }

  /** Gives a gang's machines back. */
  close(gang: string): void {
    const number = this.of(gang);
    const reservation = this.#byNumber.get(number);
    if (reservation === undefined) return;
    this.#byNumber.delete(number);
    for (const machine of reservation.machines) {
      if (this.#book.reservedBy[machine] === number) this.#book.reserve(machine, NOBODY);
    }
  }

  /** Closes what has timed out; returns the gangs that lost their reservation. */
  expire(nowMs: number): string[] {
    const late = this.list.filter((reservation) => reservation.expiresAtMs <= nowMs).map(({ gang }) => gang);
    for (const gang of late) this.close(gang);
    return late;
  }

  /** Machines with most free cards until there are enough: whole members only count. */
  #freest(gang: Gang): Pick<Domain, 'name' | 'machines'> | null {
    const { reservedBy, machines } = this.#book;
    const largest = gang.members.reduce((most, { pod }) => Math.max(most, cardsOf(pod)), 1);
    const open = this.#open(
      gang,
      [...machines.keys()].filter((machine) => reservedBy[machine] === NOBODY),
    );
    let missing = cardsAsked(gang);
    const chosen: number[] = [];
    for (const machine of open.toSorted((one, other) => this.#freeOn(other) - this.#freeOn(one) || one - other)) {
      if (missing <= 0) break;
      const cards = this.#cardsOn(machine);
      if (cards < largest) continue;
      missing -= cards - (cards % largest);
      chosen.push(machine);
    }
    return missing > 0 || chosen.length === 0 ? null : { name: '', machines: chosen };
  }

  #mostFree(gang: Gang, topology: TopologyRequest): Pick<Domain, 'name' | 'machines'> | null {
    const book = this.#book;
    const [level] = levelsFrom(topology.level === 'island' ? 'machine' : topology.level);
    assert(level !== undefined, 'every level has itself');
    let best: Domain | null = null;
    let bestFree = -1;
    for (const domain of domainsAt(book, level, Array.from(book.machines.keys()))) {
      if (domain.machines.some((machine) => book.reservedBy[machine] !== NOBODY)) continue;
      const open = this.#open(gang, domain.machines);
      const cards = open.reduce((sum, machine) => sum + this.#cardsOn(machine), 0);
      const free = open.reduce((sum, machine) => sum + this.#freeOn(machine), 0);
      if (cards < cardsAsked(gang) || free <= bestFree) continue;
      best = { ...domain, machines: open };
      bestFree = free;
    }
    return best;
  }

  /** Machines that some member with cards may use. */
  #open({ members }: Gang, machines: readonly number[]): number[] {
    const classes = new Set(
      members.flatMap(({ pod }) => (cardsOf(pod) === 0 ? [] : [this.#book.classOf(pod.request, pod.tenant)])),
    );
    return machines.filter((machine) => [...classes].some(({ staticRefusal }) => staticRefusal[machine] === 0));
  }

  #cardsOn(machine: number): number {
    return this.#book.machines[machine]?.cards.length ?? 0;
  }

  #freeOn(machine: number): number {
    return Math.max(0, this.#book.cardsFree[machine] as number);
  }
}

function cardsOf({ request: { cards } }: Pod): number {
  return cards.kind === 'none' ? 0 : cards.count;
}

function cardsAsked({ members }: Gang): number {
  return members.reduce((sum, { pod }) => sum + cardsOf(pod), 0);
}
