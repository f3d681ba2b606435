import { message, type Language } from '@springtide/wire/messages';
import { fixed, html, page, scatterChart, table, type Column, type Html } from '../../report/index.ts';
import type { DelayGroup } from '@springtide/lab/queues';
import { estimatesPart } from './estimates-html.ts';
import { queueCells, queueHeads, queuesTitle } from './queues-table.ts';
import type { QueueResult, QueueRow } from './queues.ts';

/** What is more than so many times the best in either direction is named below the chart, not drawn. */
const SHOWN_TIMES = 4;
const OURS = 'tide';

/** The report of queue replays: for each trace the figures, the front, and who waits. */
export function queuesReport(results: readonly QueueResult[], language: Language): string {
  return page({
    language,
    title: (each) =>
      message(each, 'replayQueues.html.title', { traces: results.map(({ trace }) => trace.name).join(', ') }),
    body: (each) => html`<p class="lead">${message(each, 'replayQueues.html.lead')}</p>
${results.map((result) => traceSection(result, each))}`,
  });
}

function traceSection(result: QueueResult, language: Language): Html {
  const by = (head: string, of: (row: QueueRow) => readonly DelayGroup[]): Html => delays(result, head, of);
  return html`<section><h2>${result.trace.name}</h2>
<p>${queuesTitle(result, language)}</p>
${figures(result, language)}
<p class="note">${message(language, 'replayQueues.note')}</p>
<h3>${message(language, 'replayQueues.html.front')}</h3>
${front(result, language)}
<h3>${message(language, 'replayQueues.html.bySize')}</h3>
<p class="note">${message(language, 'replayQueues.html.delayNote')}</p>
${by(message(language, 'replayQueues.queue'), (row) => row.bySize)}
<h3>${message(language, 'replayQueues.html.byTenant')}</h3>
${by(message(language, 'replayQueues.queue'), (row) => row.byTenant)}
${estimatesPart(result, language)}</section>
`;
}

function figures({ rows }: QueueResult, language: Language): Html {
  const [first, ...heads] = queueHeads(language);
  const columns: Column[] = [
    { head: first, align: 'text' },
    ...heads.map(({ head, unit }): Column => ({ head, unit, align: 'number' })),
  ];
  return table(
    columns,
    rows.map((row) => ({ cells: queueCells(row), strong: row.queue === OURS })),
  );
}

/** Mean JCT against the delay of large gangs: what is below and to the left is better in both. */
function front({ trace, rows }: QueueResult, language: Language): Html {
  const points = rows.flatMap(({ queue, meanJctSeconds, largeGangDelaySeconds }) =>
    largeGangDelaySeconds === null ? [] : [{ name: queue, x: meanJctSeconds / 1000, y: largeGangDelaySeconds / 1000 }],
  );
  if (points.length === 0) return html`<p>${message(language, 'replayQueues.html.noGangs')}</p>`;
  const xMax = SHOWN_TIMES * Math.min(...points.map(({ x }) => x));
  const yMax = SHOWN_TIMES * Math.max(1, Math.min(...points.map(({ y }) => y)));
  const shown = points.filter(({ x, y }) => x <= xMax && y <= yMax);
  const beyond = points.filter((point) => !shown.includes(point));
  const unit = message(language, 'replayQueues.html.kiloseconds');
  const most = (values: readonly number[]): number => 1.1 * Math.max(...values, 1);
  const chart = scatterChart({
    title: `${trace.name}: ${message(language, 'replayQueues.html.front')}`,
    x: { label: message(language, 'replayQueues.meanJct'), unit, min: 0, max: most(shown.map(({ x }) => x)) },
    y: { label: message(language, 'replayQueues.largeDelay'), unit, min: 0, max: most(shown.map(({ y }) => y)) },
    points: shown,
    strong: OURS,
  });
  const note = beyond.map(({ name, x, y }) => `${name} (${fixed(x)}, ${fixed(y)})`).join(', ');
  const rest = note === '' ? '' : ` ${message(language, 'replayQueues.html.beyond', { policies: note })}`;
  return html`<figure>${chart}<figcaption>${message(language, 'replayQueues.html.frontNote')}${rest}</figcaption></figure>`;
}

function delays({ rows }: QueueResult, head: string, of: (row: QueueRow) => readonly DelayGroup[]): Html {
  const [first] = rows;
  if (first === undefined) return html``;
  const columns: Column[] = [
    { head, align: 'text' },
    ...of(first).map(({ name, jobs }): Column => ({ head: name, unit: fixed(jobs), align: 'number' })),
  ];
  const cellsOf = (row: QueueRow): string[] => [row.queue, ...of(row).map((group) => fixed(group.meanDelaySeconds))];
  return table(
    columns,
    rows.map((row) => ({ cells: cellsOf(row), strong: row.queue === OURS })),
  );
}
