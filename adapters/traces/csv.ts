import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';

/** Bad input: where it is and what was expected there. Shown as it is, never as a stack trace. */
export class TraceError extends Error {
  override readonly name = 'TraceError';
  readonly file: string;
  /** 1 is the header; 0 when the whole file is meant. */
  readonly line: number;
  readonly problem: string;

  constructor(file: string, line: number, problem: string) {
    super(line === 0 ? `${file}: ${problem}` : `${file}:${line}: ${problem}`);
    this.file = file;
    this.line = line;
    this.problem = problem;
  }
}

export interface CsvRow {
  readonly line: number;
  readonly text: (column: string) => string;
  /** A non-negative integer of at most `max`. */
  readonly integer: (column: string, max?: number) => number;
  /** A non-negative number of at most `max`, such as `12.5`. */
  readonly decimal: (column: string, max: number) => number;
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

const INTEGER_MAX = 1e12;
const SHOWN_MAX = 160;

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new TraceError(file, 0, `cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

function parseRecords(file: string, text: string): CsvRecord[] {
  try {
    return parse(text, {
      info: true,
      bom: true,
      skip_empty_lines: true,
      relax_column_count: true,
    }) as unknown as CsvRecord[];
  } catch (cause) {
    const line = (cause as { lines?: number }).lines ?? 0;
    throw new TraceError(file, line, `is no CSV: ${shown(cause instanceof Error ? cause.message : String(cause))}`);
  }
}

/**
 * Reads a CSV file with a header line. Columns are found by name, extra ones are ignored. Throws TraceError for
 * an empty file, a missing column, and a line with another number of fields than the header.
 */
export function readCsv(file: string, columns: readonly string[]): CsvRow[] {
  const records = parseRecords(file, readText(file));
  const header = records[0]?.record;
  if (header === undefined) throw new TraceError(file, 0, 'is empty: expected a header line');
  const missing = columns.filter((column) => !header.includes(column));
  if (missing.length > 0)
    throw new TraceError(file, 1, `lacks the column ${missing.join(', ')}; it has ${shown(header.join(', '))}`);
  const at = new Map(header.map((name, index) => [name, index]));
  return records.slice(1).map(({ record, info }) => {
    if (record.length !== header.length) {
      throw new TraceError(file, info.lines, `has ${record.length} fields where the header has ${header.length}`);
    }
    return rowOf(file, info.lines, record, at);
  });
}

/** Foreign text as it may be shown on one line: short, and without control characters. */
function shown(text: string): string {
  const line = text.replace(/\p{Cc}/gu, '?');
  return line.length > SHOWN_MAX ? `${line.slice(0, SHOWN_MAX)}...` : line;
}

function rowOf(file: string, line: number, record: readonly string[], at: ReadonlyMap<string, number>): CsvRow {
  const text = (column: string): string => record[at.get(column) ?? -1] ?? '';
  const number = (column: string, form: RegExp, max: number, expected: string): number => {
    const raw = text(column);
    const value = Number(raw);
    if (form.test(raw) && value <= max) return value;
    const problem = `${column} is ${JSON.stringify(shown(raw))}: expected ${expected} from 0 to ${max}`;
    throw new TraceError(file, line, problem);
  };
  return {
    line,
    text,
    integer: (column, max = INTEGER_MAX) => number(column, /^\s*\d+\s*$/, max, 'a whole number'),
    decimal: (column, max) => number(column, /^\s*\d+(?:\.\d+)?\s*$/, max, 'a number'),
  };
}
