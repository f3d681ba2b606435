import type { Card } from '@springtide/core/model';
import { type CardModel, cardModel, migProfile, migTable } from '@springtide/core/vendors';
import { type GroupAsk, type GroupRead, groupOf } from './card-group.ts';

/** Cards that Kubernetes only counts: `node/0`, `node/1`, ... The units it does not allocate are faulty ones. */
export function wholeCards(ask: GroupAsk): GroupRead {
  const hasInstances = [...ask.node.capacity].some(([name, amount]) => amount > 0 && ask.vendor.instances?.test(name));
  const isFractional = ask.hasFractions && ask.resource.name === 'nvidia.com/gpu';
  const cards = unitCards(ask, {
    memoryMiB: memoryOf(ask),
    computeMilli: 1000,
    slicing: isFractional ? 'fraction' : 'none',
  });
  return groupOf(ask, hasInstances ? 'mig' : 'whole', cards);
}

/** Single strategy: `nvidia.com/gpu` counts instances, and the product label ends in `-MIG-1g.5gb`. */
export function singleMigCards(ask: GroupAsk, profile: string): GroupRead {
  const instance = migProfile(ask.model, profile);
  const labelled = labelledMemory(ask);
  const memoryMiB = labelled > 0 ? labelled : (instance?.memoryMiB ?? 0);
  const cards = unitCards(ask, { memoryMiB, computeMilli: instance?.computeMilli ?? 1000, slicing: 'none' });
  return groupOf(ask, 'mig-single', cards);
}

/** The profile behind `-MIG-`, if the label has one. */
export function singleMigProfile(model: string): string | null {
  return /-MIG-([0-9a-z.+]+)$/.exec(model)?.[1] ?? null;
}

/** Instances of one profile on a whole card of the model; 1 when the model is unknown. */
export function instancesPerCard(model: string, profile: string): number {
  const instance = migProfile(model, profile);
  const slices = migTable(model)?.slices ?? 0;
  return instance === null ? 1 : Math.min(instance.starts.length, Math.floor(slices / instance.size));
}

/** Shares of unknown cards: each unit is a line of the book, so that Kubernetes' count fits. */
export function unregisteredShares(ask: GroupAsk): GroupRead {
  const cards = unitCards(ask, { memoryMiB: 0, computeMilli: 1000, slicing: 'none' });
  const problems = [{ problem: 'unregistered', node: ask.node.name, resource: ask.resource.name }] as const;
  return groupOf(ask, 'unregistered', cards, { problems });
}

function unitCards(ask: GroupAsk, size: Pick<Card, 'memoryMiB' | 'computeMilli' | 'slicing'>): Card[] {
  const row = modelOf(ask);
  const { model, total, usable, firstIndex } = ask;
  const { memoryMiB, computeMilli, slicing } = size;
  return Array.from({ length: total }, (_, index) => ({
    id: `${ask.node.name}/${firstIndex + index}`,
    vendor: ask.vendor.name,
    resource: ask.resource.name,
    model,
    memoryMiB,
    computeMilli,
    sharesMax: null,
    slicing,
    island: islandOf(row, index),
    health: index < usable ? 'ok' : 'fault',
  }));
}

export function modelOf(ask: GroupAsk): CardModel | null {
  return cardModel(ask.vendor, ask.model === '' ? ask.resource.impliedModel : ask.model);
}

export function islandOf(row: CardModel | null, index: number): number {
  const size = row?.islandSize ?? null;
  return size === null ? 0 : Math.floor(index / size);
}

/** MiB of each card: the node's label, else the product's size, else 0. */
export function memoryOf(ask: GroupAsk): number {
  const labelled = labelledMemory(ask);
  return labelled > 0 ? labelled : (modelOf(ask)?.memoryMiB ?? 0);
}

function labelledMemory(ask: GroupAsk): number {
  const text = ask.vendor.memoryLabel === '' ? undefined : ask.node.labels.get(ask.vendor.memoryLabel);
  return text !== undefined && /^\d{1,8}$/.test(text) ? Number(text) : 0;
}
