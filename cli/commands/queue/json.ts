import type { JobStanding, QueueOverview } from '@springtide/core/model';
import type { QueueWorld } from '../../queues/index.ts';
import type { QueueReport } from './queue-report.ts';

/** The report as JSON: a stable interface. */
export function reportJson({ moment, runs, unreadable }: QueueWorld, report: QueueReport): object {
  return {
    atMs: moment.nowMs,
    queues: report.queues.map((queue) => queueJson(queue, report)),
    advice: report.advice,
    runsKnown: runs.runs,
    unreadable: unreadable.map(({ kind, namespace, name, path }) => ({ kind, namespace, name, path })),
  };
}

function queueJson(
  { queue, tenant, cohort, isStopped, uses, jobs, waiting }: QueueOverview,
  report: QueueReport,
): object {
  return {
    queue,
    tenant,
    cohort,
    stopped: isStopped,
    quotas: uses,
    jobs: Object.fromEntries(jobs),
    waiting: waiting.map((standing) => waitingJson(standing, report)),
  };
}

function waitingJson({ job, position, wait, promisedStartMs }: JobStanding, { starts }: QueueReport): object {
  return { job, position, wait, start: starts.get(job) ?? null, promisedStartMs };
}
