import type { Card, CardRequest } from '../model/index.ts';
import type { CardDemand } from './classes.ts';
import type { CardKind } from './kinds.ts';

/** What a card must have free for its part of a request, and what shared pods take of it (P3, ADR 0027). */

/**
 * Whether a request's compute yields on a kind of card: it is counted by itself, and takes nothing from guaranteed
 * pods. It does only where cards are cut by memory and compute, since nowhere else it can be taken back.
 */
export function yieldsCompute(cards: CardRequest, { shared, slicing, computeMilli }: Card | CardKind): boolean {
  return cards.kind === 'shared' && slicing === 'memory' && shared !== undefined && shared.computeMilli > computeMilli;
}

/** MiB that a request may be promised beyond what a card has free: 0 for all but shared pods. */
export function memoryBeyondMiB(cards: CardRequest, { shared, slicing, memoryMiB }: CardKind): number {
  if (cards.kind !== 'shared' || slicing !== 'memory' || shared === undefined || memoryMiB === 0) return 0;
  return Math.max(0, shared.memoryMiB - memoryMiB);
}

/**
 * Where pods share a card by memory, whoever has all its compute has the card, and keeps off those that ask for none,
 * or whose compute yields: they would wait for ever. No pod gets more than a card, whatever is promised.
 */
export function computeRoom(cards: CardRequest, kind: CardKind, { computeMilli }: CardDemand): number {
  if (kind.slicing !== 'memory' || !isPart(cards)) return computeMilli;
  return yieldsCompute(cards, kind) && computeMilli <= kind.computeMilli ? 1 : Math.max(1, computeMilli);
}

export function memoryRoom(cards: CardRequest, kind: CardKind, { memoryMiB }: CardDemand): number {
  return memoryMiB > kind.memoryMiB ? memoryMiB : memoryMiB - memoryBeyondMiB(cards, kind);
}

/** Null where no compute yields, so that most classes pay nothing for it. */
export function sharedCompute(
  cards: CardRequest,
  kinds: readonly CardKind[],
  demands: readonly CardDemand[],
): Int32Array | null {
  if (!kinds.some((kind) => yieldsCompute(cards, kind))) return null;
  return Int32Array.from(kinds, (kind, i) =>
    yieldsCompute(cards, kind) ? (demands[i] as CardDemand).computeMilli : -1,
  );
}

function isPart({ kind }: CardRequest): boolean {
  return kind === 'slice' || kind === 'shared';
}

export function isAlone(cards: CardRequest, kind: CardKind, { computeMilli, refusal }: CardDemand): boolean {
  if (cards.kind === 'none' || refusal !== 0) return false;
  const isAllCompute = kind.slicing === 'memory' && kind.computeMilli === 1000 && computeMilli === 1000;
  return cards.choice?.isAlone === true || (isAllCompute && isPart(cards) && !yieldsCompute(cards, kind));
}

/** Instances of one card may serve one pod; other slices only where each is a container's own. */
export function isStacked(cards: CardRequest, { migSize }: CardDemand): boolean {
  if (cards.kind === 'none' || cards.kind === 'whole' || cards.count === 1) return false;
  return cards.choice?.isStacked === true || (isPart(cards) && migSize > 0);
}
