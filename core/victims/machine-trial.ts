import type { Machine, Pod } from '../model/index.ts';
import { refusalOf } from '../placement/index.ts';
import { Book, type Holding, type RequestClass } from '../state/index.ts';

/**
 * One machine of the book on its own, to try who would have to leave for a pod. The fleet's book stays untouched,
 * so its score caches stay warm: trying every machine would otherwise cost a rescore of each for every class.
 * Filters about other pods are not asked here; the caller proves a plan on the fleet's book before it acts.
 */
export class MachineTrial {
  readonly #book: Book;
  readonly #requestClass: RequestClass;
  readonly #firstCard: number;

  constructor(fleet: Book, machine: number, pod: Pod) {
    this.#book = new Book([fleet.machines[machine] as Machine]);
    this.#requestClass = this.#book.classOf(pod.request, pod.tenant);
    this.#firstCard = fleet.cardStart[machine] as number;
  }

  /** Whether the pod fits beside what is held in the trial. */
  get fits(): boolean {
    return refusalOf(this.#book, this.#requestClass, 0) === 0;
  }

  hold(holding: Holding): void {
    const cards = holding.cards.map((card) => card - this.#firstCard);
    this.#book.hold({ ...holding, machine: 0, cards });
  }

  release(holding: Holding): void {
    this.#book.release(holding.pod.id);
  }
}
