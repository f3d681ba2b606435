import { groupsByTold, isToldQueue, scoresOf, tellWaits } from '@springtide/lab/estimates';
import type { EstimateScores, ToldGroup } from '@springtide/lab/estimates';
import type { QueuePolicyName, QueueTrace } from '@springtide/lab/queues';
import { message, type Language } from '@springtide/wire/messages';
import { fixed } from '../../report/index.ts';
import type { QueueResult } from './queues.ts';
import { rounded } from './rounded.ts';

/** Jobs of a trace up to which each one that waits is told; of more, each n-th is. */
const TOLD_JOBS = 3000;
const GROUPS = 12;

/** How good the waits were that jobs were told under one queue policy. */
export interface QueueEstimates {
  readonly scores: EstimateScores;
  /** Of the jobs that had to wait, each `every`-th was told. */
  readonly every: number;
  readonly groups: readonly ToldGroup[];
}

/** Null: waits are not told under this policy. */
export function estimatesOf(trace: QueueTrace, queue: QueuePolicyName): QueueEstimates | null {
  if (!isToldQueue(queue)) return null;
  const every = Math.ceil(trace.jobs.length / TOLD_JOBS);
  const waits = tellWaits(trace, queue, every);
  return { scores: scoresOf(waits, every), every, groups: groupsByTold(waits, GROUPS) };
}

/** A stable interface: seconds and shares, to the thousandth. */
export function estimateFigures({ scores, every }: QueueEstimates): object {
  return { every, ...Object.fromEntries(Object.entries(scores).map(([key, value]) => [key, rounded(value)])) };
}

/** A paragraph for each trace and policy under which waits were told; empty: none. */
export function estimatesText(results: readonly QueueResult[], language: Language): string {
  const paragraphs = results.flatMap(({ trace, rows }) =>
    rows.flatMap(({ queue, estimates }) =>
      estimates === null ? [] : [`${trace.name}, ${queue}: ${estimatesSentence(estimates, language)}\n`],
    ),
  );
  return paragraphs.length === 0 ? '' : `\n${paragraphs.join('')}`;
}

export function estimatesSentence({ scores, every }: QueueEstimates, language: Language): string {
  return message(language, 'replayEstimates.scores', {
    waited: fixed(scores.waited),
    every: fixed(every),
    within: percent(scores.withinShare),
    now: percent(scores.nowRightShare),
    covered: percent(scores.p90Coverage),
    all: percent(scores.p90CoverageOfAll),
    bias: fixed(scores.biasSeconds),
    mean: fixed(scores.meanWaitSeconds),
  });
}

function percent(share: number): string {
  return fixed(100 * share, 1);
}
