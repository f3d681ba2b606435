import type { Language } from '@springtide/wire/messages';
import { indented } from '../../cluster/index.ts';
import { textTable } from '../../terminal/index.ts';
import { summaryLines } from './card-sections.ts';
import type { Inspection } from './inspection.ts';
import type { Section, SectionTable } from './section.ts';
import { sectionsOf } from './sections.ts';

/** A terminal shows the heads of long lists. */
const LIMITS = { rows: 15, machines: 8 };

/** The inspection for a terminal. */
export function inspectionText(found: Inspection, language: Language): string {
  const head = summaryLines({ found, language, limits: LIMITS });
  const parts = [head, ...sectionsOf(found, language, LIMITS).map(sectionLines)];
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function sectionLines({ heading, lines, table, key, legend, picture, note }: Section): string[] {
  const rows = table === null ? [] : tableLines(table);
  return [
    heading,
    ...indented([
      ...lines,
      ...rows,
      ...(key.length > 0 ? [key.join('   ')] : []),
      ...legend,
      ...(picture.length > 0 ? ['', ...picture] : []),
      ...(note === '' ? [] : [note]),
    ]),
  ];
}

function tableLines({ columns, rows }: SectionTable): string[] {
  const heads = columns.map(({ head, unit, align }) => ({
    head: unit === undefined ? head : `${head}\n${unit}`,
    align,
  }));
  return textTable(heads, rows).split('\n');
}
