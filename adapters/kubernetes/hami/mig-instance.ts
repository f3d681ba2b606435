import type { Card } from '@springtide/core/model';
import { migTable } from '@springtide/core/vendors';

export interface MigInstance {
  readonly profile: string;
  /** Memory slices. */
  readonly size: number;
  readonly memoryMiB: number;
  /** Percent of the card's compute. */
  readonly cores: number;
}

/** The instance of a card that has just so much memory, as the book charges it; null: the card is cut into none. */
export function migInstance(card: Card, memoryMiB: number): MigInstance | null {
  return instancesOf(card).find((instance) => instance.memoryMiB === memoryMiB) ?? null;
}

/** As the plug-in registered them, else as NVIDIA has them for the product. */
function instancesOf(card: Card): MigInstance[] {
  if (card.migProfiles !== undefined) {
    return card.migProfiles.map(({ name, size, memoryMiB, computeMilli }) => {
      return { profile: name, size, memoryMiB, cores: Math.floor(computeMilli / 10) };
    });
  }
  const table = card.slicing === 'mig' ? migTable(card.model) : null;
  return [...(table?.profiles ?? [])].map(([profile, { size, computeMilli }]) => ({
    profile,
    size,
    memoryMiB: Math.floor((card.memoryMiB * size) / (table?.slices ?? 8)),
    cores: Math.floor(computeMilli / 10),
  }));
}
