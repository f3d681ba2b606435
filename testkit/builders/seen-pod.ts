import type { Pod } from '@springtide/core/model';
import type { GangMembership, SeenPod } from '@springtide/core/scheduler';

/** A pod that waits for our scheduler; its id is its uid too. */
export function aSeenPod(pod: Pod, more: Partial<SeenPod> = {}): SeenPod {
  return {
    uid: pod.id,
    pod,
    machine: null,
    isFinished: false,
    isDeleting: false,
    isReady: true,
    isOurs: true,
    mayPreempt: true,
    createdAtMs: 0,
    startedAtMs: null,
    gang: null,
    held: null,
    fractionGroups: [],
    ...more,
  };
}

/** Membership of a gang of so many, anywhere. */
export function inGang(id: string, minCount: number, more: Partial<GangMembership> = {}): GangMembership {
  return { id, minCount, topology: null, unknownTopology: '', ...more };
}
