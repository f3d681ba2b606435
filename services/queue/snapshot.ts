import type { AdmissionEvent } from '@springtide/core/admission';
import type { QueuedJob } from '@springtide/core/model';
import type { QueueingEvent, SeenCluster, SeenJob, SeenWorkload } from '@springtide/ports/queueing';
import type { Desk } from './desk.ts';
import { Desks } from './desks.ts';
import { queuedJobOf } from './queued-job.ts';
import { Queues } from './queues.ts';
import { World } from './world.ts';

/** A job of a cluster that was seen once. */
export interface SnapshotJob {
  /** `namespace/name` of its Workload. */
  readonly id: string;
  /** Of its own object; empty: it has none. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Null: none of our queues has it. */
  readonly job: QueuedJob | null;
  /** The queue that it names. */
  readonly asked: string;
}

/** All that an admission has to hear to stand where the queue controller stands. */
export interface QueueSnapshot {
  readonly events: readonly AdmissionEvent[];
  readonly jobs: readonly SnapshotJob[];
  /** One more, as the controller would take it in. */
  readonly take: (event: QueueingEvent) => SnapshotJob | null;
}

/** What the queue controller makes of a cluster, seen once: it begins as one does that takes office. O(objects). */
export function queueSnapshotOf({ cluster, queueing }: SeenCluster): QueueSnapshot {
  const world = new World();
  const queues = new Queues();
  const desks = new Desks(world, queues);
  for (const event of cluster) world.take(event);
  for (const event of queueing) if (!queues.take(event)) desks.take(event);
  const settled = (): Desk[] => desks.takeChanged().map(withWorkload);
  const known = settled();
  // Pods of groups are known by their groups only now.
  const events: AdmissionEvent[] = [{ kind: 'quota', specs: queues.specs() }, ...world.all()];
  for (const desk of known) events.push(...desks.news(desk));
  const told = (desk: Desk): SnapshotJob => snapshotJob(desk, desk.told ?? null);
  const take: QueueSnapshot['take'] = (event) => {
    desks.take(event);
    const [desk] = settled();
    if (desk === undefined) return null;
    return snapshotJob(desk, desk.queue === null ? null : queuedJobOf(desk, world, queues));
  };
  return { events, jobs: known.map(told), take };
}

function snapshotJob({ id, seen, workload }: Desk, job: QueuedJob | null): SnapshotJob {
  const [namespace = '', own = ''] = id.split('/');
  const asked = seen?.ask.queue ?? workload?.job.workload.queue ?? '';
  return { id, kind: seen?.source.kind ?? '', namespace, name: seen?.source.name ?? own, job, asked };
}

/** A job whose Workload has yet to be made is taken as it will be. */
function withWorkload(desk: Desk): Desk {
  const { seen, workload } = desk;
  if (workload === null && seen !== null && seen.ended === 'no') desk.workload = workloadOf(seen);
  return desk;
}

function workloadOf({ id, source, ask }: SeenJob): SeenWorkload {
  const { namespace, uid } = source;
  const workload = {
    id,
    namespace,
    tenant: namespace,
    queue: ask.queue,
    priority: 0,
    labels: new Map<string, string>(),
    service: '',
    podSets: [],
    gang: true,
    topology: null,
  };
  const job: QueuedJob = {
    workload,
    idempotencyKey: uid || id,
    priorityClass: '',
    isPreemptible: true,
    submittedAtMs: 0,
    deadlineMs: null,
    minCounts: new Map(),
    flavors: [],
    expectedRunMs: null,
  };
  return { id, uid, version: '', hasSource: true, sourceUid: uid, job, record: null, isDeleting: false };
}
