import type { Card } from '@springtide/core/model';
import { cardResource, VENDORS } from '@springtide/core/vendors';
import type { CardGroup, GroupAsk, GroupRead } from './card-group.ts';
import { hamiCards } from './hami/cards.ts';
import { HAMI_KEYS } from './hami/keys.ts';
import { firstLabel, type NodeDraft } from './node.ts';
import type { Problem } from './problem.ts';
import { sharesPerCard, timeSlicedCards } from './time-slicing.ts';
import { singleMigCards, singleMigProfile, unregisteredShares, wholeCards } from './whole-cards.ts';

export interface MachineCards {
  readonly cards: readonly Card[];
  readonly groups: readonly CardGroup[];
  readonly problems: readonly Problem[];
}

/** Makes out the cards of a machine, one group for each card resource it has, in the order of the vendor table. */
export function machineCards(node: NodeDraft, hasFractions: boolean): MachineCards {
  const cards: Card[] = [];
  const groups: CardGroup[] = [];
  const problems: Problem[] = [];
  for (const name of cardNames(node)) {
    const card = cardResource(name);
    if (card === null) continue;
    const usable = node.allocatable.get(name) ?? 0;
    const read = readGroup({
      ...card,
      node,
      model: firstLabel(node.labels, card.vendor.modelLabels),
      total: Math.max(usable, node.capacity.get(name) ?? 0),
      usable,
      firstIndex: cards.length,
      hasFractions,
    });
    problems.push(...read.problems);
    // A plug-in that was taken off the node leaves a zero behind.
    if (read.cards.length === 0 && read.group.kind !== 'malformed') continue;
    cards.push(...read.cards);
    groups.push(read.group);
  }
  return { cards, groups, problems };
}

const CARD_NAMES = VENDORS.flatMap((vendor) => vendor.cards.map((resource) => resource.name));

/** Card resources that the node counts, or whose cards an annotation names, in the order of the vendor table. */
function cardNames(node: NodeDraft): string[] {
  const names = new Set([...node.capacity.keys(), ...node.allocatable.keys()]);
  for (const keys of node.annotations.size === 0 ? [] : HAMI_KEYS) {
    if (node.annotations.has(keys.register)) names.add(keys.resource);
  }
  return CARD_NAMES.filter((name) => names.has(name));
}

function readGroup(ask: GroupAsk): GroupRead {
  const hami = hamiCards(ask);
  if (hami !== null) return hami;
  const { labels } = ask.node;
  if (ask.vendor.name === 'nvidia') {
    const isShared = ask.resource.counts === 'shares' || ask.model.endsWith('-SHARED');
    const shares = sharesPerCard(labels, ask.total, isShared);
    if (shares > 1) return timeSlicedCards(ask, shares);
    const profile = singleMigProfile(ask.model);
    if (profile !== null) return singleMigCards(ask, profile);
  }
  return ask.resource.counts === 'shares' && ask.total > 0 ? unregisteredShares(ask) : wholeCards(ask);
}
