import type { Card } from '@springtide/core/model';
import { cardResource, VENDORS } from '@springtide/core/vendors';
import type { CardGroup, GroupAsk, GroupRead } from './card-group.ts';
import { hamiCards } from './hami-cards.ts';
import { HAMI_KEYS } from './hami-keys.ts';
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
    cards.push(...read.cards);
    groups.push(read.group);
    problems.push(...read.problems);
  }
  return { cards, groups, problems };
}

/** Card resources that the node counts, or whose cards an annotation names. */
function cardNames(node: NodeDraft): string[] {
  const registered = new Set(
    HAMI_KEYS.filter((keys) => node.annotations.has(keys.register)).map((keys) => keys.resource),
  );
  const names = VENDORS.flatMap((vendor) => vendor.cards.map((resource) => resource.name));
  return names.filter((name) => node.capacity.has(name) || node.allocatable.has(name) || registered.has(name));
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
    if (profile !== null && ask.total > 0) return singleMigCards(ask, profile);
  }
  return ask.resource.counts === 'shares' && ask.total > 0 ? unregisteredShares(ask) : wholeCards(ask);
}
