import type { ScaleInMark } from '@springtide/ports/cluster';
import type { MarkOrder, ReplicaPod, Replicas } from '@springtide/ports/replicas';

/** Pods written at once: one workload must not crowd out what else the API server has to do. */
const WRITES_AT_ONCE = 16;

/** What has to be written so that the chosen pods, and no others, carry a cost of ours. */
export interface Marking {
  /** Chosen before, and not any more: taken back first, for whoever stays marked would leave. */
  readonly takenBack: readonly MarkOrder[];
  readonly given: readonly MarkOrder[];
}

/**
 * `leaving` in the order in which they are to be marked: machine by machine, so that what is done when time is up frees
 * something. `isFresh`: a mark from an earlier choice stands as it is. Costs of others are never touched.
 */
export function markingOf(
  pods: readonly ReplicaPod[],
  leaving: ReadonlySet<string>,
  mark: ScaleInMark,
  isFresh: (mark: ScaleInMark) => boolean,
): Marking {
  const order = ({ ref, resourceVersion }: ReplicaPod, wanted: ScaleInMark | null): MarkOrder => {
    return { pod: ref, resourceVersion, mark: wanted };
  };
  const takenBack = pods.filter((pod) => pod.mark !== null && !leaving.has(pod.ref.uid));
  const byUid = new Map(pods.map((pod) => [pod.ref.uid, pod]));
  const chosen = [...leaving].flatMap((uid) => byUid.get(uid) ?? []);
  const given = chosen.filter((pod) => {
    if (pod.replica.cost !== null) return false;
    return pod.mark === null || pod.mark.replicaSet !== mark.replicaSet || !isFresh(pod.mark);
  });
  return { takenBack: takenBack.map((pod) => order(pod, null)), given: given.map((pod) => order(pod, mark)) };
}

export interface Written {
  readonly done: readonly MarkOrder[];
  /** Orders after which the pod is not as wanted, or nobody knows. */
  readonly failed: number;
  /** The time was up before all were sent. */
  readonly isCut: boolean;
}

/** Writes in order, so many at once, until the time is up. A pod that is gone needs no mark. */
export async function written(
  { mark }: Pick<Replicas, 'mark'>,
  orders: readonly MarkOrder[],
  isLate: () => boolean,
): Promise<Written> {
  const done: MarkOrder[] = [];
  let [next, failed, isCut] = [0, 0, false];
  const work = async (): Promise<void> => {
    for (let order = orders[next++]; order !== undefined; order = orders[next++]) {
      if (isLate()) {
        isCut = true;
        return;
      }
      const { answer } = await mark(order);
      if (answer === 'written') done.push(order);
      else if (answer !== 'gone') failed += 1;
    }
  };
  await Promise.all(Array.from({ length: Math.min(WRITES_AT_ONCE, orders.length) }, work));
  return { done, failed, isCut };
}
