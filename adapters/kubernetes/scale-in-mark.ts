import type { ScaleInMark } from '@springtide/ports/cluster';

/** The annotation beside a deletion cost of ours: which choice it comes from. */
export const SCALE_IN_MARK = 'springtide.io/scale-in';

/** The cost of a pod that has been chosen: below all that have none. */
export const CHOSEN_COST = '-1';

/** The lower goes first among the ready pods of a ReplicaSet; none is 0. */
export const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

export function markText({ replicaSet, to, atMs }: ScaleInMark): string {
  return `v1/${replicaSet}/${to}/${new Date(atMs).toISOString()}`;
}

/** Null: there is none, another version wrote it, or somebody has changed the cost since, whose it is then. */
export function markOf(annotations: ReadonlyMap<string, string>): ScaleInMark | null {
  if (annotations.get(DELETION_COST) !== CHOSEN_COST) return null;
  const [, replicaSet, to, at] = /^v1\/([^/]+)\/(\d{1,9})\/(\S+)$/.exec(annotations.get(SCALE_IN_MARK) ?? '') ?? [];
  const atMs = Date.parse(at ?? '');
  if (replicaSet === undefined || Number.isNaN(atMs)) return null;
  return { replicaSet, to: Number(to), atMs };
}
