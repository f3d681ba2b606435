import type { Inspection } from './inspection.ts';
import type { Language } from '@springtide/wire/messages';

export interface SectionColumn {
  readonly head: string;
  readonly unit?: string;
  /** Numbers stand to the right. */
  readonly align: 'text' | 'number';
}

export interface SectionTable {
  readonly columns: readonly SectionColumn[];
  readonly rows: readonly (readonly string[])[];
  /** The last row sums up the others. */
  readonly hasTotal: boolean;
}

/** A part of the inspection in words, ready to be printed as text or as HTML. */
export interface Section {
  readonly id: string;
  readonly heading: string;
  /** Sentences before the table. */
  readonly lines: readonly string[];
  readonly table: SectionTable | null;
  /** What the signs of the picture mean. */
  readonly key: readonly string[];
  /** What its letters stand for. */
  readonly legend: readonly string[];
  /** Lines that keep their spaces: the picture of the machines. */
  readonly picture: readonly string[];
  /** What the words mean. */
  readonly note: string;
}

/** How much is told before the rest is only counted. */
export interface Limits {
  readonly rows: number;
  readonly machines: number;
}

export interface Telling {
  readonly found: Inspection;
  readonly language: Language;
  readonly limits: Limits;
}

/** A first column that is longer is moved to the end, so that the numbers stay together. */
const LONG = 40;

function withLongLast(table: SectionTable): SectionTable {
  if (table.rows.every((row) => (row[0]?.length ?? 0) <= LONG)) return table;
  const turned = <T>([first, ...rest]: readonly T[]): T[] => (first === undefined ? rest : [...rest, first]);
  return { ...table, columns: turned(table.columns), rows: table.rows.map((row) => turned(row)) };
}

/** A section from what it has. */
export function section(id: string, heading: string, parts: Partial<Section> = {}): Section {
  return { lines: [], key: [], legend: [], picture: [], note: '', ...parts, id, heading, table: tableOf(parts) };
}

function tableOf({ table = null }: Partial<Section>): SectionTable | null {
  return table === null ? null : withLongLast(table);
}

export function textColumn(head: string): SectionColumn {
  return { head, align: 'text' };
}

/** The unit is left out where the head is the unit. */
export function numberColumn(head: string, unit?: string): SectionColumn {
  return unit === undefined || unit === head ? { head, align: 'number' } : { head, unit, align: 'number' };
}
