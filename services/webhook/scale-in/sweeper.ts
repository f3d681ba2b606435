import type { Cancel } from '@springtide/ports/clock';
import type { ClusterPod, ScaleInMark } from '@springtide/ports/cluster';
import { written } from './marking.ts';
import type { ScaleInTools } from './scale-in.ts';

/** How often marks are looked through. */
const EVERY_MS = 15_000;
/** A mark is taken back no sooner than this after the choice. */
export const SETTLED_MS = 60_000;
/** A ReplicaSet that has not shrunk in so long will not do so because of that choice. */
export const GIVEN_UP_MS = 600_000;
/** Writes of one round. */
const WRITES_MAX = 500;

interface Marked {
  readonly pod: ClusterPod;
  readonly mark: ScaleInMark;
}

/**
 * Takes marks back from pods that stayed: the change was refused after all, or others left. A mark goes a minute
 * after the choice if the ReplicaSet has no more pods than it is to have, and after ten minutes in any case. Every
 * replica of the webhook does it; what one has done is no change any more for the other.
 */
export class Sweeper {
  readonly #tools: ScaleInTools;
  #cancel: Cancel;

  constructor(tools: ScaleInTools) {
    this.#tools = tools;
    this.#cancel = tools.clock.after(EVERY_MS, () => void this.#round());
  }

  stop(): void {
    this.#cancel();
  }

  async #round(): Promise<void> {
    await this.sweep();
    this.#cancel = this.#tools.clock.after(EVERY_MS, () => void this.#round());
  }

  /** Takes back what may be, and says how many marks that were. */
  async sweep(): Promise<number> {
    const { fleet, clock, replicas } = this.#tools;
    const nowMs = clock.wallMs();
    const old = [...fleet.marked].flatMap((pod): Marked[] =>
      pod.scaleInMark === null || pod.isDeleting || nowMs - pod.scaleInMark.atMs < SETTLED_MS
        ? []
        : [{ pod, mark: pod.scaleInMark }],
    );
    const settled: Marked[] = [];
    for (const marked of Map.groupBy(old, ({ pod }) => `${pod.namespace}/${pod.owner?.name ?? ''}`).values())
      if (await this.#isSettled(marked, nowMs)) settled.push(...marked);
    const orders = settled.slice(0, WRITES_MAX).map(({ pod }) => {
      const { uid, namespace, name, resourceVersion } = pod;
      return { pod: { uid, namespace, name }, resourceVersion, mark: null };
    });
    return (await written(replicas, orders, () => false)).done.length;
  }

  /** Whether the ReplicaSet of these pods has done what it was to do. */
  async #isSettled(marked: readonly Marked[], nowMs: number): Promise<boolean> {
    const { pod } = marked[0] as Marked;
    if (marked.every(({ mark }) => nowMs - mark.atMs >= GIVEN_UP_MS)) return true;
    const { replicas } = this.#tools;
    const found = await replicas.replicaSet(pod.namespace, pod.owner?.name ?? '');
    if (!found.ok) return found.error.code === 'not-found';
    const pods = await replicas.pods(found.value);
    return pods.ok && pods.value.length <= found.value.replicas;
  }
}
