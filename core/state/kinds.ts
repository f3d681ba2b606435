import type { Card } from '../model/index.ts';

/** Cards that are alike in everything a request can ask for. The book counts and compares by kind. */
export interface CardKind {
  readonly index: number;
  readonly vendor: string;
  readonly resource: string;
  readonly model: string;
  /** 0 when unknown. */
  readonly memoryMiB: number;
  readonly computeMilli: number;
  readonly slicing: Card['slicing'];
}

function keyOf(card: Card): string {
  return [card.vendor, card.resource, card.model, card.memoryMiB, card.computeMilli, card.slicing].join('\u0000');
}

/** The kinds of a fleet, in the order given (the book hands cards over in rank order). */
export class CardKinds {
  readonly list: CardKind[] = [];
  readonly #byKey = new Map<string, CardKind>();

  indexOf(card: Card): number {
    const key = keyOf(card);
    let kind = this.#byKey.get(key);
    if (kind === undefined) {
      const { vendor, resource, model, memoryMiB, computeMilli, slicing } = card;
      kind = { index: this.list.length, vendor, resource, model, memoryMiB, computeMilli, slicing };
      this.list.push(kind);
      this.#byKey.set(key, kind);
    }
    return kind.index;
  }
}
