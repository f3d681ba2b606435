import type { QueuedJob, Request, TopologyRequest } from '@springtide/core/model';
import type { RequestBuilder } from './request-builder.ts';
import { aWorkload } from './workload-builder.ts';

/** A preemptible job of a queue, submitted at 0: so many equal pods, all together or none. */
export function aQueuedJob(
  id: string,
  queue: string,
  pods: { readonly count: number; readonly each: Request | RequestBuilder; readonly topology?: TopologyRequest },
  part: Partial<QueuedJob> & { readonly priority?: number } = {},
): QueuedJob {
  const { priority = 0, ...rest } = part;
  const workload = aWorkload(id)
    .pods('worker', pods.count, pods.each)
    .gang(pods.topology ?? null)
    .build();
  return {
    workload: { ...workload, queue, priority },
    idempotencyKey: id,
    priorityClass: '',
    isPreemptible: true,
    submittedAtMs: 0,
    deadlineMs: null,
    minCounts: new Map(),
    flavors: [],
    expectedRunMs: null,
    ...rest,
  };
}
