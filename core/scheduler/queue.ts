import { compareText } from '../base/index.ts';
import type { SeenPod } from './events.ts';

/** What waits together: one pod, or all members of a gang that are there. */
export interface Waiting {
  /** A pod's uid, or `gang:` and the gang's id. */
  readonly key: string;
  readonly pods: readonly SeenPod[];
  /** Members that must start together: 1 for a single pod. */
  readonly wanted: number;
  /** Members of the gang that run or are ordered already. */
  readonly started: number;
  readonly priority: number;
  readonly createdAtMs: number;
}

/** Pods and gangs that wait for a place, in the order in which they are tried: priority, age, key. O(pods). */
export function waitingOf(pods: Iterable<SeenPod>, isStarted: (seen: SeenPod) => boolean): Waiting[] {
  const gangs = new Map<string, { waiting: SeenPod[]; started: number; wanted: number }>();
  const waiting: Waiting[] = [];
  for (const seen of pods) {
    if (seen.isFinished) continue;
    const started = isStarted(seen);
    if (seen.gang === null) {
      if (!started && waits(seen)) waiting.push(single(seen));
      continue;
    }
    const gang = gangs.get(seen.gang.id) ?? { waiting: [], started: 0, wanted: 0 };
    gangs.set(seen.gang.id, gang);
    gang.wanted = Math.max(gang.wanted, seen.gang.minCount);
    if (started) gang.started += 1;
    else if (waits(seen)) gang.waiting.push(seen);
  }
  for (const [id, gang] of gangs) if (gang.waiting.length > 0) waiting.push(gangOf(id, gang));
  return waiting.toSorted(inOrder);
}

function waits({ isOurs, isDeleting, machine }: SeenPod): boolean {
  return isOurs && !isDeleting && machine === null;
}

function single(seen: SeenPod): Waiting {
  const { uid, pod, createdAtMs } = seen;
  return { key: uid, pods: [seen], wanted: 1, started: 0, priority: pod.priority, createdAtMs };
}

function gangOf(id: string, gang: { waiting: SeenPod[]; started: number; wanted: number }): Waiting {
  const pods = gang.waiting.toSorted((left, right) => compareText(left.pod.id, right.pod.id));
  return {
    key: `gang:${id}`,
    pods,
    wanted: gang.wanted,
    started: gang.started,
    priority: pods.reduce((top, { pod }) => Math.max(top, pod.priority), -Infinity),
    createdAtMs: pods.reduce((first, { createdAtMs }) => Math.min(first, createdAtMs), Infinity),
  };
}

function inOrder(left: Waiting, right: Waiting): number {
  return right.priority - left.priority || left.createdAtMs - right.createdAtMs || compareText(left.key, right.key);
}
