import { compareText } from '../base/index.ts';
import { type Gang, type Placer, Reservations } from '../placement/index.ts';
import { type Book, NOBODY } from '../state/index.ts';
import type { Waiting } from './queue.ts';

export interface ReservationTimes {
  /** How long a whole gang finds no room before machines are kept for it. */
  readonly gangReserveAfterMs: number;
  /** How long they are kept at most; then others may have them, and it waits as long again. */
  readonly gangReservedMs: number;
}

/** A gang that found no room, and since when. */
interface Refused {
  readonly item: Waiting;
  readonly gang: Gang;
  readonly sinceMs: number;
}

interface Holder extends Refused {
  readonly untilMs: number;
}

export interface ReservationsSnapshot {
  readonly refused: readonly Refused[];
  readonly holder: Holder | null;
}

/**
 * Machines kept for the first gang that has waited too long, so that small pods do not take every card before a
 * large gang has all of its own (P4). One gang at a time: what is kept for it stands idle meanwhile.
 */
export class GangReservations {
  readonly #times: ReservationTimes;
  readonly #refused = new Map<string, Refused>();
  #holder: Holder | null = null;
  #book: Book | null = null;
  #kept: Reservations | null = null;

  constructor(times: ReservationTimes) {
    this.#times = times;
  }

  snapshot(): ReservationsSnapshot {
    const holder = this.#holder;
    const refused = Array.from(this.#refused.values(), plainly);
    return { refused, holder: holder === null ? null : { ...plainly(holder), untilMs: holder.untilMs } };
  }

  /** Which machines are kept is chosen again, as for any book that was made anew. */
  resume({ refused, holder }: ReservationsSnapshot): void {
    for (const each of refused) this.#refused.set(each.item.key, each);
    this.#holder = holder;
  }

  /** The number of the reservation of what waits under a key, or NOBODY. */
  of(key: string): number {
    return this.#kept?.of(key) ?? NOBODY;
  }

  /** All of a gang was there and found no room, although the fleet is large enough. */
  refuse(item: Waiting, gang: Gang, nowMs: number): void {
    const sinceMs = this.#refused.get(item.key)?.sinceMs ?? nowMs;
    this.#refused.set(item.key, { item, gang, sinceMs });
  }

  /** It has started, or waits no longer. True: machines are free again. */
  forget(key: string): boolean {
    this.#refused.delete(key);
    return this.#holder?.item.key === key && this.#close();
  }

  /** Something more urgent was refused because of what is kept. True: it is no longer. */
  yieldTo(priority: number): boolean {
    return this.#holder !== null && this.#holder.item.priority < priority && this.#close();
  }

  /** Opens what is due and closes what is over. True: machines are free again. O(gangs that wait). */
  tend(nowMs: number, { book }: Placer, isThere: (gang: string) => boolean): boolean {
    const waits = (key: string): boolean => isThere(key.slice('gang:'.length));
    if (book !== this.#book) this.#moveTo(book);
    const holder = this.#holder;
    const isFreed = holder !== null && (holder.untilMs <= nowMs || !waits(holder.item.key)) && this.#close();
    if (this.#holder === null && this.#firstDueMs() <= nowMs) this.#open(nowMs, waits);
    return isFreed;
  }

  get wakeAtMs(): number | null {
    const wakeAtMs = this.#holder?.untilMs ?? this.#firstDueMs();
    return wakeAtMs === Infinity ? null : wakeAtMs;
  }

  #firstDueMs(): number {
    let firstMs = Infinity;
    for (const { sinceMs } of this.#refused.values()) firstMs = Math.min(firstMs, sinceMs);
    return firstMs + this.#times.gangReserveAfterMs;
  }

  /** A book that was made anew keeps nothing: the holder chooses again, for the time that is left. */
  #moveTo(book: Book): void {
    this.#book = book;
    this.#kept = new Reservations(book);
    if (this.#holder !== null && this.#kept.open(this.#holder.gang, this.#holder.untilMs) === null) this.#holder = null;
  }

  #open(nowMs: number, waits: (key: string) => boolean): void {
    const { gangReserveAfterMs, gangReservedMs } = this.#times;
    const due: Refused[] = [];
    for (const [key, refused] of this.#refused) {
      if (!waits(key)) this.#refused.delete(key);
      else if (refused.sinceMs + gangReserveAfterMs <= nowMs) due.push(refused);
    }
    for (const refused of due.toSorted(inOrder)) {
      const untilMs = nowMs + gangReservedMs;
      const isOpen = this.#kept !== null && this.#kept.open(refused.gang, untilMs) !== null;
      // It waits as long again, once the time is over or because there is nothing to keep for it.
      this.#refused.set(refused.item.key, { ...refused, sinceMs: isOpen ? untilMs : nowMs });
      if (!isOpen) continue;
      this.#holder = { ...refused, untilMs };
      return;
    }
  }

  #close(): boolean {
    const holder = this.#holder;
    this.#holder = null;
    if (holder === null) return false;
    this.#kept?.close(holder.gang.id);
    return true;
  }
}

/** Without what is known of its trial besides. */
function plainly({ item, gang, sinceMs }: Refused): Refused {
  const { key, pods, wanted, started, priority, createdAtMs, topology, unknownTopology } = item;
  const waiting = { key, pods, wanted, started, priority, createdAtMs, topology, unknownTopology };
  return { item: waiting, gang, sinceMs };
}

function inOrder({ item: one }: Refused, { item: other }: Refused): number {
  return other.priority - one.priority || one.createdAtMs - other.createdAtMs || compareText(one.key, other.key);
}
