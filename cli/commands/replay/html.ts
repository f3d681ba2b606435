import { DEFAULT_POLICY, POLICY_NAMES, type PolicyName } from '@springtide/core/placement';
import { message, type Language } from '@springtide/wire/messages';
import { fixed, html, lineChart, page, table, type Column, type Html } from '../../report/index.ts';
import { LOADS } from './json.ts';
import { remainderBars, remainderKinds, remainderMatrix, type PolicyRemainder } from './remainder-html.ts';
import { seedsText } from './seeds.ts';
import type { PolicySummary, TraceSummary } from './summary.ts';
import { orderText, tiesText, withDeviation } from './table.ts';

const LOAD_MAX = 130;
const TITLES_MAX = 3;

/** The report of replays: for each trace the curves of all policies, where the remainder sits, and the figures. */
export function replayReport(summaries: readonly TraceSummary[], language: Language): string {
  const names = summaries.map(({ trace }) => trace);
  const shown = names.length > TITLES_MAX ? [...names.slice(0, TITLES_MAX), '...'] : names;
  return page({
    language,
    title: (each) => message(each, 'replay.html.title', { traces: shown.join(', ') }),
    body: (each) => html`<p class="lead">${message(each, 'replay.html.lead')}</p>
${summaries.map((summary) => traceSection(summary, each))}`,
  });
}

function traceSection(summary: TraceSummary, language: Language): Html {
  return html`<section><h2>${summary.trace}</h2>
<p>${message(language, 'replay.html.fleet', { machines: fixed(summary.machines), cards: fixed(summary.cards) })}</p>
<p>${message(language, 'replay.html.protocol', {
    count: summary.seeds.length,
    seeds: seedsText(summary.seeds),
    order: orderText(summary, language),
    ties: tiesText(summary, language),
  })}</p>
${bestLine(summary, language)}
<h3>${message(language, 'replay.html.allocation')}</h3>
<figure>${allocationChart(summary, language)}<figcaption>${message(language, 'replay.html.allocationNote')}</figcaption></figure>
<h3>${message(language, 'replay.html.fragmentation')}</h3>
<figure>${fragmentationChart(summary, language)}<figcaption>${message(language, 'replay.html.fragmentationNote')}</figcaption></figure>
${remainderPart(summary, language)}
<h3>${message(language, 'replay.html.summary')}</h3>
<p class="note">${message(language, 'replay.table.note')}</p>
${summaryTable(summary, language)}</section>
`;
}

function endOf(policy: PolicySummary): number {
  return policy.allocatedAt(LOAD_MAX)?.mean ?? 0;
}

/** What is best at the end, and by how much; nothing when there is but one policy. */
function bestLine({ policies }: TraceSummary, language: Language): Html {
  const [best, other] = policies.toSorted((left, right) => endOf(right) - endOf(left));
  if (best === undefined || other === undefined) return html``;
  const values = {
    best: best.placement,
    other: other.placement,
    value: fixed(endOf(best), 2),
    difference: fixed(endOf(best) - endOf(other), 2),
  };
  return html`<p><strong>${message(language, 'replay.html.best', values)}</strong></p>`;
}

/** The same colour for a policy in every chart; ours is the first. */
function styleOf(placement: PolicyName): number {
  const others = POLICY_NAMES.filter((name) => name !== DEFAULT_POLICY).toReversed();
  return [DEFAULT_POLICY, ...others].indexOf(placement);
}

function allocationChart({ trace, policies }: TraceSummary, language: Language): Html {
  const lowest = Math.min(...policies.map(endOf));
  const min = Math.max(0, Math.floor((lowest - 8) / 10) * 10);
  const unit = message(language, 'replay.html.ofCapacity');
  return lineChart({
    title: `${trace}: ${message(language, 'replay.html.allocation')}`,
    x: { label: message(language, 'replay.html.arrived'), unit, min, max: LOAD_MAX, step: 10 },
    y: { label: message(language, 'replay.html.allocated'), unit, min, max: 100 },
    series: policies.map((policy) => ({
      name: policy.placement,
      style: styleOf(policy.placement),
      strong: policy.placement === DEFAULT_POLICY,
      last: fixed(endOf(policy), 2),
      points: policy.curve.map((point) => [point.loadPercent, point.allocatedPercent] as const),
    })),
  });
}

function fragmentationChart({ trace, policies }: TraceSummary, language: Language): Html {
  return lineChart({
    title: `${trace}: ${message(language, 'replay.html.fragmentation')}`,
    x: {
      label: message(language, 'replay.html.arrived'),
      unit: message(language, 'replay.html.ofCapacity'),
      min: 0,
      max: LOAD_MAX,
      step: 10,
    },
    y: {
      label: message(language, 'replay.html.unusable'),
      unit: message(language, 'replay.html.ofIdle'),
      min: 0,
      max: 100,
    },
    series: policies.map((policy) => ({
      name: policy.placement,
      style: styleOf(policy.placement),
      strong: policy.placement === DEFAULT_POLICY,
      points: policy.curve.map((point) => [point.loadPercent, point.fragmentationOfIdlePercent ?? 0] as const),
    })),
  });
}

function remainderPart({ trace, policies, cpuOfCardMilli }: TraceSummary, language: Language): Html {
  const views = policies.map(
    ({ placement, remainder }): PolicyRemainder => ({
      name: placement,
      strong: placement === DEFAULT_POLICY,
      remainder,
    }),
  );
  const shown = views.find(({ strong }) => strong) ?? views.at(-1);
  if (shown === undefined) return html``;
  const title = message(language, 'replay.html.remainder');
  const cores = fixed(cpuOfCardMilli / 1000, 1);
  return html`<h3>${title}</h3>
<figure>${remainderBars(views, `${trace}: ${title}`, language)}<figcaption>${message(language, 'replay.html.remainderNote', { cores })}</figcaption></figure>
<h4>${message(language, 'replay.html.byModelAll')}</h4>
${remainderMatrix(views, language)}<h4>${message(language, 'replay.html.byModel', { policy: shown.name })}</h4>
${remainderKinds(shown, language)}`;
}

function summaryTable({ policies }: TraceSummary, language: Language): Html {
  const number = (head: string, unit: string): Column => ({ head, unit, align: 'number' });
  const columns: Column[] = [
    { head: message(language, 'replay.table.policy'), align: 'text' },
    ...LOADS.map((load) =>
      number(message(language, 'replay.table.at', { load }), message(language, 'replay.html.ofCapacity')),
    ),
    number(message(language, 'replay.table.refused'), message(language, 'replay.table.ofPods')),
    number(message(language, 'replay.table.cpu'), message(language, 'replay.table.microseconds')),
  ];
  const rows = policies.map((policy) => ({
    strong: policy.placement === DEFAULT_POLICY,
    cells: [
      policy.placement,
      ...LOADS.map((load) => withDeviation(policy.allocatedAt(load), 2)),
      fixed(policy.refusedPercent.mean, 1),
      fixed(policy.microsecondsPerDecision.mean, 1),
    ],
  }));
  return table(columns, rows);
}
