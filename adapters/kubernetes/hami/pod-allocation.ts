import type { Card, SliceHeld } from '@springtide/core/model';
import type { Containers } from '../effective.ts';
import { type HamiAllocation, hamiAllocation } from './allocation.ts';
import type { NamedCards } from './holdings.ts';
import { migInstance } from './mig-instance.ts';
import { cardName, type ChosenCard, isTold, shareOut } from './share-out.ts';

export interface PodAllocationAsk {
  readonly cards: NamedCards;
  readonly containers: Containers;
  /** What the book gives the pod, in its order. All are of one kind: a pod has one kind of card. */
  readonly slices: readonly SliceHeld[];
  /** Annotations of the pod as it is. */
  readonly annotations: ReadonlyMap<string, string>;
  /** The node's register annotation of the kind; null: it has none. */
  readonly register: (resource: string) => string | null;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * What to write on a pod for the plug-in of its cards, and which lock to take; null where no plug-in reads
 * annotations: Kubernetes alone counts such cards.
 */
export function podAllocation(ask: PodAllocationAsk): HamiAllocation | null {
  const { cards, containers } = ask;
  const [first] = ask.slices;
  const resource = first === undefined ? undefined : cards.byId.get(first.cardId)?.resource;
  const group = cards.groups.find((item) => item.resource === resource);
  if (group === undefined || !isTold(group.resource, group.kind)) return null;
  const chosen = ask.slices.flatMap((slice): ChosenCard[] => {
    const card = cards.byId.get(slice.cardId);
    if (card === undefined || card.resource !== resource) return [];
    const index = group.cardIds.indexOf(card.id);
    return [chosenCard(slice, card, { index, uuid: cardName(group.resource, cards.machine, card.id, index) })];
  });
  return hamiAllocation({
    resource: group.resource,
    machine: cards.machine,
    containers: shareOut(containers, group.resource, chosen),
    initCount: containers.init.length,
    annotations: ask.annotations,
    register: ask.register(group.resource),
    nowMs: ask.nowMs,
  });
}

function chosenCard(slice: SliceHeld, card: Card, name: Pick<ChosenCard, 'uuid' | 'index'>): ChosenCard {
  const { memoryMiB, computeMilli, migStart } = slice;
  const instance = migStart === null ? null : migInstance(card, memoryMiB);
  if (migStart === null || instance === null) return { ...name, card, memoryMiB, computeMilli };
  const { profile, size, cores } = instance;
  return { ...name, card, memoryMiB: instance.memoryMiB, computeMilli, mig: { profile, start: migStart, size, cores } };
}
