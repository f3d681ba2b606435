import { shortModels } from '@springtide/core/model';
import type { Remainder } from '@springtide/lab/replay';
import { message, type Language } from '@springtide/wire/messages';
import { barChart, fixed, stepFor, table, type Column, type Html } from '../../report/index.ts';

/** What is left of one policy, under the name it goes by in the report. */
export interface PolicyRemainder {
  readonly name: string;
  readonly strong: boolean;
  readonly remainder: readonly Remainder[];
}

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

/** Products by the names people use for them. */
function namesOf(parts: readonly Remainder[]): (model: string) => string {
  const named = (model: string) => ({ model, resource: '', vendor: '' });
  const short = shortModels(parts.map(({ model }) => named(model)));
  return (model) => short(named(model)) || '-';
}

/** A bar for each policy: what is not allocated, by kind, in percent of all cards. */
export function remainderBars(policies: readonly PolicyRemainder[], title: string, language: Language): Html {
  const rows = policies.map(({ name, remainder }) => ({
    name,
    parts: PARTS.map((part) => (100 * cardsOf(remainder, part)) / capacityOf(remainder)),
    total: `${fixed((100 * remainingOf(remainder)) / capacityOf(remainder), 2)} %`,
  }));
  const most = Math.max(1, ...rows.map(({ parts }) => parts.reduce((sum, value) => sum + value, 0)));
  const step = stepFor(most, 7);
  return barChart({
    title,
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
}

/** What is not allocated, in percent of each model: policies down, models across, whose names are short. */
export function remainderMatrix(policies: readonly PolicyRemainder[], language: Language): Html {
  const first = policies[0]?.remainder ?? [];
  const nameOf = namesOf(first);
  const all = {
    head: message(language, 'replay.html.total'),
    cards: capacityOf(first),
    of: (parts: readonly Remainder[]) => parts,
  };
  const models = first.map(({ model, capacityMilli }) => ({
    head: nameOf(model),
    cards: capacityMilli / 1000,
    of: (parts: readonly Remainder[]) => parts.filter((each) => each.model === model),
  }));
  const shown = models.length > 1 ? [...models, all] : models;
  const columns: Column[] = [
    { head: message(language, 'replay.table.policy'), align: 'text' },
    ...shown.map(
      ({ head, cards }): Column => ({
        head,
        unit: message(language, 'replay.html.ofCards', { count: fixed(cards) }),
        align: 'number',
      }),
    ),
  ];
  const rows = policies.map(({ name, strong, remainder }) => ({
    strong,
    cells: [name, ...shown.map(({ of }) => fixed((100 * remainingOf(of(remainder))) / capacityOf(of(remainder)), 1))],
  }));
  return table(columns, rows);
}

/** Of which kind the remainder of one policy is, in cards, by model. */
export function remainderKinds({ remainder }: PolicyRemainder, language: Language): Html {
  const unit = message(language, 'replay.html.cards');
  const nameOf = namesOf(remainder);
  const columns: Column[] = [
    { head: message(language, 'replay.html.model'), align: 'text' },
    { head: unit, unit: message(language, 'replay.html.count'), align: 'number' },
    { head: message(language, 'replay.html.allocated'), unit: '%', align: 'number' },
    ...PARTS.map((part): Column => ({ head: message(language, `replay.html.${part}`), unit, align: 'number' })),
  ];
  const row = (name: string, parts: readonly Remainder[], strong: boolean) => ({
    strong,
    cells: [
      name,
      fixed(capacityOf(parts)),
      fixed(100 - (100 * remainingOf(parts)) / capacityOf(parts), 1),
      ...PARTS.map((part) => fixed(cardsOf(parts, part), 1)),
    ],
  });
  const rows = remainder.map((parts) => row(nameOf(parts.model), [parts], false));
  const total = row(message(language, 'replay.html.total'), remainder, true);
  return table(columns, rows.length > 1 ? [...rows, total] : rows);
}
