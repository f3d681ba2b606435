import type { ToldGroup } from '@springtide/lab/estimates';
import { message, type Language } from '@springtide/wire/messages';
import { html, lineChart, type Axis, type Html, type LineSeries } from '../../report/index.ts';
import { estimatesSentence, type QueueEstimates } from './estimates.ts';
import type { QueueResult } from './queues.ts';

const HOUR_MS = 3_600_000;
/** Waits are drawn by their logarithm, from a minute on. */
const LEAST_MS = 60_000;

/** For each policy under which waits were told: the scores, what was covered, and what was true. */
export function estimatesPart({ trace, rows }: QueueResult, language: Language): Html {
  const parts = rows.flatMap(({ queue, estimates }) =>
    estimates === null ? [] : [policyPart(`${trace.name}, ${queue}`, estimates, language)],
  );
  return html`${parts}`;
}

function policyPart(name: string, estimates: QueueEstimates, language: Language): Html {
  const title = `${message(language, 'replayEstimates.title')} (${name})`;
  const sentence = html`<h3>${title}</h3><p>${estimatesSentence(estimates, language)}</p>`;
  if (estimates.groups.length === 0) return sentence;
  return html`${sentence}
<figure>${coverageChart(title, estimates.groups, language)}<figcaption>${message(language, 'replayEstimates.coverageNote')}</figcaption></figure>
<figure>${truthChart(title, estimates.groups, language)}<figcaption>${message(language, 'replayEstimates.truthNote')}</figcaption></figure>`;
}

/** The share that each quantile covered, by the wait told: both lines are level where it is calibrated. */
function coverageChart(title: string, groups: readonly ToldGroup[], language: Language): Html {
  return lineChart({
    title: `${title}: ${message(language, 'replayEstimates.covered')}`,
    x: toldAxis(groups, language),
    y: { label: message(language, 'replayEstimates.covered'), unit: '%', min: 0, max: 100, step: 10 },
    series: [
      {
        name: 'P90',
        style: 0,
        strong: true,
        points: groups.map((each) => [logOf(each.toldMs), 100 * each.p90Coverage]),
      },
      { name: 'P50', style: 1, points: groups.map((each) => [logOf(each.toldMs), 100 * each.p50Coverage]) },
    ],
  });
}

/** True waits by the wait told: their median lies on the diagonal where P50 is right. */
function truthChart(title: string, groups: readonly ToldGroup[], language: Language): Html {
  const x = toldAxis(groups, language);
  const quantile = (i: 0 | 1 | 2): LineSeries['points'] =>
    groups.map(({ toldMs, waitedMs }) => [logOf(toldMs), logOf(waitedMs[i])]);
  const truths = groups.flatMap(({ waitedMs }) => waitedMs.map(logOf));
  const y: Axis = {
    ...x,
    label: message(language, 'replayEstimates.waited'),
    min: Math.min(x.min, ...truths),
    max: Math.max(x.max, ...truths),
  };
  return lineChart({
    title: `${title}: ${message(language, 'replayEstimates.waited')}`,
    x,
    y,
    series: [
      { name: message(language, 'replayEstimates.median'), style: 0, strong: true, points: quantile(1) },
      { name: '10 %', style: 2, points: quantile(0) },
      { name: '90 %', style: 3, points: quantile(2) },
      {
        name: message(language, 'replayEstimates.asTold'),
        style: 7,
        points: [
          [x.min, x.min],
          [x.max, x.max],
        ],
      },
    ],
  });
}

function toldAxis(groups: readonly ToldGroup[], language: Language): Axis {
  const told = groups.map(({ toldMs }) => logOf(toldMs));
  return {
    label: message(language, 'replayEstimates.told'),
    unit: message(language, 'replayEstimates.hours'),
    min: Math.floor(Math.min(...told)),
    max: Math.max(Math.floor(Math.min(...told)) + 1, Math.ceil(Math.max(...told))),
    step: 1,
    tick: (log) => String(Number((10 ** log).toPrecision(2))),
  };
}

/** Of hours. */
function logOf(ms: number): number {
  return Math.log10(Math.max(LEAST_MS, ms) / HOUR_MS);
}
