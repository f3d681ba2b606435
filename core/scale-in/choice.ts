import { compareText } from '../base/index.ts';
import type { CardFilter } from '../defrag/index.ts';
import type { Book } from '../state/index.ts';
import { bestOf } from './best.ts';
import { type DeletionGroup, deletionGroups, kubernetesOrder, type OrderContext } from './deletion-order.ts';
import { type Freed, freedBy } from './freed.ts';
import type { Replica } from './replica.ts';

export interface ScaleInOptions extends OrderContext {
  /** A disruption budget that covers the replica is used up: it stays if others can leave. */
  readonly isGuarded?: (replica: Replica) => boolean;
  /** Lines of the book that are shares of cards are not counted as cards. */
  readonly isCounted?: CardFilter;
}

/**
 * Why a replica leaves: `unready` ones leave before all that are ready, `cost` is somebody else's deletion cost,
 * `chosen` is our choice, `default` is Kubernetes' own order, where others' costs leave us no say.
 */
export type LeavingWhy = 'unready' | 'cost' | 'chosen' | 'default';

export interface Leaving {
  readonly replica: Replica;
  readonly why: LeavingWhy;
}

export interface ScaleInChoice {
  /** In the order of deletion, as far as there is one. */
  readonly leaving: readonly Leaving[];
  readonly frees: Freed;
}

/**
 * Which `count` of the replicas of one ReplicaSet leave so that most is freed: whole cards, then whole machines,
 * then what is idle stands together. What the controller deletes first whatever the costs (no machine, pending, not
 * ready, lower costs of others) is in it first. Hard spread constraints are kept, or broken by as little as can
 * be; replicas whose disruption budget is used up stay where others can leave. `count` is 0 to all of them. The
 * book is as before afterwards. O(replicas x count) beside the machines' own ways to free cards. Exact but for the
 * bounds `WAYS_MAX` and `WINDOWS_MAX`.
 */
export function chooseScaleIn(
  book: Book,
  replicas: readonly Replica[],
  count: number,
  options: ScaleInOptions,
): ScaleInChoice {
  const leaving: Leaving[] = [];
  for (const group of deletionGroups(replicas)) {
    const left = count - leaving.length;
    if (left === 0) break;
    leaving.push(...leavingOf(book, group, { gone: leaving, count: left, options }));
  }
  const ids = leaving.map(({ replica }) => replica.pod.id);
  return { leaving, frees: freedBy(book, ids, options.isCounted) };
}

interface Asked {
  /** They leave before. */
  readonly gone: readonly Leaving[];
  readonly count: number;
  readonly options: ScaleInOptions;
}

function leavingOf(
  book: Book,
  { replicas, isOurs, isUnready }: DeletionGroup,
  { gone, count, options }: Asked,
): Leaving[] {
  const because = (chosen: readonly Replica[], why: LeavingWhy): Leaving[] =>
    chosen.map((replica) => ({ replica, why }));
  const usual = kubernetesOrder(replicas, options);
  if (replicas.length <= count) return because(usual, isUnready ? 'unready' : isOurs ? 'chosen' : 'cost');
  if (!isOurs) return because(usual.slice(0, count), 'default');
  const { isGuarded, isCounted } = options;
  const before = gone.map(({ replica }) => replica);
  const chosen = bestOf(book, { gone: before, replicas: replicas.toSorted(newestFirst), count, isGuarded, isCounted });
  return chosen === null ? because(usual.slice(0, count), 'default') : because(chosen, 'chosen');
}

/** An order that does not change with time, so that the same question gets the same answer. */
function newestFirst(left: Replica, right: Replica): number {
  return right.createdAtMs - left.createdAtMs || compareText(left.pod.id, right.pod.id);
}
