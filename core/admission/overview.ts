import type { IdleHolder, JobReport, JobState, QueueOverview } from '../model/index.ts';
import { usesOf } from '../quota/index.ts';
import { type Entry, inLine } from './entry.ts';
import type { Jobs } from './jobs.ts';

/** Every queue as it stands, by id, with so many of those that wait told, the first. O(jobs log jobs + slots x queues). */
export function overviewOf(jobs: Jobs, reportOf: (entry: Entry) => JobReport, waitingMax: number): QueueOverview[] {
  const { tree } = jobs.fleet.quota;
  const entries = Map.groupBy(jobs.all.values(), ({ job }) => job.workload.queue);
  return tree.specs.queues.map(({ id: queue, tenant, cohort, isStopped }) => {
    const own = entries.get(queue) ?? [];
    const waiting = own.filter(({ record: { state } }) => state === 'queued').toSorted(inLine);
    const root = tree.nodes[tree.rootOf(tree.queueNumber(queue))]?.id ?? queue;
    return {
      queue,
      tenant,
      cohort,
      root,
      isStopped,
      uses: usesOf(jobs.fleet.quota, queue),
      jobs: countsOf(own),
      waiting: waiting
        .slice(0, waitingMax)
        .map((entry, i) => Object.assign(reportOf(entry), { position: i + 1, waiting: waiting.length })),
    };
  });
}

function countsOf(entries: readonly Entry[]): Map<JobState, number> {
  const counts = new Map<JobState, number>();
  for (const { record } of entries) counts.set(record.state, (counts.get(record.state) ?? 0) + 1);
  return counts;
}

/** Jobs that hold cards and have pods that are not ready, the longest first. O(jobs). */
export function idleHoldersOf(jobs: Jobs): IdleHolder[] {
  return [...jobs.all.values()]
    .filter(({ record }) => record.state === 'admitted')
    .map(({ id, job, record, shape }) => {
      const heldMs = Math.max(0, jobs.nowMs - (record.startedAtMs ?? jobs.nowMs));
      return { job: id, queue: job.workload.queue, cards: shape.cards, heldMs };
    })
    .toSorted((left, right) => right.heldMs - left.heldMs);
}
