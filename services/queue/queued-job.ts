import type { QueuedJob } from '@springtide/core/model';
import type { Desk } from './desk.ts';
import type { Queues } from './queues.ts';
import type { World } from './world.ts';

/** A job that may not be preempted says so. */
const PREEMPTIBLE = 'springtide.io/preemptible';

/** What a job asks for: its object where it has one, else its Workload. Its desk is queueable. */
export function queuedJobOf(desk: Desk, world: World, queues: Queues): QueuedJob {
  const { seen, workload, queue } = desk;
  if (workload === null || queue === null) throw new Error(`${desk.id} is not queueable`);
  const tenant = queues.tenantOf(queue) ?? workload.job.workload.namespace;
  const { job } = workload;
  if (seen === null) {
    const priority = job.priorityClass === '' ? job.workload.priority : world.priorityOf(job.priorityClass);
    return { ...job, workload: { ...job.workload, queue, tenant, priority } };
  }
  const { source, ask, labels, podSets, topology, minCounts, createdAtMs } = seen;
  return {
    ...job,
    workload: {
      ...job.workload,
      namespace: source.namespace,
      tenant,
      queue,
      priority: world.priorityOf(ask.priorityClass),
      labels,
      podSets,
      topology,
    },
    idempotencyKey: source.uid || desk.id,
    priorityClass: ask.priorityClass,
    isPreemptible: labels.get(PREEMPTIBLE) !== 'false',
    submittedAtMs: createdAtMs,
    minCounts,
  };
}
