import { message, type MessageKey } from '@springtide/wire/messages';
import { grouped } from '@springtide/wire/reasons';
import { comma } from '../../cluster/index.ts';
import { fixed } from '../../report/index.ts';
import { hamiRows, modelRows, percentOf, totalRow, totalsOf, type HamiRow, type ModelRow } from './rows.ts';
import { numberColumn, section, textColumn, type Section, type Telling } from './section.ts';
import { told } from './told.ts';

/** How many machines, cards and pods there are, and what became of the cards. */
export function summaryLines({ found, language }: Telling): string[] {
  const { dump, book } = found.cluster;
  const { cards, held } = totalsOf(found);
  const { idle, unusable } = found.fragmentation;
  const lines = [
    message(language, 'inspect.summary', {
      machines: grouped(book.machines.length),
      withCards: grouped(dump.cardGroups.size),
      pods: grouped(dump.pods.length),
      waiting: grouped(found.waiting.pods),
    }),
    message(language, 'inspect.lead', {
      allocated: grouped(held),
      cards: grouped(cards),
      percent: fixed(percentOf(held, cards), 1),
      idle: grouped(idle),
      unusable: grouped(unusable),
    }),
  ];
  if (dump.finishedPods > 0) lines.push(message(language, 'inspect.finished', { count: grouped(dump.finishedPods) }));
  if (dump.otherKinds.size > 0) {
    const kinds = [...dump.otherKinds].map(([kind, count]) => `${kind} ${grouped(count)}`).join(comma(language));
    lines.push(message(language, 'inspect.otherKinds', { kinds }));
  }
  return lines;
}

/** Columns of the table of models, with the unit of each. */
const MODEL_COLUMNS = [
  ['machines', 'machines'],
  ['cards', 'cards'],
  ['allocatedWhole', 'cards'],
  ['inSlices', 'cards'],
  ['unhealthy', 'cards'],
  ['idle', 'cards'],
  ['unusable', 'cards'],
  ['idleOnUnusableMachines', 'cards'],
  ['emptyMachines', 'machines'],
] as const;

export function modelSection({ found, language }: Telling): Section | null {
  const rows = modelRows(found);
  if (rows.length === 0) return null;
  const hasTotal = rows.length > 1;
  const all = hasTotal ? [...rows, totalRow(rows, message(language, 'inspect.cards.total'))] : rows;
  const columns = MODEL_COLUMNS.map(([key, unit]) =>
    numberColumn(message(language, `inspect.cards.${key}`), message(language, `inspect.unit.${unit}`)),
  );
  return section('cards', message(language, 'inspect.cards.heading'), {
    table: {
      columns: [textColumn(message(language, 'inspect.cards.model')), ...columns],
      rows: all.map(modelCells),
      hasTotal,
    },
    note: message(language, 'inspect.cards.note'),
  });
}

function modelCells(row: ModelRow): string[] {
  return [row.name, ...MODEL_COLUMNS.map(([key]) => grouped(row[key]))];
}

export function hamiSection({ found, language }: Telling): Section | null {
  const rows = hamiRows(found);
  if (rows.length === 0) return null;
  const ofAll = message(language, 'inspect.hami.ofAll');
  const unit = (key: 'cards' | 'machines'): string => message(language, `inspect.unit.${key}`);
  const columns = [
    textColumn(message(language, 'inspect.cards.model')),
    numberColumn(message(language, 'inspect.cards.machines'), unit('machines')),
    numberColumn(message(language, 'inspect.cards.cards'), unit('cards')),
    numberColumn(message(language, 'inspect.hami.held'), unit('cards')),
    numberColumn(message(language, 'inspect.hami.memory'), ofAll),
    numberColumn(message(language, 'inspect.hami.compute'), ofAll),
  ];
  const table = { columns, rows: rows.map(hamiCells), hasTotal: false };
  return section('hami', message(language, 'inspect.hami.heading'), { table });
}

function hamiCells({ name, machines, cards, held, memoryPercent, computePercent }: HamiRow): string[] {
  return [name, grouped(machines), grouped(cards), grouped(held), fixed(memoryPercent, 1), fixed(computePercent, 1)];
}

export function migSection({ found, language, limits }: Telling): Section | null {
  if (found.mig.size === 0) return null;
  const lines = [...found.mig].map(([machine, { profiles, ...counts }]) => {
    const instances = [...profiles].map(([name, { total, used }]) =>
      message(language, 'inspect.mig.profile', { name: name.replace(/^.*\/mig-/, ''), total, used }),
    );
    return message(language, 'inspect.mig.line', {
      machine,
      cards: counts.physicalCards,
      whole: counts.wholeCards,
      held: counts.wholeAllocated,
      cut: counts.cardsInMig,
      profiles: instances.join(comma(language)),
    });
  });
  return linesSection('mig', 'inspect.mig.heading', { language, lines, most: limits.rows });
}

export function timeSlicedSection({ found, language, limits }: Telling): Section | null {
  const lines = [...found.timeSliced].map(([machine, counts]) =>
    message(language, 'inspect.timeSliced.line', {
      machine,
      cards: counts.physicalCards,
      shares: counts.sharesPerCard,
      used: counts.sharesUsed,
    }),
  );
  if (lines.length === 0) return null;
  return linesSection('time-sliced', 'inspect.timeSliced.heading', { language, lines, most: limits.rows });
}

export function unknownSection({ found, language, limits }: Telling): Section | null {
  const lines = [...found.unknownResources].map(([machine, names]) => `${machine}: ${names.join(', ')}`);
  if (lines.length === 0) return null;
  return linesSection('unknown', 'inspect.unknown.heading', { language, lines, most: limits.rows });
}

interface Lines {
  readonly language: Telling['language'];
  readonly lines: readonly string[];
  readonly most: number;
}

type HeadingKey = Extract<MessageKey, `inspect.${string}.heading`>;

function linesSection(id: string, heading: HeadingKey, { language, lines, most }: Lines): Section {
  return section(id, message(language, heading), { lines: told(language, lines, most) });
}
