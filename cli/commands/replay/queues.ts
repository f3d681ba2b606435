import { delaysBySize, delaysByTenant, replayQueue, scoreOf } from '@springtide/lab/queues';
import type { DelayGroup, QueuePolicyName, QueueScore, QueueTrace } from '@springtide/lab/queues';
import type { Language } from '@springtide/wire/messages';
import { estimateFigures, estimatesOf, estimatesText, type QueueEstimates } from './estimates.ts';
import { queuesReport } from './queues-html.ts';
import { queuesRequestOf } from './queues-request.ts';
import { queuesTable } from './queues-table.ts';
import type { ReplayOptions } from './request.ts';
import { rounded } from './rounded.ts';
import { checkReportFolder, writeReport } from './write-report.ts';

/** One queue policy on one job trace. */
export interface QueueRow extends QueueScore {
  readonly queue: QueuePolicyName;
  readonly bySize: readonly DelayGroup[];
  readonly byTenant: readonly DelayGroup[];
  /** How good the waits were that jobs were told; null: not asked for, or not told under this policy. */
  readonly estimates: QueueEstimates | null;
}

/** All policies on one job trace, in the order asked for. */
export interface QueueResult {
  readonly trace: QueueTrace;
  readonly rows: readonly QueueRow[];
}

/** Replays job traces under queue policies, and prints each line as soon as it is there when lines are asked for. */
export function replayQueues(options: ReplayOptions, language: Language): void {
  const { traces, policies } = queuesRequestOf(options, language);
  if (options.html !== undefined) checkReportFolder(options.html, language);
  const results = traces.map((trace): QueueResult => {
    const rows = policies.map((queue) => {
      const row = rowOf(trace, queue, options.estimates === true);
      if (options.json === true) process.stdout.write(`${queueLine(trace, row)}\n`);
      return row;
    });
    return { trace, rows };
  });
  if (options.json !== true) {
    process.stdout.write(queuesTable(results, language));
    process.stdout.write(estimatesText(results, language));
  }
  if (options.html !== undefined) writeReport(options.html, queuesReport(results, language), language);
}

function rowOf(trace: QueueTrace, queue: QueuePolicyName, withEstimates: boolean): QueueRow {
  const outcomes = replayQueue(trace, queue);
  return {
    queue,
    ...scoreOf(trace, outcomes),
    bySize: delaysBySize(outcomes),
    byTenant: delaysByTenant(outcomes),
    estimates: withEstimates ? estimatesOf(trace, queue) : null,
  };
}

/** One policy on one trace as one line of JSON: a stable interface. Seconds and shares, to the thousandth. */
function queueLine(
  { name, machines, jobs }: QueueTrace,
  { queue, bySize, byTenant, estimates, ...score }: QueueRow,
): string {
  const figures = Object.fromEntries(Object.entries(score).map(([key, value]) => [key, rounded(value)]));
  const delays = (groups: readonly DelayGroup[]): object[] =>
    groups.map((group) => ({ ...group, meanDelaySeconds: rounded(group.meanDelaySeconds) }));
  return JSON.stringify({
    trace: name,
    queue,
    machines,
    ...figures,
    jobs: jobs.length,
    delayBySize: delays(bySize),
    delayByTenant: delays(byTenant),
    ...(estimates === null ? {} : { estimates: estimateFigures(estimates) }),
  });
}
