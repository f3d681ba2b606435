import type { DeviceNeed, DeviceTrouble } from '../model/index.ts';
import type { SchedulerCommand, SeenPod } from './events.ts';
import type { Waiting } from './queue.ts';

function needsOf({ pod }: SeenPod): readonly DeviceNeed[] {
  return pod.request.constraints.devices ?? [];
}

/** What is wrong with the resource claims of what waits: while it is, no machine will do. */
export function claimTroubles({ pods }: Waiting): DeviceTrouble[] {
  return pods.flatMap(needsOf).flatMap(({ trouble }) => trouble ?? []);
}

/** Selectors of its claims that fail on some devices. */
export function failingSelectors({ pods }: Waiting): DeviceTrouble[] {
  return pods.flatMap(needsOf).flatMap(({ failing }) => failing ?? []);
}

/**
 * Claims that have devices, are used by nobody, and keep a pod that was refused where it cannot go: after an order
 * that did not come to its end. Method: kube-scheduler, which frees such claims one by one.
 */
export function freeClaims({ pods }: Waiting): SchedulerCommand[] {
  return pods.flatMap((seen) => {
    const claims = needsOf(seen).flatMap(({ isLoose, claim }) => (isLoose ? [claim] : []));
    return claims.length === 0 ? [] : [{ kind: 'free-claims', uid: seen.uid, pod: seen.pod.id, claims } as const];
  });
}
