import type { Pod } from '../model/index.ts';
import { copiesOn } from './capacity.ts';
import type { Placer } from './placer.ts';

/** The most copies counted one at a time, for pods that look at their neighbours. */
export const COPIES_TRIED_MAX = 10_000;

export interface Copies {
  readonly total: number;
  /** By machine rank, ascending; machines that take none are left out. */
  readonly byMachine: ReadonlyMap<number, number>;
  /** Counting stopped at `COPIES_TRIED_MAX`. */
  readonly isCut: boolean;
}

/**
 * How many copies of a pod fit at once. Exact where each machine can be judged by itself. Where the pod looks at
 * its neighbours (affinity, spread, ports), the copies are placed one after the other as the policy would, so the
 * number depends on what is placed first. The book is as before afterwards.
 */
export function copiesThatFit(placer: Placer, pod: Pod): Copies {
  const { book } = placer;
  const requestClass = book.classOf(pod.request, pod.tenant);
  if (placer.neighboursOf(pod, requestClass) !== null) return copiesOneByOne(placer, pod);
  const byMachine = new Map<number, number>();
  let total = 0;
  for (let machine = 0; machine < book.machines.length; machine += 1) {
    const copies = copiesOn(book, requestClass, machine);
    if (copies > 0) byMachine.set(machine, copies);
    total += copies;
  }
  return { total, byMachine, isCut: false };
}

function copiesOneByOne(placer: Placer, pod: Pod): Copies {
  const { book } = placer;
  const savepoint = book.savepoint();
  const counts = new Map<number, number>();
  let total = 0;
  while (total < COPIES_TRIED_MAX) {
    const decision = placer.decide({ ...pod, id: `${pod.id} copy ${total}` });
    if (!decision.ok) break;
    book.hold(decision.holding);
    const { machine } = decision.holding;
    counts.set(machine, (counts.get(machine) ?? 0) + 1);
    total += 1;
  }
  book.rollBack(savepoint);
  const byMachine = new Map([...counts].toSorted(([left], [right]) => left - right));
  return { total, byMachine, isCut: total === COPIES_TRIED_MAX };
}
