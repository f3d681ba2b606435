import type { ClusterEvent } from '@springtide/ports/cluster';

/** Which pods have the condition `PodScheduled=False`, so that its time is set only when it comes. */
export class Verdicts {
  readonly #uids = new Set<string>();

  readonly has = (uid: string): boolean => this.#uids.has(uid);

  see(event: ClusterEvent): void {
    if (event.kind === 'pod-gone') this.#uids.delete(event.pod.uid);
    if (event.kind !== 'pod-seen') return;
    if (event.pod.verdict === null) this.#uids.delete(event.pod.uid);
    else this.#uids.add(event.pod.uid);
  }
}
