import type { PodDraft } from '../observed-pod.ts';

interface Group {
  readonly holders: Set<string>;
  readonly reservations: Set<string>;
}

/**
 * Cards that pods share by fraction groups. KAI keeps a pod on each such card, which asks for the whole card: it is
 * counted only while no holder of a fraction is seen.
 */
export class SharedCards {
  readonly #groups = new Map<string, Group>();
  readonly #keysOf = new Map<string, readonly string[]>();

  /** Whether the pod is such a reservation, and its card is counted by those that share it. */
  isDouble(draft: PodDraft): boolean {
    return draft.isReservation && keysOf(draft).some((key) => (this.#groups.get(key)?.holders.size ?? 0) > 0);
  }

  /** The other pods for which that changes something. */
  see(uid: string, draft: PodDraft): string[] {
    const keys = keysOf(draft);
    if (keys.length === 0 && !this.#keysOf.has(uid)) return [];
    const concerned = new Set(this.lose(uid));
    if (keys.length > 0) this.#keysOf.set(uid, keys);
    for (const key of keys) {
      const group = this.#groups.get(key) ?? { holders: new Set(), reservations: new Set() };
      this.#groups.set(key, group);
      if (draft.isReservation) group.reservations.add(uid);
      else if (group.holders.add(uid).size === 1) for (const other of group.reservations) concerned.add(other);
    }
    return [...concerned];
  }

  lose(uid: string): string[] {
    const concerned: string[] = [];
    for (const key of this.#keysOf.get(uid) ?? []) {
      const group = this.#groups.get(key);
      if (group === undefined) continue;
      group.reservations.delete(uid);
      if (group.holders.delete(uid) && group.holders.size === 0) concerned.push(...group.reservations);
      if (group.holders.size + group.reservations.size === 0) this.#groups.delete(key);
    }
    this.#keysOf.delete(uid);
    return concerned;
  }
}

/** `machine group` of each card that the pod shares; none while it waits. */
function keysOf({ machine, fractionGroups }: PodDraft): string[] {
  return machine === null ? [] : fractionGroups.map((group) => `${machine} ${group}`);
}
