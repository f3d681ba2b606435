import { type Book, type CardKind, type Holding, yieldsCompute } from '@springtide/core/state';

/** A card that may be promised beyond its size, or that shared pods hold a part of. */
export interface SharedCard {
  /** Names of the shared pods on it. */
  readonly pods: readonly string[];
  readonly memoryMiB: number;
  readonly computeMilli: number;
  /** What pods ask, in sum. */
  readonly guaranteed: Promised;
  readonly shared: Promised;
  /** The most that all pods may be promised of its memory. */
  readonly memoryBoundMiB: number;
  /** The most that shared pods may be promised of its compute; null: as slices, within the card. */
  readonly computeBoundMilli: number | null;
  /** What pods use: no source tells it. */
  readonly measured: null;
}

interface Promised {
  readonly memoryMiB: number;
  readonly computeMilli: number;
}

/** By machine and card id, in order of rank. O(cards + holdings on such cards). */
export function sharedCards(book: Book): Map<string, Map<string, SharedCard>> {
  const machines = new Map<string, Map<string, SharedCard>>();
  book.machines.forEach(({ id }, rank) => {
    const cards = new Map<string, SharedCard>();
    const isHeld = book.podsOn(rank).some(({ pod }) => pod.request.cards.kind === 'shared');
    const end = book.cardStart[rank + 1] as number;
    for (let card = book.cardStart[rank] as number; card < end; card += 1) {
      const kind = book.kinds[book.cardKind[card] as number] as CardKind;
      if (!isHeld && kind.shared === undefined) continue;
      const found = sharedCard(book.podsOn(rank), kind, card);
      if (kind.shared !== undefined || found.pods.length > 0) cards.set(book.cardIds[card] as string, found);
    }
    if (cards.size > 0) machines.set(id, cards);
  });
  return machines;
}

function sharedCard(holdings: readonly Holding[], kind: CardKind, card: number): SharedCard {
  const on = holdings.filter(({ cards }) => cards.includes(card));
  const isShared = ({ pod }: Holding): boolean => pod.request.cards.kind === 'shared';
  const shared = on.filter(isShared);
  const { memoryMiB, computeMilli } = kind;
  const asShared = { kind: 'shared', resource: kind.resource, count: 1, models: null } as const;
  const yields = yieldsCompute({ ...asShared, memory: { unit: 'none' }, computeMilli: 0, priority: 1 }, kind);
  return {
    pods: shared.map(({ pod }) => pod.id).toSorted(),
    memoryMiB,
    computeMilli,
    guaranteed: promised(
      on.filter((holding) => !isShared(holding)),
      card,
    ),
    shared: promised(shared, card),
    memoryBoundMiB: kind.shared?.memoryMiB ?? memoryMiB,
    computeBoundMilli: yields ? (kind.shared?.computeMilli ?? null) : null,
    measured: null,
  };
}

function promised(holdings: readonly Holding[], card: number): Promised {
  const parts = holdings.flatMap((holding) =>
    holding.cards.flatMap((held, i) =>
      held === card ? [{ memoryMiB: holding.memoryMiB[i] ?? 0, computeMilli: holding.computeMilli[i] ?? 0 }] : [],
    ),
  );
  return {
    memoryMiB: parts.reduce((sum, part) => sum + part.memoryMiB, 0),
    computeMilli: parts.reduce((sum, part) => sum + part.computeMilli, 0),
  };
}
