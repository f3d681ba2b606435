import type { Machine } from '@springtide/core/model';
import type { WaitReason } from '@springtide/core/scheduler';
import type { Book, Holding } from '@springtide/core/state';
import type { ClusterPod, WatchState } from '@springtide/ports/cluster';

/** Why pods wait, as metrics name it: `untried` has not been looked at since it came. */
export type PendingReason = WaitReason | 'untried' | 'gated';

export interface CardCount {
  readonly allocated: number;
  readonly idle: number;
  /** Neither held nor usable. */
  readonly unhealthy: number;
}

/** What a scheduler sees now, in numbers: for metrics and the head of a dump. */
export interface Facts {
  readonly machines: number;
  /** Cards in isolated pools (P9), by pool; the others are in the common one. */
  readonly isolatedCards: ReadonlyMap<string, number>;
  /** The share of all cards that are in the common pool; 1 where there is no card. */
  readonly coverage: number;
  /** By product name, `unknown` where the cluster tells none. */
  readonly cards: ReadonlyMap<string, CardCount>;
  /** Cards held, slices by their larger share: by our own pods and by those of other schedulers. */
  readonly cardsHeld: { readonly ours: number; readonly others: number };
  readonly pending: ReadonlyMap<PendingReason, number>;
  /** Gangs with a member that waits, and those that all have a machine. */
  readonly gangs: { readonly waiting: number; readonly started: number };
  readonly inFlight: number;
  /** This replica decides now. */
  readonly isLeading: boolean;
  readonly watches: readonly WatchState[];
  /** Since the last pass of the loop. */
  readonly loopIdleMs: number;
}

export interface Seen {
  readonly pods: Iterable<ClusterPod>;
  /** Null while there is no machine. */
  readonly book: Book | null;
  readonly told: ReadonlyMap<string, WaitReason>;
  readonly schedulerName: string;
}

type WorldFacts = Pick<Facts, 'machines' | 'isolatedCards' | 'coverage' | 'cards' | 'cardsHeld' | 'pending' | 'gangs'>;

/** Counts the world once. O(pods + cards). */
export function worldFacts({ pods, book, told, schedulerName }: Seen): WorldFacts {
  const cardsHeld = { ours: 0, others: 0 };
  const pending = new Map<PendingReason, number>();
  const gangs = new Map<string, boolean>();
  for (const { uid, pod, machine, isGated, gang, schedulerName: name } of pods) {
    const holding = book?.holdings.get(pod.id);
    if (book !== null && holding !== undefined) {
      cardsHeld[name === schedulerName ? 'ours' : 'others'] += heldCards(book, holding);
    }
    if (name !== schedulerName) continue;
    if (gang !== null) gangs.set(gang.id, (gangs.get(gang.id) ?? true) && machine !== null);
    if (machine !== null) continue;
    const reason = isGated ? 'gated' : (told.get(uid) ?? 'untried');
    pending.set(reason, (pending.get(reason) ?? 0) + 1);
  }
  const started = gangs.values().reduce((sum, isStarted) => sum + Number(isStarted), 0);
  const cards = book === null ? new Map<string, CardCount>() : cardCounts(book);
  return {
    ...poolFacts(book?.machines ?? []),
    cards,
    cardsHeld,
    pending,
    gangs: { waiting: gangs.size - started, started },
  };
}

function poolFacts(machines: readonly Machine[]): Pick<Facts, 'machines' | 'isolatedCards' | 'coverage'> {
  const isolatedCards = new Map<string, number>();
  let [all, isolated] = [0, 0];
  for (const { pool, cards } of machines) {
    all += cards.length;
    if (pool === undefined) continue;
    isolated += cards.length;
    isolatedCards.set(pool.name, (isolatedCards.get(pool.name) ?? 0) + cards.length);
  }
  return { machines: machines.length, isolatedCards, coverage: all === 0 ? 1 : (all - isolated) / all };
}

function heldCards(book: Book, { cards, memoryMiB, computeMilli, cardsMissing }: Holding): number {
  const shares = cards.map((card, i) => {
    const size = book.kinds[book.cardKind[card] as number]?.memoryMiB ?? 0;
    const memory = size === 0 ? 0 : (memoryMiB[i] as number) / size;
    return Math.max(memory, (computeMilli[i] as number) / 1000);
  });
  return cardsMissing + shares.reduce((sum, share) => sum + share, 0);
}

function cardCounts(book: Book): Map<string, CardCount> {
  const counts = new Map<string, { -readonly [K in keyof CardCount]: number }>();
  for (let card = 0; card < book.cardKind.length; card += 1) {
    const model = book.kinds[book.cardKind[card] as number]?.model || 'unknown';
    const count = counts.get(model) ?? { allocated: 0, idle: 0, unhealthy: 0 };
    counts.set(model, count);
    if ((book.cardHolders[card] as number) > 0) count.allocated += 1;
    else if (book.cardUsable[card] === 1) count.idle += 1;
    else count.unhealthy += 1;
  }
  return counts;
}
