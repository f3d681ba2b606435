import type { CardGroup } from '@springtide/adapters/kubernetes';
import { compareText } from '@springtide/core/base';
import type { PictureCard, PictureInstances, PictureMachine } from '@springtide/core/model';
import type { Book, Holding } from '@springtide/core/state';
import type { Cluster } from './cluster.ts';
import { workloadName } from './workload-name.ts';

/** Every machine with cards, by rank, as the picture draws it. */
export function pictureMachines(cluster: Cluster): PictureMachine[] {
  const { book, dump } = cluster;
  return [...book.machines.keys()]
    .map((machine) => pictureMachine(cluster, machine))
    .filter(({ id, cards }) => cards.length > 0 || dump.mig.has(id));
}

function pictureMachine(cluster: Cluster, rank: number): PictureMachine {
  const { book, dump } = cluster;
  const id = book.machines[rank]?.id ?? '';
  const groups = dump.cardGroups.get(id) ?? [];
  const groupOf = new Map(groups.flatMap((group) => group.cardIds.map((card) => [card, group] as const)));
  const holdings = book.podsOn(rank).toSorted((left, right) => compareText(left.pod.id, right.pod.id));
  const cards: PictureCard[] = [];
  const end = book.cardStart[rank + 1] as number;
  for (let card = book.cardStart[rank] as number; card < end; card += 1) {
    cards.push(pictureCard(cluster, card, { holdings, group: groupOf.get(book.cardIds[card] as string) }));
  }
  const cardsMissing = holdings.reduce((sum, holding) => sum + holding.cardsMissing, 0);
  return { id, cards, cardsMissing, instances: instancesOf(cluster, id) };
}

interface OfMachine {
  readonly holdings: readonly Holding[];
  readonly group: CardGroup | undefined;
}

function pictureCard(cluster: Cluster, card: number, { holdings, group }: OfMachine): PictureCard {
  const { book } = cluster;
  const held = holdings.filter(({ cards }) => cards.includes(card));
  return {
    model: lineName(cluster, card, group),
    isUsable: book.cardUsable[card] === 1,
    holders: [...new Set(held.map(({ pod }) => workloadName(pod)))],
    isWhole: held.length === 1 && isHeldWhole(book, held[0] as Holding, card),
    filledPercent: filledPercent(book, card),
  };
}

/** A share or an instance is told apart from a card: `T4/4`, `A100-1g.10gb`. */
function lineName({ book, namedModel }: Cluster, card: number, group: CardGroup | undefined): string {
  const kind = book.kinds[book.cardKind[card] as number];
  if (kind === undefined) return '';
  const name = namedModel(kind);
  if (group?.kind === 'time-sliced') return `${name}/${group.sharesPerCard}`;
  const profile = group?.kind === 'mig-single' ? /-MIG-(.+)$/.exec(kind.model)?.[1] : undefined;
  return profile === undefined ? name : `${name}-${profile}`;
}

function isHeldWhole(book: Book, holding: Holding, card: number): boolean {
  if (holding.pod.request.cards.kind === 'whole') return true;
  const kind = book.kinds[book.cardKind[card] as number];
  return kind?.slicing === 'none';
}

/** The larger of memory and compute given out; above 100 where a card is cut too often. */
function filledPercent(book: Book, card: number): number {
  const kind = book.kinds[book.cardKind[card] as number];
  if (kind === undefined) return 0;
  const compute = 1 - (book.cardComputeFreeMilli[card] as number) / kind.computeMilli;
  const memory = kind.memoryMiB === 0 ? 0 : 1 - (book.cardMemoryFreeMiB[card] as number) / kind.memoryMiB;
  return Math.round(100 * Math.max(compute, memory));
}

/** MIG instances that Kubernetes counts without telling their cards. */
function instancesOf({ dump }: Cluster, id: string): PictureInstances[] {
  const section = dump.mig.get(id);
  if (section === undefined || section.strategy === 'single') return [];
  return [...section.profiles].map(([name, { total, used }]) => ({
    name: name.slice(name.lastIndexOf('/mig-') + '/mig-'.length),
    total,
    used,
  }));
}
