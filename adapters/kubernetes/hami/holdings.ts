import type { Card, SliceHeld } from '@springtide/core/model';
import { cardResource, migProfile, templateTable } from '@springtide/core/vendors';
import type { CardGroup } from '../card-group.ts';
import { HAMI_KEYS, HAMI_MIG_ALLOCATIONS, type HamiKeys } from './keys.ts';
import { oldInstance } from './mig-instance.ts';
import {
  type CardUse,
  decodeMigAllocations,
  decodePodDevices,
  effectiveUse,
  type MigAllocation,
  oldMigName,
} from './pods.ts';
import type { PodDraft } from '../observed-pod.ts';
import type { Problem } from '../problem.ts';

/** A machine's cards, as the annotations of its pods name them. */
export interface NamedCards {
  readonly machine: string;
  readonly groups: readonly CardGroup[];
  /** By the id that the plug-in gave, which may differ from the book's. */
  readonly byName: ReadonlyMap<string, Card>;
  readonly byId: ReadonlyMap<string, Card>;
}

export interface Holdings {
  /** Null: nothing names what is held, or what names it cannot be trusted. */
  readonly held: readonly SliceHeld[] | null;
  readonly problems: readonly Problem[];
}

const NONE: Holdings = { held: null, problems: [] };

/** What HAMi's annotations say that a pod holds on its machine. */
export function hamiHoldings(draft: PodDraft, cards: NamedCards): Holdings {
  const { allocations } = draft;
  if (allocations === null) return NONE;
  const kinds = HAMI_KEYS.map((keys) => holdingsOfKind(draft, keys, cards, allocations));
  const problems = kinds.flatMap((kind) => kind.problems);
  const held = kinds.flatMap((kind) => kind.held ?? []);
  const isTrusted = problems.every(({ problem }) => problem === 'unknown-card');
  // A card that is not there any more hides none of those that are: the book counts it as missing.
  const isKnown = held.some(({ cardId }) => cards.byId.has(cardId));
  if (!isTrusted || !isKnown) return { held: null, problems };
  const { held: cut, problems: more } = withInstances(draft, cards, held);
  return { held: cut, problems: [...problems, ...more] };
}

function holdingsOfKind(
  draft: PodDraft,
  keys: HamiKeys,
  cards: NamedCards,
  allocations: ReadonlyMap<string, string>,
): Holdings {
  const annotation = annotationOf(keys, allocations);
  if (annotation === null) return NONE;
  const devices = decodePodDevices(allocations.get(annotation) ?? '');
  if (!devices.ok) return { held: null, problems: [malformed(draft, cards.machine, annotation)] };
  const held: SliceHeld[] = [];
  const problems: Problem[] = [];
  for (const use of effectiveUse(devices.value, initEntries(draft, devices.value.length))) {
    const card = cardOf(use, keys, cards);
    if (card === null) {
      held.push(unknownSlice(use));
      problems.push(unknownCard(draft, cards.machine, use.uuid));
    } else held.push(sliceOf(use, card), ...furtherSlots(use, card));
  }
  return { held, problems };
}

/**
 * How many entries are init containers'. A list has one entry more than containers; where it has fewer, those of
 * containers without a card are lost, nobody can tell whose the others are, and all count as running together.
 */
function initEntries({ initCount, appCount }: PodDraft, entries: number): number {
  return entries > initCount + appCount ? initCount : 0;
}

/** `-allocated` wins; what a plug-in has only been told is held as well. An empty value tells nothing. */
function annotationOf(keys: HamiKeys, allocations: ReadonlyMap<string, string>): string | null {
  for (const key of [keys.allocated, keys.toAllocate]) {
    if (key !== '' && (allocations.get(key) ?? '') !== '') return key;
  }
  return null;
}

/** Kinds without a register name their cards `node-kind-3`, by position. */
function cardOf(use: CardUse, keys: HamiKeys, cards: NamedCards): Card | null {
  const named = cards.byName.get(use.uuid) ?? cards.byName.get(oldMigName(use.uuid)?.uuid ?? '');
  if (named !== undefined) return named;
  const group = cards.groups.find((item) => item.resource === keys.resource);
  if (group === undefined || !use.uuid.startsWith(`${cards.machine}-`)) return null;
  const index = /-(\d{1,4})$/.exec(use.uuid)?.[1];
  const id = index === undefined ? undefined : group.cardIds[Number(index)];
  return id === undefined ? null : (cards.byId.get(id) ?? null);
}

function sliceOf(use: CardUse, card: Card): SliceHeld {
  if (card.slicing === 'none') {
    return { cardId: card.id, memoryMiB: card.memoryMiB, computeMilli: card.computeMilli, migStart: null };
  }
  const old = card.slicing === 'mig' ? oldMigName(use.uuid) : null;
  const instance = old === null ? null : oldInstance(card, use.memoryMiB, old.slot);
  if (instance !== null) {
    const { memoryMiB, cores, start } = instance;
    return { cardId: card.id, memoryMiB, computeMilli: cores * 10, migStart: start };
  }
  const computeMilli = card.slicing === 'template' ? templateCompute(use, card) : milliOf(use, card);
  return { cardId: card.id, memoryMiB: use.memoryMiB, computeMilli, migStart: null };
}

function unknownSlice({ uuid, memoryMiB, cores }: CardUse): SliceHeld {
  return { cardId: uuid, memoryMiB, computeMilli: cores * 10, migStart: null };
}

/** Plug-ins count percent of a card, or the cores that their resource counts. */
function milliOf({ cores }: CardUse, { resource }: Card): number {
  const units = cardResource(resource)?.resource.slices?.computeUnits ?? 100;
  return Math.floor((cores * 1000) / units);
}

/** Each container on a card takes one of the parts that the plug-in hands out; what they hold is in the first. */
function furtherSlots({ slots }: CardUse, card: Card): SliceHeld[] {
  if (card.slicing !== 'memory') return [];
  return Array.from({ length: slots - 1 }, () => ({
    cardId: card.id,
    memoryMiB: 0,
    computeMilli: 0,
    migStart: null,
  }));
}

/** A template's share of the cores, which the annotation leaves out; soft slices name theirs. */
function templateCompute(use: CardUse, card: Card): number {
  const table = templateTable(card.model);
  const row = table?.templates.find((template) => template.memoryMiB === use.memoryMiB);
  if (table === null || use.cores > 0) return use.cores * 10;
  return row === undefined ? card.computeMilli : Math.floor((row.cores * 1000) / table.cores);
}

/** Cards in MIG mode are held by instance: where each lies is in an annotation of its own. */
function withInstances(draft: PodDraft, cards: NamedCards, held: readonly SliceHeld[]): Holdings {
  const text = draft.allocations?.get(HAMI_MIG_ALLOCATIONS);
  if (text === undefined || text === '') return { held, problems: [] };
  const allocations = decodeMigAllocations(text);
  if (allocations === null) return { held, problems: [malformed(draft, cards.machine, HAMI_MIG_ALLOCATIONS)] };
  const instances = withoutOverlaps(allocations).flatMap((allocation): SliceHeld[] => {
    const card = cards.byName.get(allocation.uuid);
    return card === undefined ? [] : [instanceOf(allocation, card)];
  });
  const cut = new Set(instances.map((instance) => instance.cardId));
  return { held: [...held.filter((slice) => !cut.has(slice.cardId)), ...instances], problems: [] };
}

/** An init container's instance may lie under one of a container's: the larger one holds the slices. */
function withoutOverlaps(allocations: readonly MigAllocation[]): MigAllocation[] {
  const kept: MigAllocation[] = [];
  for (const item of allocations.toSorted((left, right) => right.size - left.size)) {
    const overlaps = kept.some(
      (other) =>
        other.uuid === item.uuid && item.start < other.start + other.size && other.start < item.start + item.size,
    );
    if (!overlaps) kept.push(item);
  }
  return kept;
}

function instanceOf(allocation: MigAllocation, card: Card): SliceHeld {
  const offer = card.migProfiles?.find(({ name }) => name === allocation.profile);
  const profile = offer ?? migProfile(card.model, allocation.profile);
  return {
    cardId: card.id,
    memoryMiB: profile?.memoryMiB ?? Math.floor((card.memoryMiB * allocation.size) / 8),
    computeMilli: profile?.computeMilli ?? Math.floor((1000 * allocation.size) / 8),
    migStart: allocation.start,
  };
}

function malformed(draft: PodDraft, node: string, annotation: string): Problem {
  return { problem: 'malformed', node, pod: draft.pod.id, annotation };
}

function unknownCard(draft: PodDraft, node: string, card: string): Problem {
  return { problem: 'unknown-card', pod: draft.pod.id, node, card };
}
