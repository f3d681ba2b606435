import { EMPTY_REQUEST, type Request } from '@springtide/core/model';
import { copiesOn } from '@springtide/core/placement';
import type { Book } from '@springtide/core/state';
import { heldMilli } from '../replay/remainder.ts';
import { DAY_MS, type WorkUnit } from './work.ts';

/** The fleet at one time of the day. */
export interface DayPoint {
  readonly atMs: number;
  readonly allocatedPercent: number;
  readonly waitingPods: number;
  /** Cards that the waiting pods ask for. */
  readonly waitingCards: number;
  /** Machines on which nothing runs that holds a card. */
  readonly idleMachines: number;
  /** Cards of the largest gang of eight-card pods that could start at once, on one model in one region. */
  readonly largestGangCards: number;
}

const BIG_CARDS_MILLI = 4000;
const GANG_CARDS = 8;
const GANG_CPU_MILLI = 64_000;

/** Keeps the figures of a day while it goes by. */
export class DayFigures {
  readonly #book: Book;
  readonly #points: DayPoint[] = [];
  readonly #gangs: readonly { readonly request: Request; readonly machines: readonly number[] }[];
  #arrived = 0;
  #started = 0;
  #waitsMs = 0;
  #big = 0;
  #bigWaitsMs = 0;
  #longestMs = 0;
  readonly #pending = new Set<WorkUnit>();

  constructor(book: Book) {
    this.#book = book;
    this.#gangs = gangClasses(book);
  }

  arrived(unit: WorkUnit): void {
    if (unit.arrivalMs < 0) return;
    this.#arrived += 1;
    this.#pending.add(unit);
  }

  started(unit: WorkUnit, nowMs: number): void {
    if (!this.#pending.delete(unit)) return;
    this.#started += 1;
    this.#addWait(unit, nowMs - unit.arrivalMs);
  }

  #addWait(unit: WorkUnit, waitMs: number): void {
    this.#waitsMs += waitMs;
    this.#longestMs = Math.max(this.#longestMs, waitMs);
    if (unit.cardsMilli < BIG_CARDS_MILLI) return;
    this.#big += 1;
    this.#bigWaitsMs += waitMs;
  }

  take(atMs: number, waiting: readonly WorkUnit[]): void {
    const book = this.#book;
    let held = 0;
    for (let card = 0; card < book.cardIds.length; card += 1) {
      if ((book.cardHolders[card] as number) > 0) held += heldMilli(book, card);
    }
    let idleMachines = 0;
    for (let machine = 0; machine < book.machines.length; machine += 1) if (book.cardsIdle(machine)) idleMachines += 1;
    this.#points.push({
      atMs,
      allocatedPercent: held / (10 * book.cardIds.length),
      waitingPods: waiting.reduce((sum, unit) => sum + unit.pods.length, 0),
      waitingCards: waiting.reduce((sum, unit) => sum + unit.cardsMilli, 0) / 1000,
      idleMachines,
      largestGangCards: this.#largestGang(),
    });
  }

  #largestGang(): number {
    let most = 0;
    for (const { request, machines } of this.#gangs) {
      const requestClass = this.#book.classOf(request);
      let copies = 0;
      for (const machine of machines) copies += copiesOn(this.#book, requestClass, machine);
      most = Math.max(most, copies);
    }
    return most * GANG_CARDS;
  }

  summary() {
    // What still waits at midnight has waited until then at least.
    for (const unit of this.#pending) this.#addWait(unit, DAY_MS - unit.arrivalMs);
    return {
      points: this.#points,
      arrived: this.#arrived,
      started: this.#started,
      meanWaitMs: this.#arrived === 0 ? 0 : this.#waitsMs / this.#arrived,
      meanWaitBigMs: this.#big === 0 ? 0 : this.#bigWaitsMs / this.#big,
      longestWaitMs: this.#longestMs,
    };
  }
}

/** Eight whole cards of each product that comes in eights, in each region. */
function gangClasses(book: Book): { request: Request; machines: number[] }[] {
  const groups = new Map<string, { request: Request; machines: number[] }>();
  book.machines.forEach(({ cards, location }, machine) => {
    const [card] = cards;
    if (card === undefined || cards.length < GANG_CARDS) return;
    const key = `${location.region} ${card.model}`;
    const group = groups.get(key);
    if (group !== undefined) group.machines.push(machine);
    else groups.set(key, { request: gangRequest(card.resource, card.model), machines: [machine] });
  });
  return [...groups.values()];
}

function gangRequest(resource: string, model: string): Request {
  return {
    ...EMPTY_REQUEST,
    cpuMilli: GANG_CPU_MILLI,
    cards: { kind: 'whole', resource, count: GANG_CARDS, models: [model] },
  };
}
