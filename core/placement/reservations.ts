import { assert } from '../base/index.ts';
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
   * Reserves the domain of the gang's level that has most free cards among those that could hold it once empty.
   * Returns null when there is no such domain, none is free to reserve, or the bound is reached.
   */
  open(gang: Gang, expiresAtMs: number): Reservation | null {
    if (gang.topology === null || this.#byNumber.size >= RESERVATIONS_MAX || this.of(gang.id) !== NOBODY) return null;
    const [level] = levelsFrom(gang.topology.level === 'island' ? 'machine' : gang.topology.level);
    assert(level !== undefined, 'every level has itself');
    const domain = this.#mostFree(gang, level);
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

  #mostFree(gang: Gang, level: Domain['level']): Domain | null {
    const book = this.#book;
    const cardsAsked = gang.members.reduce(
      (sum, { pod }) => sum + (pod.request.cards.kind === 'none' ? 0 : pod.request.cards.count),
      0,
    );
    const wanted = new Set(gang.members.flatMap(({ pod }) => (pod.request.cards.kind === 'none' ? [] : [pod])));
    let best: Domain | null = null;
    let bestFree = -1;
    for (const domain of domainsAt(book, level, Array.from(book.machines.keys()))) {
      if (domain.machines.some((machine) => book.reservedBy[machine] !== NOBODY)) continue;
      const open = domain.machines.filter((machine) =>
        [...wanted].some((pod) => book.classOf(pod.request, pod.tenant).staticRefusal[machine] === 0),
      );
      const cards = open.reduce((sum, machine) => sum + (book.machines[machine]?.cards.length ?? 0), 0);
      const free = open.reduce((sum, machine) => sum + Math.max(0, book.cardsFree[machine] as number), 0);
      if (cards < cardsAsked || free <= bestFree) continue;
      best = { ...domain, machines: open };
      bestFree = free;
    }
    return best;
  }
}
