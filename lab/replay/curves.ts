import { machineFragmentationMilli, type TypicalRequest } from '@springtide/core/placement';
import type { Book } from '@springtide/core/state';

/** Means over the arrivals whose load rounds to the same percentage of card capacity. */
export interface CurvePoint {
  readonly loadPercent: number;
  readonly allocatedPercent: number;
  /** Idle capacity that typical pods cannot use, in percent of idle and of all capacity; null when not measured. */
  readonly fragmentationOfIdlePercent: number | null;
  readonly fragmentationPercent: number | null;
}

interface Bin {
  count: number;
  allocated: number;
  ofIdle: number;
  ofAll: number;
}

/** Allocation and fragmentation against arrived load, as the published runs report them. */
export class Curves {
  readonly #book: Book;
  readonly #typical: readonly TypicalRequest[] | null;
  readonly #capacityMilli: number;
  readonly #lostOn: Float64Array;
  readonly #bins: Bin[] = [];
  #lostMilli = 0;
  #arrivedMilli = 0;
  #allocatedMilli = 0;

  constructor(book: Book, typical: readonly TypicalRequest[] | null) {
    this.#book = book;
    this.#typical = typical;
    this.#capacityMilli = book.kinds.length === 0 ? 0 : book.cardIds.length * 1000;
    this.#lostOn = new Float64Array(book.machines.length);
    if (typical !== null) book.machines.forEach((_, machine) => this.#measure(machine));
  }

  /** Counts an arrival that asked for `askedMilli` and got `allocatedMilli` on a machine (-1: none). */
  add(askedMilli: number, allocatedMilli: number, machine: number): void {
    this.#arrivedMilli += askedMilli;
    this.#allocatedMilli += allocatedMilli;
    if (machine >= 0 && this.#typical !== null) this.#measure(machine);
    const load = Math.round((100 * this.#arrivedMilli) / this.#capacityMilli);
    const bin = (this.#bins[load] ??= { count: 0, allocated: 0, ofIdle: 0, ofAll: 0 });
    const idle = this.#capacityMilli - this.#allocatedMilli;
    bin.count += 1;
    bin.allocated += this.#allocatedMilli;
    bin.ofIdle += idle === 0 ? 0 : this.#lostMilli / idle;
    bin.ofAll += this.#lostMilli;
  }

  #measure(machine: number): void {
    const lost = machineFragmentationMilli(this.#book, this.#typical ?? [], machine);
    this.#lostMilli += lost - (this.#lostOn[machine] as number);
    this.#lostOn[machine] = lost;
  }

  points(): CurvePoint[] {
    const measured = this.#typical !== null;
    return this.#bins.flatMap((bin, loadPercent) =>
      bin === undefined
        ? []
        : [
            {
              loadPercent,
              allocatedPercent: (100 * bin.allocated) / bin.count / this.#capacityMilli,
              fragmentationOfIdlePercent: measured ? (100 * bin.ofIdle) / bin.count : null,
              fragmentationPercent: measured ? (100 * bin.ofAll) / bin.count / this.#capacityMilli : null,
            },
          ],
    );
  }
}
