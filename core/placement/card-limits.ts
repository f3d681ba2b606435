import { type CardLimit, FILTER_CODE, type Pod } from '../model/index.ts';
import type { Book, RequestClass } from '../state/index.ts';

/**
 * The filter of what the pods of a namespace may hold of one kind of card together, or 0: what they hold, and what one
 * more would take on a machine, is compared with each limit. Where a machine has cards of several kinds the largest part
 * speaks for it. As HAMi counts ResourceQuotas, in the units of the book. O(holdings + kinds) to make, O(1) to ask where
 * a machine has one kind.
 */
export function cardLimitCheck(book: Book, pod: Pod, requestClass: RequestClass): (machine: number) => number {
  const { cards, constraints } = pod.request;
  const limits = cards.kind === 'none' ? [] : (constraints.cardLimits ?? []).filter(isOf(cards.resource));
  if (cards.kind === 'none' || limits.length === 0) return () => 0;
  const left = limits.map((limit) => ({ of: limit.of, left: limit.max - heldIn(book, pod.namespace, limit) }));
  const isBeyond = book.kinds.map((_, kind) => {
    const demand = requestClass.demands[kind];
    if (demand === undefined || demand.refusal !== 0) return false;
    return left.some(({ of, left: rest }) => cards.count * demand[of] > rest);
  });
  return (machine) => {
    const kind = book.uniformKind[machine] as number;
    const own = book.cardKind.subarray(book.cardStart[machine], book.cardStart[machine + 1]);
    const isOver = kind >= 0 ? isBeyond[kind] === true : own.some((each) => isBeyond[each] === true);
    return isOver ? FILTER_CODE['card-limit'] : 0;
  };
}

function isOf(resource: string): (limit: CardLimit) => boolean {
  return (limit) => limit.resource === resource;
}

/** What pods of a namespace hold of cards of a resource. O(holdings). */
function heldIn(book: Book, namespace: string, { resource, of }: CardLimit): number {
  let sum = 0;
  for (const { pod, cards, [of]: amounts } of book.holdings.values()) {
    if (pod.namespace !== namespace) continue;
    for (const [i, card] of cards.entries())
      if (book.kinds[book.cardKind[card] as number]?.resource === resource) sum += amounts[i] as number;
  }
  return sum;
}
