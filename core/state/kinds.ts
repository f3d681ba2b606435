import type { Card, MigOffer } from '../model/index.ts';
import { migTable } from '../vendors/index.ts';

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
  /** As in `Card`. */
  readonly migProfiles?: readonly MigOffer[];
}

/** Memory slices of a card that is cut into MIG instances: as far as the registered profiles reach, else the product's. */
export function migSlices({ migProfiles, model }: CardKind): number {
  if (migProfiles === undefined) return migTable(model)?.slices ?? 8;
  return migProfiles.reduce((most, { starts, size }) => Math.max(most, size + Math.max(0, ...starts)), 1);
}

function keyOf(card: Card): string {
  const parts = [card.vendor, card.resource, card.model, card.memoryMiB, card.computeMilli, card.slicing];
  if (card.migProfiles !== undefined) parts.push(JSON.stringify(card.migProfiles));
  return parts.join('\u0000');
}

/** The kinds of a fleet, in the order given (the book hands cards over in rank order). */
export class CardKinds {
  readonly list: CardKind[] = [];
  readonly #byKey = new Map<string, CardKind>();

  indexOf(card: Card): number {
    const key = keyOf(card);
    let kind = this.#byKey.get(key);
    if (kind === undefined) {
      const { vendor, resource, model, memoryMiB, computeMilli, slicing, migProfiles } = card;
      const offers = migProfiles === undefined ? {} : { migProfiles };
      kind = { index: this.list.length, vendor, resource, model, memoryMiB, computeMilli, slicing, ...offers };
      this.list.push(kind);
      this.#byKey.set(key, kind);
    }
    return kind.index;
  }
}
