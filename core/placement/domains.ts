import type { TopologyLevel } from '../model/index.ts';
import type { Book, RequestClass } from '../state/index.ts';
import { copiesOn } from './capacity.ts';

/** A part of the fleet that a gang may have to itself: an island, a machine, a rack, a zone, or all of it. */
export interface Domain {
  readonly level: TopologyLevel | 'fleet';
  /** `zone-a`, `rack-3`, `gpu-7`, `gpu-7/island-0`. */
  readonly name: string;
  /** Machine ranks, ascending. */
  readonly machines: readonly number[];
  /** -1 unless the level is `island`. */
  readonly island: number;
}

/** The levels from a level outwards. */
export function levelsFrom(level: TopologyLevel): Domain['level'][] {
  const all: Domain['level'][] = ['island', 'machine', 'rack', 'zone', 'fleet'];
  return all.slice(all.indexOf(level));
}

function grouped(book: Book, level: 'rack' | 'zone', machines: readonly number[]): Domain[] {
  const numbers = level === 'rack' ? book.rackOf : book.zoneOf;
  const groups = new Map<number, number[]>();
  for (const machine of machines) {
    const number = numbers[machine] as number;
    const members = groups.get(number);
    if (members === undefined) groups.set(number, [machine]);
    else members.push(machine);
  }
  return [...groups.values()].map((members) => {
    const location = book.machines[members[0] as number]?.location;
    return { level, name: location?.[level] ?? '', machines: members, island: -1 };
  });
}

function islandsOf(book: Book, machine: number): Domain[] {
  const islands = new Set<number>();
  const end = book.cardStart[machine + 1] as number;
  for (let card = book.cardStart[machine] as number; card < end; card += 1)
    islands.add(book.cardIsland[card] as number);
  const name = book.machines[machine]?.id ?? '';
  return [...islands]
    .toSorted((left, right) => left - right)
    .map((island) => ({ level: 'island', name: `${name}/island-${island}`, machines: [machine], island }));
}

/** The domains of one level among some machines, by rank of their first machine. O(machines). */
export function domainsAt(book: Book, level: Domain['level'], machines: readonly number[]): Domain[] {
  switch (level) {
    case 'fleet':
      return [{ level, name: '', machines, island: -1 }];
    case 'zone':
    case 'rack':
      return grouped(book, level, machines);
    case 'machine':
      return machines.map((machine) => ({
        level,
        name: book.machines[machine]?.id ?? '',
        machines: [machine],
        island: -1,
      }));
    case 'island':
      return machines.flatMap((machine) => islandsOf(book, machine));
  }
}

/** Copies of a class that fit in a domain. O(cards). */
export function copiesIn(book: Book, requestClass: RequestClass, domain: Domain): number {
  let copies = 0;
  for (const machine of domain.machines) copies += copiesOn(book, requestClass, machine, domain.island);
  return copies;
}

/** A machine of a plan and how many copies it takes. */
export interface Share {
  readonly machine: number;
  readonly copies: number;
}

const INSIDE: Readonly<Record<Domain['level'], Domain['level'] | null>> = {
  fleet: 'zone',
  zone: 'rack',
  rack: 'machine',
  machine: null,
  island: null,
};

/**
 * Spreads `count` copies over as few parts of a domain as can be, level by level: the tightest part that holds
 * all of them, else the roomiest parts whole and the tightest for the rest. Ties go by rank. Null: too little room.
 * Method: best-fit descent over the topology tree, as in Kueue's and KAI's topology-aware placement.
 */
export function descend(book: Book, requestClass: RequestClass, domain: Domain, count: number): Share[] | null {
  const inside = INSIDE[domain.level];
  if (inside === null) {
    const machine = domain.machines[0] as number;
    return copiesOn(book, requestClass, machine, domain.island) >= count ? [{ machine, copies: count }] : null;
  }
  const parts = domainsAt(book, inside, domain.machines)
    .map((part) => ({ part, copies: copiesIn(book, requestClass, part) }))
    .filter(({ copies }) => copies > 0)
    .toSorted((left, right) => right.copies - left.copies);
  const shares: Share[] = [];
  let want = count;
  while (want > 0) {
    const enough = parts.filter(({ copies }) => copies >= want);
    const tightest = enough.reduce<(typeof parts)[number] | undefined>(
      (best, next) => (best === undefined || next.copies < best.copies ? next : best),
      undefined,
    );
    const chosen = tightest ?? parts[0];
    if (chosen === undefined) return null;
    parts.splice(parts.indexOf(chosen), 1);
    const taken = Math.min(want, chosen.copies);
    const inner = descend(book, requestClass, chosen.part, taken);
    if (inner === null) return null;
    shares.push(...inner);
    want -= taken;
  }
  return shares;
}
