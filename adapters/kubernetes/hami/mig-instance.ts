import type { Card } from '@springtide/core/model';
import { migTable } from '@springtide/core/vendors';

export interface MigInstance {
  readonly profile: string;
  /** Memory slices. */
  readonly size: number;
  readonly memoryMiB: number;
  /** Percent of the card's compute. */
  readonly cores: number;
  /** First memory slices allowed. */
  readonly starts: readonly number[];
}

/** The instance of a card that has just so much memory, as the book charges it; null: the card is cut into none. */
export function migInstance(card: Card, memoryMiB: number): MigInstance | null {
  return instancesOf(card).find((instance) => instance.memoryMiB === memoryMiB) ?? null;
}

/** The place of an instance that older releases number: the slot counts the places of the smallest profile that has it. */
export function oldInstance(card: Card, memoryMiB: number, slot: number): (MigInstance & { start: number }) | null {
  const rising = instancesOf(card).toSorted((left, right) => left.memoryMiB - right.memoryMiB);
  const instance = rising.find((each) => each.memoryMiB >= memoryMiB);
  const start = instance?.starts.toSorted((left, right) => left - right)[slot];
  return instance === undefined || start === undefined ? null : { ...instance, start };
}

/** As the plug-in registered them, else as NVIDIA has them for the product. */
function instancesOf(card: Card): MigInstance[] {
  if (card.migProfiles !== undefined) {
    return card.migProfiles.map(({ name, size, memoryMiB, computeMilli, starts }) => {
      return { profile: name, size, memoryMiB, cores: Math.floor(computeMilli / 10), starts };
    });
  }
  const table = card.slicing === 'mig' ? migTable(card.model) : null;
  return [...(table?.profiles ?? [])].map(([profile, { size, computeMilli, starts }]) => ({
    starts,
    profile,
    size,
    memoryMiB: Math.floor((card.memoryMiB * size) / (table?.slices ?? 8)),
    cores: Math.floor(computeMilli / 10),
  }));
}
