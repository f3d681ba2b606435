import { lossBy, type LossReason } from '@springtide/core/defrag';
import type { Cluster } from '../../cluster/index.ts';
import { modelKey, type ModelCounts } from './counts.ts';
import type { Inspection } from './inspection.ts';

/** Figures that the text and the report both show. */

export interface ModelRow extends ModelCounts {
  /** `resource model`. */
  readonly key: string;
  readonly name: string;
  /** Idle cards that no common request can use. */
  readonly unusable: number;
}

export function modelRows(found: Inspection): ModelRow[] {
  const losses = lossBy(found.fragmentation.machines, (machine) => familyOf(found.cluster, machine));
  return [...found.models].map(([key, counts]) =>
    rowOf(counts, { key, name: nameOf(found.cluster, counts), unusable: losses.get(key)?.unusable ?? 0 }),
  );
}

function rowOf(counts: ModelCounts, more: Pick<ModelRow, 'key' | 'name' | 'unusable'>): ModelRow {
  return { ...counts, ...more };
}

/** Short name of a key of `models`. */
export function familyName({ cluster }: Inspection, key: string): string {
  const [resource = '', model = ''] = key.split(/ (.*)/s);
  const kind = cluster.book.kinds.find((each) => each.resource === resource && each.model === model);
  return kind === undefined ? key : cluster.namedModel(kind);
}

function nameOf({ namedModel }: Cluster, { resource, model, vendor }: ModelCounts): string {
  return namedModel({ resource, model: model ?? '', vendor });
}

/** The families of cards on a machine, as keys of `models`. */
export function familyOf({ book }: Cluster, machine: number): string {
  const kinds = new Set(book.cardKind.subarray(book.cardStart[machine], book.cardStart[machine + 1]));
  const keys = [...kinds].map((kind) => modelKey(book.kinds[kind]?.resource ?? '', book.kinds[kind]?.model ?? ''));
  return [...new Set(keys)].join(' + ');
}

/** All models together. */
export function totalRow(rows: readonly ModelRow[], name: string): ModelRow {
  const sum = (value: (row: ModelRow) => number): number => rows.reduce((total, row) => total + value(row), 0);
  return {
    key: '',
    name,
    vendor: '',
    resource: '',
    model: null,
    machines: sum((row) => row.machines),
    cards: sum((row) => row.cards),
    allocatedWhole: sum((row) => row.allocatedWhole),
    inSlices: sum((row) => row.inSlices),
    unhealthy: sum((row) => row.unhealthy),
    idle: sum((row) => row.idle),
    idleOnUnusableMachines: sum((row) => row.idleOnUnusableMachines),
    emptyMachines: sum((row) => row.emptyMachines),
    unusable: sum((row) => row.unusable),
  };
}

export interface HamiRow {
  readonly name: string;
  readonly machines: number;
  readonly cards: number;
  readonly held: number;
  readonly memoryPercent: number;
  readonly computePercent: number;
}

/** HAMi's cards by model, in order of name. */
export function hamiRows(found: Inspection): HamiRow[] {
  const sums = new Map<
    string,
    { machines: Set<string>; cards: number; held: number; mib: number[]; cores: number[] }
  >();
  for (const [machine, cards] of found.hamiCards) {
    for (const card of cards.values()) {
      const name = found.cluster.modelName(card.model);
      const sum = sums.get(name) ?? { machines: new Set(), cards: 0, held: 0, mib: [0, 0], cores: [0, 0] };
      sum.machines.add(machine);
      sum.cards += 1;
      if (card.pods.length > 0) sum.held += 1;
      sum.mib = [sum.mib[0]! + card.usedMiB, sum.mib[1]! + card.memoryMiB];
      sum.cores = [sum.cores[0]! + card.usedCores, sum.cores[1]! + card.cores];
      sums.set(name, sum);
    }
  }
  return [...sums]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, { machines, cards, held, mib, cores }]) => ({
      name,
      machines: machines.size,
      cards,
      held,
      memoryPercent: percentOf(mib[0] ?? 0, mib[1] ?? 0),
      computePercent: percentOf(cores[0] ?? 0, cores[1] ?? 0),
    }));
}

export function percentOf(part: number, all: number): number {
  return all === 0 ? 0 : (100 * part) / all;
}

export interface ReasonRow {
  readonly reason: LossReason;
  readonly cards: number;
  /** Machines with their cards, most first. */
  readonly where: readonly { readonly machine: string; readonly cards: number }[];
}

/** Idle cards of no use by reason, most first. */
export function reasonRows({ cluster, fragmentation }: Inspection): ReasonRow[] {
  const rows = new Map<LossReason, { machine: string; cards: number }[]>();
  for (const { machine, unusable, reason } of fragmentation.machines) {
    if (reason === null || unusable === 0) continue;
    const where = rows.get(reason) ?? [];
    where.push({ machine: cluster.book.machines[machine]?.id ?? '', cards: unusable });
    rows.set(reason, where);
  }
  return [...rows]
    .map(([reason, where]) => ({
      reason,
      cards: where.reduce((sum, { cards }) => sum + cards, 0),
      where: where.toSorted((left, right) => right.cards - left.cards),
    }))
    .toSorted((left, right) => right.cards - left.cards);
}

export interface Totals {
  readonly cards: number;
  readonly held: number;
}

/** Cards of the book, not shares or instances of them, and how many somebody holds a part of. */
export function totalsOf({ cluster }: Inspection): Totals {
  const { book, isCard } = cluster;
  let cards = 0;
  let held = 0;
  for (let card = 0; card < book.cardIds.length; card += 1) {
    if (!isCard(card)) continue;
    cards += 1;
    if ((book.cardHolders[card] as number) > 0) held += 1;
  }
  return { cards, held };
}
