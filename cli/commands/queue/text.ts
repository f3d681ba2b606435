import type { JobStanding, QueueOverview, QuotaUse } from '@springtide/core/model';
import { type Language, message } from '@springtide/wire/messages';
import {
  grouped,
  jobWaitText,
  momentText,
  queueAdviceText,
  quotaAmountText,
  quotaResourceText,
  startText,
} from '@springtide/wire/reasons';
import { indented } from '../../cluster/index.ts';
import { type QueueWorld, runsText, unreadableText } from '../../queues/index.ts';
import { textTable } from '../../terminal/index.ts';
import type { QueueReport } from './queue-report.ts';

/** The report for people. */
export function reportText(world: QueueWorld, report: QueueReport, language: Language): string[] {
  const lines = report.queues.flatMap((queue) => queueLines(queue, report, language));
  if (report.starts.size > 0) lines.push(runsText(world, language));
  if (report.advice.length > 0) {
    lines.push(message(language, 'queue.advice.title'));
    lines.push(...indented(report.advice.map((advice) => `- ${queueAdviceText(language, advice)}`)));
  }
  return [...lines, ...world.unreadable.map((each) => unreadableText(each, language))];
}

function queueLines(overview: QueueOverview, report: QueueReport, language: Language): string[] {
  const { queue, cohort, isStopped, uses, jobs, waiting } = overview;
  const count = jobs.get('queued') ?? 0;
  const running = ['admitted', 'running', 'suspending'] as const;
  const values = { queue, waiting: count, running: running.reduce((sum, state) => sum + (jobs.get(state) ?? 0), 0) };
  const head =
    cohort === null
      ? message(language, 'queue.head', values)
      : message(language, 'queue.headCohort', { ...values, cohort });
  const table = uses.length === 0 ? [] : textTable(columnsIn(language), uses.map(rowIn(language))).split('\n');
  const told = waiting.map((standing) => waitingLine(standing, report, language));
  if (count > told.length) told.push(message(language, 'queue.more', { count: grouped(count - told.length) }));
  const stopped = isStopped ? [message(language, 'queue.stopped')] : [];
  return [head, ...indented([...stopped, ...table, ...told])];
}

function columnsIn(language: Language): Parameters<typeof textTable>[0] {
  const texts = ['flavor', 'resource'] as const;
  const numbers = ['nominal', 'used', 'borrowed', 'lent', 'available'] as const;
  return [
    ...texts.map((key) => ({ head: message(language, `queue.column.${key}`), align: 'text' as const })),
    ...numbers.map((key) => ({ head: message(language, `queue.column.${key}`), align: 'number' as const })),
  ];
}

function rowIn(language: Language): (use: QuotaUse) => string[] {
  return ({ flavor, resource, nominal, used, borrowed, lent, available }) => [
    flavor,
    quotaResourceText(language, resource).trim(),
    ...[nominal, used, borrowed, lent, available].map((amount) => quotaAmountText(resource, amount)),
  ];
}

function waitingLine(standing: JobStanding, { starts }: QueueReport, language: Language): string {
  const { position, job, wait, promisedStartMs } = standing;
  const line = message(language, 'queue.line', { position, job, why: jobWaitText(language, wait) });
  const expected = starts.get(job);
  if (expected === undefined) return line;
  const start = startText(expected, language);
  const when =
    promisedStartMs === null
      ? message(language, 'queue.start', { start })
      : message(language, 'queue.startPromised', { start, at: momentText(promisedStartMs) });
  return `${line}${language === 'zh' ? '' : ' '}${when}`;
}
