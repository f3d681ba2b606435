import { shortModels, type Machine } from '@springtide/core/model';
import { CPU_OF_CARD_MILLI, DAY_MS, HOUR_MS, type DayPoint, type DayResult } from '@springtide/lab/sample';
import { message, type Language } from '@springtide/wire/messages';
import { fixed, html, lineChart, page, stepFor, table, type Html } from '../../report/index.ts';
import { remainderBars, remainderKinds, type PolicyRemainder } from './remainder-html.ts';
import {
  BUSY_MS,
  measureCells,
  measureHeads,
  sampleMeasures,
  sampleTitle,
  sampleWords,
  timeText,
  type SampleDay,
} from './sample-words.ts';

/** The report of the sample day. */
export function sampleReport(day: SampleDay, language: Language): string {
  return page({
    language,
    title: (each) => message(each, 'replay.sample.html.title'),
    body: (each) => body(day, each),
  });
}

function body(day: SampleDay, language: Language): Html {
  const heads = measureHeads(language);
  const columns = heads.map((head, i) => ({ head, align: i === 0 ? 'text' : 'number' }) as const);
  const rows = sampleMeasures(day, language).map((measure) => ({ cells: measureCells(measure) }));
  return html`<p class="lead">${sampleTitle(day, language)}</p>
<p>${message(language, 'replay.sample.how')}</p>
<ul class="plain">${sampleWords(day, language).map((sentence) => html`<li>${sentence}</li>`)}</ul>
${table(columns, rows)}
${chart(day, language, { kind: 'allocation', unit: 'percent', value: (point) => point.allocatedPercent })}
<p class="note">${message(language, 'replay.sample.html.allocationNote')}</p>
${chart(day, language, { kind: 'waiting', unit: 'cards', value: (point) => point.waitingCards })}
${chart(day, language, { kind: 'idle', unit: 'machines', value: (point) => point.idleMachines })}
<p class="note">${message(language, 'replay.sample.html.idleNote')}</p>
${chart(day, language, { kind: 'gang', unit: 'cards', value: (point) => point.largestGangCards })}
<p class="note">${message(language, 'replay.sample.html.gangNote')}</p>
${remainderPart(day, language)}
<h2>${message(language, 'replay.sample.html.fleet')}</h2>
<p>${message(language, 'replay.sample.html.made')}</p>
${fleetTable(day.sample.machines, language)}`;
}

interface DayChart {
  readonly kind: 'allocation' | 'waiting' | 'idle' | 'gang';
  readonly unit: 'percent' | 'cards' | 'machines';
  readonly value: (point: DayPoint) => number;
}

function chart({ theirs, ours }: SampleDay, language: Language, { kind, unit, value }: DayChart): Html {
  const title = message(language, `replay.sample.html.${kind}`);
  const line = ({ points }: DayResult) => points.map((point) => [point.atMs / HOUR_MS, value(point)] as const);
  const most = Math.max(1, ...[...theirs.points, ...ours.points].map(value));
  const step = stepFor(most, 6);
  return html`<h2>${title}</h2>
<figure>${lineChart({
    title,
    x: {
      label: message(language, 'replay.sample.html.hour'),
      unit: '',
      min: 0,
      max: DAY_MS / HOUR_MS,
      step: 3,
      tick: (hour) => timeText(hour * HOUR_MS),
    },
    y: {
      label: title,
      unit: message(language, `replay.sample.html.${unit}`),
      min: 0,
      max: unit === 'percent' ? 100 : Math.ceil(most / step) * step,
      tick: (each) => fixed(each),
    },
    series: [
      { name: message(language, 'replay.sample.tide'), style: 0, strong: true, points: line(ours) },
      { name: message(language, 'replay.sample.spread'), style: 1, points: line(theirs) },
    ],
  })}</figure>`;
}

function remainderPart({ theirs, ours }: SampleDay, language: Language): Html {
  const views: PolicyRemainder[] = [
    { name: message(language, 'replay.sample.spread'), strong: false, remainder: theirs.remainder },
    { name: message(language, 'replay.sample.tide'), strong: true, remainder: ours.remainder },
  ];
  const title = message(language, 'replay.sample.html.remainder', { time: timeText(BUSY_MS) });
  const cores = CPU_OF_CARD_MILLI / 1000;
  return html`<h2>${title}</h2>
<figure>${remainderBars(views, title, language)}<figcaption>${message(language, 'replay.sample.html.remainderNote', { cores })}</figcaption></figure>
${views.map(
  (view) => html`<h3>${message(language, 'replay.sample.html.byModel', { name: view.name })}</h3>
${remainderKinds(view, language)}`,
)}`;
}

function fleetTable(machines: readonly Machine[], language: Language): Html {
  const groups = Map.groupBy(machines, ({ location, cards }) => `${location.region} ${cards[0]?.model ?? ''}`);
  const nameOf = shortModels(machines.flatMap(({ cards }) => cards.slice(0, 1)));
  const rows = [...groups.values()].map((group) => {
    const [first] = group as [Machine];
    const [card] = first.cards;
    const cells = [
      first.location.region,
      card === undefined ? '' : nameOf(card),
      fixed(group.length),
      fixed(first.cards.length),
      fixed(group.reduce((sum, machine) => sum + machine.cards.length, 0)),
    ];
    return { cells };
  });
  const number = (key: 'machines' | 'perMachine' | 'total') =>
    ({ head: message(language, `replay.sample.html.${key}`), align: 'number' }) as const;
  const columns = [
    { head: message(language, 'replay.sample.html.region'), align: 'text' } as const,
    { head: message(language, 'replay.html.model'), align: 'text' } as const,
    number('machines'),
    number('perMachine'),
    number('total'),
  ];
  return table(columns, rows);
}
