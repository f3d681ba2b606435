import type { ClusterEvent, Unreadable } from '@springtide/ports/cluster';

/** More than are ever told: when so many are untold, further ones are not noted until they change again. */
const COUNT_MAX = 1000;

/** Pods of ours that cannot be read, and whose owners have not been told. */
export class UnreadablePods {
  readonly #schedulerName: string;
  readonly #untold = new Map<string, Unreadable>();

  constructor(schedulerName: string) {
    this.#schedulerName = schedulerName;
  }

  hear(events: readonly ClusterEvent[]): void {
    for (const event of events) {
      if (event.kind === 'pod-seen') this.#untold.delete(event.pod.uid);
      if (event.kind === 'unreadable') this.add(event.object);
    }
  }

  add(object: Unreadable): void {
    const { kind, uid, schedulerName, machine } = object;
    if (kind !== 'Pod' || schedulerName !== this.#schedulerName || machine !== '') return;
    if (this.#untold.size < COUNT_MAX) this.#untold.set(uid, object);
  }

  /** All that have to be told now. */
  take(): Unreadable[] {
    const taken = [...this.#untold.values()];
    this.#untold.clear();
    return taken;
  }
}

/** What its owner can do about it. */
export function unreadableMessage({ path, expected, found }: Unreadable): string {
  return `It is not placed, for it cannot be read: at ${path} there is ${found}, expected ${expected}. Correct that and create it anew.`;
}
