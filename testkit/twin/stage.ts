import type { Machine, Pod } from '@springtide/core/model';
import type { Placer } from '@springtide/core/placement';
import { Book, type Holding, NOBODY } from '@springtide/core/state';
import type { Step } from '../generators/index.ts';
import type { World } from './world.ts';

/**
 * Puts a pod where somebody else chose: on whatever cards were named, whether they have room or not, one of them
 * twice perhaps, on MIG slices that others hold perhaps, and with cards that the machine does not have.
 */
function observedHolding(book: Book, pod: Pod, machine: number, picks: readonly number[]): Holding {
  const start = book.cardStart[machine] as number;
  const width = (book.cardStart[machine + 1] as number) - start;
  const placed = width === 0 ? [] : picks.filter((pick) => pick < PICK_MISSING);
  const cards = placed.map((pick) => start + (pick % width));
  const isMig = (card: number): boolean => book.kinds[book.cardKind[card] as number]?.slicing === 'mig';
  return {
    pod,
    machine,
    cards,
    memoryMiB: cards.map((card, i) => (isMig(card) ? 1000 : 10_000 * (i + 1))),
    computeMilli: cards.map((card, i) => (isMig(card) ? 0 : 400 * i)),
    cpus: [],
    migBits: cards.some(isMig) ? placed.map((pick, i) => (isMig(cards[i] as number) ? 2 ** (pick % 4) : 0)) : [],
    cardsMissing: picks.length - cards.length,
    guessed: false,
    deleting: picks.length === 1,
  };
}

/** Picks from here on name cards that no machine has. */
const PICK_MISSING = 56;

/**
 * A book with its twin: takes steps, and keeps a plain list of holdings beside the book. A savepoint remembers the
 * list and a roll back puts it back.
 */
export class Stage {
  readonly book: Book;
  readonly pods: readonly Pod[];
  #holdings: readonly Holding[] = [];
  #reserved: ReadonlySet<string> = new Set();
  readonly #saved: { savepoint: number; world: World }[] = [];

  constructor(machines: readonly Machine[], pods: readonly Pod[], order?: readonly string[]) {
    this.book = new Book(machines, order === undefined ? {} : { order });
    this.pods = pods;
  }

  get world(): World {
    return { machines: this.book.machines, holdings: this.#holdings, reserved: this.#reserved };
  }

  /** Savepoints that are open. */
  get depth(): number {
    return this.#saved.length;
  }

  /** Takes a step; one that is not possible now does nothing. */
  take(step: Step, placers: readonly Placer[]): void {
    switch (step.kind) {
      case 'place':
        return this.#place(this.#podOf(step.pod), placers[step.policy % placers.length] as Placer);
      case 'observe':
        return this.#observe(this.#podOf(step.pod), step.machine, step.cards);
      case 'release':
        return this.#release(step.pick);
      case 'reserve':
        return this.#reserve(step.machine, step.reservation);
      case 'savepoint':
        this.#saved.push({ savepoint: this.book.savepoint(), world: this.world });
        return;
      case 'rollBack':
      case 'keep':
        return this.#close(step.kind);
    }
  }

  #podOf(number: number): Pod {
    return this.pods[number % this.pods.length] as Pod;
  }

  #holds(pod: Pod): boolean {
    return this.#holdings.some((holding) => holding.pod.id === pod.id);
  }

  #place(pod: Pod, placer: Placer): void {
    if (this.#holds(pod)) return;
    const decision = placer.place(pod);
    if (decision.ok) this.#holdings = [...this.#holdings, decision.holding];
  }

  #observe(pod: Pod, number: number, picks: readonly number[]): void {
    if (this.#holds(pod)) return;
    const holding = observedHolding(this.book, pod, number % this.book.machines.length, picks);
    this.book.hold(holding);
    this.#holdings = [...this.#holdings, holding];
  }

  #release(pick: number): void {
    if (this.#holdings.length === 0) return;
    const gone = this.#holdings[pick % this.#holdings.length] as Holding;
    this.book.release(gone.pod.id);
    this.#holdings = this.#holdings.filter((holding) => holding !== gone);
  }

  #reserve(number: number, reservation: number): void {
    const machine = number % this.book.machines.length;
    this.book.reserve(machine, reservation < 0 ? NOBODY : reservation);
    const { id } = this.book.machines[machine] as Machine;
    const others = [...this.#reserved].filter((name) => name !== id);
    this.#reserved = new Set(reservation < 0 ? others : [...others, id]);
  }

  #close(how: 'rollBack' | 'keep'): void {
    const saved = this.#saved.pop();
    if (saved === undefined) return;
    this.book[how](saved.savepoint);
    if (how === 'keep') return;
    this.#holdings = saved.world.holdings;
    this.#reserved = saved.world.reserved;
  }
}
