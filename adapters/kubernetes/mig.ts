import { migProfile, type MigProfile, migTable } from '@springtide/core/vendors';
import type { CardGroup } from './card-group.ts';
import type { NodeDraft } from './node.ts';
import { instancesPerCard, singleMigProfile } from './whole-cards.ts';

/** A machine some of whose cards are cut into MIG instances. */
export interface MigMachine {
  readonly strategy: 'mixed' | 'single';
  readonly physicalCards: number;
  /** Cards that are not cut. */
  readonly wholeCards: number;
  readonly cardsInMig: number;
  readonly wholeAllocated: number;
  /** By resource name; under the single strategy by the name that the mixed one would use. */
  readonly profiles: ReadonlyMap<string, { readonly total: number; readonly used: number }>;
}

const PREFIX = 'nvidia.com/mig-';
const COUNT = 'nvidia.com/gpu.count';

/** What the pods of a machine hold of a resource. */
export type HeldOf = (resource: string) => number;

/** The machine's MIG section, or null when it has no instances. */
export function migMachine(node: NodeDraft, groups: readonly CardGroup[], heldOf: HeldOf): MigMachine | null {
  const single = groups.find((group) => group.kind === 'mig-single');
  if (single !== undefined) return singleMachine(single, heldOf);
  const profiles = new Map<string, { total: number; used: number }>();
  for (const [name, total] of node.capacity) {
    if (name.startsWith(PREFIX) && total > 0) profiles.set(name, { total, used: heldOf(name) });
  }
  if (profiles.size === 0) return null;
  const whole = groups.find((group) => group.kind === 'mig');
  const wholeCards = whole?.cardIds.length ?? 0;
  const model = whole?.model ?? node.labels.get('nvidia.com/gpu.product') ?? '';
  const least = wholeCards + cardsFor(model, profiles);
  // Some versions of feature discovery count only the cards that are not cut.
  const labelled = Number(/^\d{1,4}$/.exec(node.labels.get(COUNT) ?? '')?.[0] ?? 0);
  const physicalCards = Math.max(least, labelled);
  const cardsInMig = physicalCards - wholeCards;
  const wholeAllocated = whole === undefined ? 0 : heldOf(whole.resource);
  return { strategy: 'mixed', physicalCards, wholeCards, cardsInMig, wholeAllocated, profiles };
}

function singleMachine(group: CardGroup, heldOf: HeldOf): MigMachine {
  const profile = singleMigProfile(group.model) ?? '';
  const total = group.cardIds.length;
  const cards = Math.ceil(total / instancesPerCard(group.model, profile));
  const profiles = new Map([[`${PREFIX}${profile}`, { total, used: heldOf(group.resource) }]]);
  return { strategy: 'single', physicalCards: cards, wholeCards: 0, cardsInMig: cards, wholeAllocated: 0, profiles };
}

/** Cards that the instances need when packed first fit, the largest first. */
function cardsFor(model: string, profiles: ReadonlyMap<string, { readonly total: number }>): number {
  const slices = migTable(model)?.slices ?? 8;
  const taken: boolean[][] = [];
  const wanted = [...profiles].flatMap(([name, { total }]) => {
    const profile = migProfile(model, name.slice(PREFIX.length));
    return profile === null ? [] : [{ profile, total }];
  });
  for (const { profile, total } of wanted.toSorted((left, right) => right.profile.size - left.profile.size)) {
    for (let placed = 0; placed < total; placed += 1) {
      if (!taken.some((card) => put(card, profile))) {
        const card = Array.from({ length: slices }, () => false);
        put(card, profile);
        taken.push(card);
      }
    }
  }
  return taken.length;
}

/** Takes the best free start, which keeps the low slices for large profiles. */
function put(card: boolean[], profile: MigProfile): boolean {
  const start = profile.starts.find((first) => !card.slice(first, first + profile.size).includes(true));
  if (start === undefined) return false;
  card.fill(true, start, start + profile.size);
  return true;
}
