import { message, type Language } from '@springtide/wire/messages';
import { fixed } from '../../report/index.ts';
import { textTable, type TextColumn } from '../../terminal/index.ts';
import type { QueueResult, QueueRow } from './queues.ts';

/** The result of queue replays for a terminal: a table for each trace, a line for each policy. */
export function queuesTable(results: readonly QueueResult[], language: Language): string {
  const [first, ...heads] = queueHeads(language);
  const columns: TextColumn[] = [
    { head: first, align: 'text' },
    ...heads.map(({ head, unit }): TextColumn => ({ head: `${head}\n${unit}`, align: 'number' })),
  ];
  const tables = results.map(
    (result) => `${queuesTitle(result, language)}\n\n${textTable(columns, result.rows.map(queueCells))}\n`,
  );
  return `${tables.join('\n')}\n${message(language, 'replayQueues.note')}\n`;
}

export function queuesTitle({ trace }: QueueResult, language: Language): string {
  return message(language, 'replayQueues.title', {
    trace: trace.name,
    jobs: fixed(trace.jobs.length),
    machines: fixed(trace.machines),
  });
}

interface Head {
  readonly head: string;
  readonly unit: string;
}

/** The name of the first column, then heads with units for the figures of `queueCells`. */
export function queueHeads(language: Language): [string, ...Head[]] {
  const seconds = message(language, 'replayQueues.seconds');
  return [
    message(language, 'replayQueues.queue'),
    { head: message(language, 'replayQueues.meanJct'), unit: seconds },
    { head: message(language, 'replayQueues.p95Jct'), unit: seconds },
    { head: message(language, 'replayQueues.delay'), unit: seconds },
    { head: message(language, 'replayQueues.largeDelay'), unit: seconds },
    { head: message(language, 'replayQueues.utilisation'), unit: '%' },
    { head: message(language, 'replayQueues.preemptions'), unit: message(language, 'replayQueues.perJob') },
    { head: message(language, 'replayQueues.most'), unit: message(language, 'replayQueues.ofOneJob') },
  ];
}

export function queueCells(row: QueueRow): string[] {
  return [
    row.queue,
    fixed(row.meanJctSeconds),
    fixed(row.p95JctSeconds),
    fixed(row.meanDelaySeconds),
    row.largeGangDelaySeconds === null ? '-' : fixed(row.largeGangDelaySeconds),
    fixed(100 * row.utilisation, 1),
    fixed(row.preemptionsPerJob, 2),
    fixed(row.maxPreemptions),
  ];
}
