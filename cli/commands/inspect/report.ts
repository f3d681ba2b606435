import { message, type Language } from '@springtide/wire/messages';
import { grouped } from '@springtide/wire/reasons';
import { barChart, fixed, html, page, table, type BarRow, type Html } from '../../report/index.ts';
import { summaryLines } from './card-sections.ts';
import type { Inspection } from './inspection.ts';
import { modelRows, percentOf, reasonRows, totalRow, totalsOf, type ModelRow } from './rows.ts';
import type { Section, SectionTable } from './section.ts';
import { sectionsOf } from './sections.ts';

/** A page has room for more than a terminal, but a browser for no endless table. */
const LIMITS = { rows: 200, machines: 40 };

/** The inspection as one HTML page in both languages. */
export function inspectionReport(found: Inspection, language: Language): string {
  return page({
    language,
    title: (each) => message(each, 'inspect.title'),
    body: (each) => body(found, each),
  });
}

function body(found: Inspection, language: Language): Html {
  const [first = '', ...more] = summaryLines({ found, language, limits: LIMITS });
  const sections = sectionsOf(found, language, LIMITS);
  return html`<p class="lead">${first}</p>
${more.map((line) => html`<p>${line}</p>`)}
${figures(found, language)}
${sections.map((section) => sectionHtml(found, language, section))}`;
}

/** The few numbers that the reader came for. */
function figures(found: Inspection, language: Language): Html {
  const { cards, held } = totalsOf(found);
  const { idle, unusable } = found.fragmentation;
  const { emptyMachines } = totalRow(modelRows(found), '');
  const shown: readonly (readonly [string, string, string])[] = [
    [fixed(percentOf(held, cards), 1), '%', message(language, 'inspect.figures.held')],
    [grouped(idle), message(language, 'inspect.unit.cards'), message(language, 'inspect.figures.idle')],
    [grouped(unusable), message(language, 'inspect.unit.cards'), message(language, 'inspect.figures.unusable')],
    [grouped(emptyMachines), message(language, 'inspect.unit.machines'), message(language, 'inspect.figures.empty')],
    [
      grouped(found.emptiable.together.length),
      message(language, 'inspect.unit.machines'),
      message(language, 'inspect.figures.emptiable'),
    ],
  ];
  return html`<div class="cards">${shown.map(
    ([value, unit, name]) =>
      html`<div class="card"><div class="value">${value} <small>${unit}</small></div><div class="name">${name}</div></div>`,
  )}</div>`;
}

function sectionHtml(found: Inspection, language: Language, section: Section): Html {
  const { heading, lines, key, legend, picture, note } = section;
  return html`<h2>${heading}</h2>
${lines.map((line) => html`<p>${line}</p>`)}
${chartOf(found, language, section)}
${section.table === null ? '' : tableHtml(section.table)}
${entriesHtml(key)}
${entriesHtml(legend)}
${picture.length === 0 ? '' : html`<p class="picture">${picture.join('\n')}</p>`}
${note === '' ? '' : html`<p class="note">${note}</p>`}`;
}

/** Short texts beside each other, each on one line. */
function entriesHtml(entries: readonly string[]): Html | '' {
  if (entries.length === 0) return '';
  return html`<p class="picture">${entries.map((entry) => entry.replaceAll(' ', '\u00a0')).join('   ')}</p>`;
}

function tableHtml({ columns, rows, hasTotal }: SectionTable): Html {
  return table(
    columns,
    rows.map((cells, i) => ({ cells, strong: hasTotal && i === rows.length - 1 })),
  );
}

function chartOf(found: Inspection, language: Language, { id }: Section): Html | '' {
  if (id === 'cards') return modelChart(found, language);
  return id === 'loss' ? reasonChart(found, language) : '';
}

/** Parts of a bar: what they are called, their fill, and how many cards they are. */
const PARTS = [
  ['allocatedWhole', 0, (row: ModelRow) => row.allocatedWhole],
  ['inSlices', 5, (row: ModelRow) => row.inSlices],
  ['idleUsable', 3, (row: ModelRow) => row.idle - row.unusable],
  ['unusable', 1, (row: ModelRow) => row.unusable],
  ['idleOnUnusableMachines', 4, (row: ModelRow) => row.idleOnUnusableMachines],
  ['unhealthy', 2, (row: ModelRow) => row.unhealthy],
] as const;

function modelChart(found: Inspection, language: Language): Html | '' {
  const rows = modelRows(found).map((row) => modelBar(row));
  return chart({
    title: message(language, 'inspect.cards.chart'),
    language,
    rows,
    legend: PARTS.map(([key]) => message(language, `inspect.cards.${key}`)),
    fills: PARTS.map(([, fill]) => fill),
  });
}

function modelBar(row: ModelRow): BarRow {
  return { name: row.name, parts: PARTS.map(([, , count]) => count(row)), total: grouped(row.cards) };
}

function reasonChart(found: Inspection, language: Language): Html | '' {
  const rows = reasonRows(found).map(({ reason, cards }) => ({
    name: message(language, `inspect.reason.${reason}`),
    parts: [cards],
    total: grouped(cards),
  }));
  const title = message(language, 'inspect.loss.chart');
  return chart({ title, language, rows, legend: [message(language, 'inspect.cards.unusable')], fills: [1] });
}

interface Chart {
  readonly title: string;
  readonly language: Language;
  readonly rows: readonly BarRow[];
  readonly legend: readonly string[];
  readonly fills: readonly number[];
}

function chart({ title, language, rows, legend, fills }: Chart): Html | '' {
  const max = rows.reduce(
    (most, { parts }) =>
      Math.max(
        most,
        parts.reduce((sum, part) => sum + part, 0),
      ),
    0,
  );
  if (max === 0) return '';
  const [label, unit] = [message(language, 'inspect.cards.cards'), message(language, 'inspect.unit.cards')];
  const x = { label, unit: unit === label ? '' : unit, min: 0, max, tick: grouped, step: stepOf(max) };
  return html`<figure>${barChart({ title, x, legend, rows, part: grouped, fills })}</figure>`;
}

/** Ticks at whole numbers of cards. */
function stepOf(max: number): number {
  const rough = max / 8;
  const power = 10 ** Math.max(0, Math.floor(Math.log10(rough)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough) ?? power * 10;
}
