import { compareText } from '../base/index.ts';
import type { Pod } from '../model/index.ts';
import type { Placer } from '../placement/index.ts';
import type { RequestClass } from '../state/index.ts';
import type { SeenPod } from './events.ts';
import type { Lane, Waiting } from './queue.ts';
import type { Gains } from './world.ts';

/**
 * Which lane something rests in when it is refused: what shares a lane is refused for the same reasons. Pods do that
 * ask the same at the same priority and, where filters read labels, look the same. A gang has one of its own.
 */
export function laneKeyOf(placer: Placer, { key, pods }: Waiting): string {
  const [seen] = pods as [SeenPod];
  if (seen.gang !== null) return key;
  const { pod, mayPreempt } = seen;
  const requestClass = placer.book.classOf(pod.request, pod.tenant);
  const asked = `${requestClass.index} ${pod.priority} ${mayPreempt}`;
  return isSetApart(placer, pod, requestClass) ? `${asked} ${looksOf(pod)}` : asked;
}

export function newLane(placer: Placer, key: string, { pods }: Waiting): Lane {
  const { pod, gang } = pods[0] as SeenPod;
  const requestClass = placer.book.classOf(pod.request, pod.tenant);
  const isAlone = gang !== null || isSetApart(placer, pod, requestClass);
  const { podAffinity, topologySpread } = pod.request.constraints;
  const isHelpedByPods = podAffinity.length > 0 || topologySpread.length > 0;
  return { ...UNTRIED, key, requestClass: isAlone ? null : requestClass, isHelpedByPods };
}

/** Where everything rests while there is no machine. */
export function noMachines(): Lane {
  return { ...UNTRIED, key: 'no machines', requestClass: null, isHelpedByPods: false };
}

const UNTRIED = { cardsAsked: 0, refusedAt: -1, hopelessAt: -1, arrivedAt: -1, explained: null };

/** Whole cards that nobody holds, wherever they are. O(machines). */
export function cardsFree({ book }: Placer): number {
  return book.cardsFree.reduce((sum, free) => sum + Math.max(0, free), 0);
}

/** Whether room on one of these machines could be of use to what rests in a lane, now `free` cards are. O(machines). */
export function isHelped({ requestClass, cardsAsked }: Lane, gains: Exclude<Gains, 'anywhere'>, free: number): boolean {
  if (cardsAsked > free) return false;
  if (requestClass === null) return gains.size > 0;
  for (const machine of gains) if (requestClass.staticRefusal[machine] === 0) return true;
  return false;
}

/** Whether filters look at more of the pod than its request. */
function isSetApart({ book }: Placer, { service }: Pod, { hasNeighbours }: RequestClass): boolean {
  return hasNeighbours || service !== '' || book.antiAffinityHoldings.size > 0;
}

function looksOf({ namespace, service, serviceReplicas, labels }: Pod): string {
  const texts = Array.from(labels, ([key, value]) => `${key}=${value}`).toSorted(compareText);
  return [namespace, service, serviceReplicas, ...texts].join(' ');
}
