import { type CardFilter, EVERY_CARD } from '../defrag/index.ts';
import type { Book } from '../state/index.ts';
import { releaseDeleting } from './freed.ts';
import { type Candidate, machinePart } from './machine-part.ts';
import { compareWorth, CRITERIA, joined, type Part, Table, within } from './part.ts';
import type { Replica } from './replica.ts';
import { spreadLevels, type SpreadLevel, type Window, windowsOf } from './spread.ts';

export interface BestAsked {
  /** They leave in any case. */
  readonly gone: readonly Replica[];
  /** More of them than may leave; the first are preferred where it makes no difference. */
  readonly replicas: readonly Replica[];
  readonly count: number;
  readonly isGuarded: ((replica: Replica) => boolean) | undefined;
  readonly isCounted: CardFilter | undefined;
}

/** The replicas whose leaving is best by `CRITERIA`; null where none holds a card. The book is as before afterwards. */
export function bestOf(book: Book, asked: BestAsked): Replica[] | null {
  const savepoint = book.savepoint();
  for (const { pod } of asked.gone) if (book.holdings.has(pod.id)) book.release(pod.id);
  const candidates = candidatesOf(book, asked);
  const chosen = candidates.length === 0 ? null : chosenOf(book, asked, candidates);
  book.rollBack(savepoint);
  return chosen;
}

/** Those that hold cards. */
function candidatesOf(book: Book, { replicas, isGuarded }: BestAsked): Candidate[] {
  return replicas.flatMap((replica) => {
    const holding = book.holdings.get(replica.pod.id);
    if (holding === undefined || holding.cards.length === 0) return [];
    return [{ replica, holding, isGuarded: isGuarded?.(replica) === true }];
  });
}

function chosenOf(book: Book, { replicas, count, isCounted }: BestAsked, candidates: readonly Candidate[]): Replica[] {
  const byMachine = Map.groupBy(candidates, ({ holding }) => holding.machine);
  releaseDeleting(book, byMachine.keys());
  const parts = [...byMachine].map(([machine, own]) => ({
    machine,
    part: machinePart(book, machine, own, isCounted ?? EVERY_CARD),
  }));
  const withCards = new Set(candidates.map(({ replica }) => replica));
  const others = replicas.filter((replica) => !withCards.has(replica));
  const chosen: Replica[] = [];
  spreadPart({ levels: spreadLevels(book, candidates), parts, others: indifferent(others), count }).collect(
    count,
    chosen,
  );
  return chosen;
}

/** Replicas that hold no card: who leaves first is all the same. */
function indifferent(replicas: readonly Replica[]): Part {
  const table = new Table(replicas.length);
  for (let count = 0; count <= replicas.length; count += 1) table.offer(count, NOTHING_GAINED);
  return { table, collect: (count, into) => into.push(...replicas.slice(0, count)) };
}

const NOTHING_GAINED = CRITERIA.map(() => 0);

interface OnMachine {
  readonly machine: number;
  readonly part: Part;
}

interface Scene {
  readonly levels: readonly SpreadLevel[];
  readonly parts: readonly OnMachine[];
  readonly others: Part;
  readonly count: number;
}

/** The best of all ways to keep the spread constraints; the narrowest are given up where not all can be kept at once. */
function spreadPart(scene: Scene): Part {
  const { levels, others, count } = scene;
  let best: Part | null = null;
  for (const windows of combinations(levels.map((level) => windowsOf(level, count, freeOf(scene, level))))) {
    const part = joined([others, assembled(scene, windows, scene.parts)], count);
    if (!part.table.isPossible(count)) continue;
    if (best === null || compareWorth(part.table.worth(count), best.table.worth(count)) > 0) best = part;
  }
  return best ?? spreadPart({ ...scene, levels: levels.slice(0, -1) });
}

/** Replicas that may leave from outside all domains of a constraint. */
function freeOf({ parts, others }: Scene, { domainOf }: SpreadLevel): number {
  const outside = parts.filter(({ machine }) => domainOf(machine) === null);
  return outside.reduce((sum, { part }) => sum + part.table.max, others.table.max);
}

function combinations(lists: readonly (readonly Window[])[]): Window[][] {
  return lists.reduce<Window[][]>(
    (before, list) => before.flatMap((one) => list.map((other) => [...one, other])),
    [[]],
  );
}

/** The machines as one part, put together by the domains of each constraint in turn, within its window. */
function assembled(scene: Scene, windows: readonly Window[], machines: readonly OnMachine[]): Part {
  const { levels, count } = scene;
  const level = levels[levels.length - windows.length];
  const [window, ...narrower] = windows;
  if (level === undefined || window === undefined)
    return joined(
      machines.map(({ part }) => part),
      count,
    );
  const parts = [...Map.groupBy(machines, ({ machine }) => level.domainOf(machine))].map(([name, own]) => {
    const part = assembled(scene, narrower, own);
    const domain = name === null ? undefined : level.domains.get(name);
    if (domain === undefined) return part;
    return within(part, { min: domain.count - window.max, max: domain.count - window.min });
  });
  return joined(parts, count);
}
