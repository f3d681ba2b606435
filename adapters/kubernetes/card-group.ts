import type { Card } from '@springtide/core/model';
import type { CardOfVendor } from '@springtide/core/vendors';
import type { NodeDraft } from './node.ts';
import type { Problem } from './problem.ts';

/**
 * How the cards behind one resource of a machine are offered.
 *
 * - `whole`: one unit is one card. Fractions by annotation cut such cards too.
 * - `hami`: sliced by MiB, template or MIG; an annotation names the cards.
 * - `mig`: whole cards of a machine on which other cards are cut into MIG instances (mixed strategy).
 * - `mig-single`: every unit is a MIG instance (single strategy).
 * - `time-sliced`: every unit is one of several equal shares of a card.
 * - `unregistered`: shares of unknown cards.
 * - `malformed`: the annotation that should name the cards cannot be read; there are none to place on.
 */
export type CardKind = 'whole' | 'hami' | 'mig' | 'mig-single' | 'time-sliced' | 'unregistered' | 'malformed';

export interface CardGroup {
  readonly resource: string;
  readonly vendor: string;
  readonly kind: CardKind;
  /** The cluster's own word for the product; empty when it has none. */
  readonly model: string;
  /** The lines of the book: cards, or shares, or instances. */
  readonly cardIds: readonly string[];
  readonly healthy: number;
  /** Shares of one card where `kind` is `time-sliced`, else 1. */
  readonly sharesPerCard: number;
}

/** The cards of one resource, with what was found wrong on the way. */
export interface GroupRead {
  readonly group: CardGroup;
  readonly cards: readonly Card[];
  readonly problems: readonly Problem[];
}

/** What the makers of groups are given. */
export interface GroupAsk extends CardOfVendor {
  readonly node: NodeDraft;
  readonly model: string;
  /** Units in the node's capacity and allocatable. */
  readonly total: number;
  readonly usable: number;
  /** Cards of earlier groups of the machine, so that ids differ. */
  readonly firstIndex: number;
  /** Pods of the cluster hold fractions of whole cards. */
  readonly hasFractions: boolean;
}

export function groupOf(
  ask: GroupAsk,
  kind: CardKind,
  cards: readonly Card[],
  more: Partial<Pick<GroupRead, 'problems'> & Pick<CardGroup, 'sharesPerCard' | 'model'>> = {},
): GroupRead {
  const group: CardGroup = {
    resource: ask.resource.name,
    vendor: ask.vendor.name,
    kind,
    model: more.model ?? ask.model,
    cardIds: cards.map((card) => card.id),
    healthy: cards.filter((card) => card.health === 'ok').length,
    sharesPerCard: more.sharesPerCard ?? 1,
  };
  return { group, cards, problems: more.problems ?? [] };
}
