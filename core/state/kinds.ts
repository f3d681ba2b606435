import type { Card, MigOffer, SharedBound } from '../model/index.ts';
import { migTable, templateTable } from '../vendors/index.ts';

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
  readonly shared?: SharedBound;
  /** As in `Card`. */
  readonly migProfiles?: readonly MigOffer[];
}

/** Memory slices of a card that is cut into MIG instances: as far as the registered profiles reach, else the product's. */
export function migSlices({ migProfiles, model }: CardKind): number {
  if (migProfiles === undefined) return migTable(model)?.slices ?? 8;
  return migProfiles.reduce((most, { starts, size }) => Math.max(most, size + Math.max(0, ...starts)), 1);
}

/** AI CPUs for vendor templates; 0 where a card is not cut by them. */
export function cpusOf({ slicing, model }: Card): number {
  return slicing === 'template' ? (templateTable(model)?.cpus ?? 0) : 0;
}

function keyOf(card: Card): string {
  const parts = [card.vendor, card.resource, card.model, card.memoryMiB, card.computeMilli, card.slicing];
  if (card.migProfiles !== undefined) parts.push(JSON.stringify(card.migProfiles));
  if (card.shared !== undefined) parts.push(`shared ${card.shared.memoryMiB} ${card.shared.computeMilli}`);
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
      const { vendor, resource, model, memoryMiB, computeMilli, slicing, migProfiles, shared } = card;
      const more = {
        ...(migProfiles === undefined ? {} : { migProfiles }),
        ...(shared === undefined ? {} : { shared }),
      };
      kind = { index: this.list.length, vendor, resource, model, memoryMiB, computeMilli, slicing, ...more };
      this.list.push(kind);
      this.#byKey.set(key, kind);
    }
    return kind.index;
  }
}
