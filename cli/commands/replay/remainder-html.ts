import { DEFAULT_POLICY } from '@springtide/core/placement';
import type { Remainder } from '@springtide/lab/replay';
import { message, type Language } from '@springtide/wire/messages';
import { barChart, fixed, html, stepFor, table, type Column, type Html } from '../../report/index.ts';
import type { PolicySummary, TraceSummary } from './summary.ts';

/** The kinds of remainder in the order of charts and tables. */
const PARTS = ['scraps', 'cpuShort', 'scattered', 'idleMachines'] as const;
type Part = (typeof PARTS)[number];

function cardsOf(parts: readonly Remainder[], part: Part): number {
  return parts.reduce((sum, model) => sum + model[`${part}Milli`], 0) / 1000;
}

function capacityOf(parts: readonly Remainder[]): number {
  return parts.reduce((sum, model) => sum + model.capacityMilli, 0) / 1000;
}

function remainingOf(parts: readonly Remainder[]): number {
  return PARTS.reduce((sum, part) => sum + cardsOf(parts, part), 0);
}

/** A bar for each policy: what is not allocated at the end, by kind, in percent of all cards. */
export function remainderByPolicy(summary: TraceSummary, language: Language): Html {
  const rows = summary.policies.map(({ placement, remainder }) => ({
    name: placement,
    parts: PARTS.map((part) => (100 * cardsOf(remainder, part)) / capacityOf(remainder)),
    total: `${fixed((100 * remainingOf(remainder)) / capacityOf(remainder), 2)} %`,
  }));
  const most = Math.max(1, ...rows.map(({ parts }) => parts.reduce((sum, value) => sum + value, 0)));
  const step = stepFor(most, 7);
  const chart = barChart({
    title: `${summary.trace}: ${message(language, 'replay.html.remainder')}`,
    x: {
      label: message(language, 'replay.html.remaining'),
      unit: message(language, 'replay.html.ofCapacity'),
      min: 0,
      max: Math.ceil(most / step) * step,
      step,
    },
    legend: PARTS.map((part) => message(language, `replay.html.${part}`)),
    rows,
    part: (value) => fixed(value, 1),
  });
  const cores = fixed(summary.cpuOfCardMilli / 1000, 1);
  return html`<h3>${message(language, 'replay.html.remainder')}</h3>
<figure>${chart}<figcaption>${message(language, 'replay.html.remainderNote', { cores })}</figcaption></figure>
`;
}

/** Card models against policies: what is not allocated; and for one policy of which kind that is. */
export function remainderByModel({ policies }: TraceSummary, language: Language): Html {
  const shown = policies.find(({ placement }) => placement === DEFAULT_POLICY) ?? policies.at(-1);
  if (shown === undefined) return html``;
  return html`<h4>${message(language, 'replay.html.byModelAll')}</h4>
${matrix(policies, language)}<h4>${message(language, 'replay.html.byModel', { policy: shown.placement })}</h4>
${kinds(shown, language)}`;
}

function modelColumns(language: Language): Column[] {
  return [
    { head: message(language, 'replay.html.model'), align: 'text' },
    { head: message(language, 'replay.html.cards'), unit: message(language, 'replay.html.count'), align: 'number' },
  ];
}

/** Policies down, models across: names of models are short, so that the table fits a page. */
function matrix(policies: readonly PolicySummary[], language: Language): Html {
  const models = (policies[0]?.remainder ?? []).map(({ model, capacityMilli }) => ({ model, capacityMilli }));
  const all = {
    model: message(language, 'replay.html.total'),
    capacityMilli: capacityOf(policies[0]?.remainder ?? []) * 1000,
  };
  const shown = models.length > 1 ? [...models, all] : models;
  const columns: Column[] = [
    { head: message(language, 'replay.table.policy'), align: 'text' },
    ...shown.map(
      ({ model, capacityMilli }): Column => ({
        head: model,
        unit: message(language, 'replay.html.ofCards', { count: fixed(capacityMilli / 1000) }),
        align: 'number',
      }),
    ),
  ];
  const rows = policies.map(({ placement, remainder }) => ({
    strong: placement === DEFAULT_POLICY,
    cells: [
      placement,
      ...shown.map(({ model }) => {
        const parts = model === all.model ? remainder : remainder.filter((each) => each.model === model);
        return fixed((100 * remainingOf(parts)) / capacityOf(parts), 1);
      }),
    ],
  }));
  return table(columns, rows);
}

function kinds({ remainder }: PolicySummary, language: Language): Html {
  const unit = message(language, 'replay.html.cards');
  const columns: Column[] = [
    ...modelColumns(language),
    { head: message(language, 'replay.html.allocated'), unit: '%', align: 'number' },
    ...PARTS.map((part): Column => ({ head: message(language, `replay.html.${part}`), unit, align: 'number' })),
  ];
  const row = (name: string, parts: readonly Remainder[], strong: boolean) => ({
    strong,
    cells: [
      name,
      fixed(capacityOf(parts)),
      fixed(100 - (100 * remainingOf(parts)) / capacityOf(parts), 2),
      ...PARTS.map((part) => fixed(cardsOf(parts, part), 1)),
    ],
  });
  const rows = remainder.map((parts) => row(parts.model, [parts], false));
  return table(
    columns,
    rows.length > 1 ? [...rows, row(message(language, 'replay.html.total'), remainder, true)] : rows,
  );
}
