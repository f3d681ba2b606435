import type { Dump, MigMachine, Overbooked, Problem, TimeSlicedMachine } from '@springtide/adapters/kubernetes';
import {
  emptiableMachines,
  fragmentationOf,
  largestGang,
  leftoversBy,
  type Emptiable,
  type Fragmentation,
  type LargestGang,
  type Leftovers,
} from '@springtide/core/defrag';
import { legendOf, lettersOf, pictureOf, type LegendEntry } from '@springtide/core/model';
import { pictureMachines, type Cluster } from '../../cluster/index.ts';
import { machineCounts, modelCounts, modelKey, type MachineCounts, type ModelCounts } from './counts.ts';
import { hamiCards, type HamiCard } from './hami.ts';
import { sharedCards, type SharedCard } from './shared.ts';
import { waitingPods, type Waiting } from './waiting.ts';

export interface Picture {
  readonly machine: string;
  readonly rack: string;
  readonly text: string;
}

/** All that `inspect` finds out, before it is printed one way or another. */
export interface Inspection {
  readonly cluster: Cluster;
  readonly machines: ReadonlyMap<string, MachineCounts>;
  readonly models: ReadonlyMap<string, ModelCounts>;
  readonly hamiCards: ReadonlyMap<string, ReadonlyMap<string, HamiCard>>;
  /** By machine and card id. */
  readonly sharedCards: ReadonlyMap<string, ReadonlyMap<string, SharedCard>>;
  readonly mig: ReadonlyMap<string, MigMachine>;
  readonly timeSliced: ReadonlyMap<string, TimeSlicedMachine>;
  readonly unknownResources: ReadonlyMap<string, readonly string[]>;
  readonly problems: readonly Problem[];
  readonly overcommitted: readonly Overbooked[];
  readonly fragmentation: Fragmentation;
  /** By `resource model`. */
  readonly leftovers: ReadonlyMap<string, Leftovers>;
  readonly gangs: ReadonlyMap<string, LargestGang>;
  readonly emptiable: Emptiable;
  readonly legend: readonly LegendEntry[];
  readonly pictures: readonly Picture[];
  readonly waiting: Waiting;
}

export function inspect(cluster: Cluster): Inspection {
  const { book, dump, placer, common, isCard } = cluster;
  const machines = machineCounts(dump, book);
  const drawn = pictureMachines(cluster);
  const legend = legendOf(drawn);
  const letters = lettersOf(legend);
  const racks = new Map(book.machines.map((machine) => [machine.id, machine.location.rack]));
  const waiting = waitingPods(cluster);
  return {
    cluster,
    machines,
    models: modelCounts(dump, machines),
    hamiCards: hamiCards(dump, book),
    sharedCards: sharedCards(book),
    mig: dump.mig,
    timeSliced: dump.timeSliced,
    unknownResources: dump.unknownResources,
    problems: dump.problems,
    overcommitted: dump.overcommitted,
    fragmentation: fragmentationOf(book, common, isCard),
    leftovers: leftoversBy(book, common, (card) => keyOfCard(cluster, card)),
    gangs: gangsOf(cluster),
    emptiable: emptiableMachines(placer, { canMove: movable(dump) }),
    legend,
    pictures: drawn.map((machine) => ({
      machine: machine.id,
      rack: racks.get(machine.id) ?? '',
      text: pictureOf(machine, letters),
    })),
    waiting,
  };
}

function keyOfCard({ book }: Cluster, card: number): string {
  const kind = book.kinds[book.cardKind[card] as number];
  return kind === undefined ? '' : modelKey(kind.resource, kind.model);
}

/** Pods of a DaemonSet belong to their machine. */
function movable({ pods }: Dump): (podId: string) => boolean {
  const bound = new Set(pods.filter(({ ownerKind }) => ownerKind === 'DaemonSet').map(({ pod }) => pod.id));
  return (podId) => !bound.has(podId);
}

/** Per family of whole cards; cards cut by MIG, and lines that are shares, are left out. */
function gangsOf({ book, isCard }: Cluster): Map<string, LargestGang> {
  const gangs = new Map<string, LargestGang>();
  for (let card = 0; card < book.cardIds.length; card += 1) {
    const kind = book.kinds[book.cardKind[card] as number];
    if (kind === undefined || kind.slicing === 'mig' || !isCard(card)) continue;
    const key = modelKey(kind.resource, kind.model);
    if (!gangs.has(key)) gangs.set(key, largestGang(book, kind));
  }
  return new Map([...gangs].toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
