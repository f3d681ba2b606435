import { err, ok, type Result } from '@springtide/core/base';
import type { Readable } from 'node:stream';
import { type Document, isNode, LineCounter, parseAllDocuments } from 'yaml';
import { type InputError, InputFault, inputError, keysOf, NOT_SHOWN, type Path } from './fault.ts';
import { type Fields, fieldsAt, fieldsOf, itemsAt, textAt } from './fields.ts';
import { SourceFault, sourcesOf } from './sources.ts';

/** Takes one object in; throws an `InputFault` where it cannot be read. */
export type Take = (object: Fields) => void;

/** Reads YAML or JSON, one or more documents, each an object or a list of them. `-` is standard input. */
export async function readDocuments(path: string, take: Take, stdin?: Readable): Promise<Result<null, InputError>> {
  try {
    for (const source of await sourcesOf(path, stdin)) {
      const read = parseDocuments((await source.read()).toString('utf8'), source.file, take);
      if (!read.ok) return read;
    }
    return ok(null);
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    return err(inputError(error, { file: error.file, line: null, column: null, subject: '' }));
  }
}

/** The same for text already at hand. */
export function parseDocuments(text: string, file: string, take: Take): Result<null, InputError> {
  const lines = new LineCounter();
  for (const document of parseAllDocuments(text, { lineCounter: lines })) {
    const [problem] = document.errors;
    if (problem !== undefined) return err(syntaxError(file, lines, problem.pos[0]));
    const read = readDocument(document, { file, lines, take });
    if (!read.ok) return read;
  }
  return ok(null);
}

interface Reading {
  readonly file: string;
  readonly lines: LineCounter;
  readonly take: Take;
}

function readDocument(document: Document.Parsed, { file, lines, take }: Reading): Result<null, InputError> {
  let subject = '';
  try {
    for (const item of objectsOf(toValue(document))) {
      subject = `${textAt(item, 'kind')} ${textAt(fieldsAt(item, 'metadata'), 'name')}`.trim();
      take(item);
    }
    return ok(null);
  } catch (error) {
    if (!(error instanceof InputFault)) throw error;
    return err(inputError(error, { file, ...placeOf(document, lines, error.path), subject }));
  }
}

/** Nothing for an empty document, such as the one behind a last `---`. */
function objectsOf(value: unknown): Fields[] {
  if (value === null || value === undefined) return [];
  const fields = fieldsOf(value, null);
  return textAt(fields, 'kind') === 'List' ? itemsAt(fields, 'items') : [fields];
}

/** Aliases are bounded, so that a small file cannot grow without end. */
function toValue(document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    throw new InputFault('syntax', null, 'YAML with fewer aliases', NOT_SHOWN);
  }
}

function syntaxError(file: string, lines: LineCounter, offset: number): InputError {
  const { line, col } = lines.linePos(offset);
  // The parser's own message quotes the text, which may hold secrets.
  const fault = new InputFault('syntax', null, 'YAML', NOT_SHOWN);
  return inputError(fault, { file, line, column: col, subject: '' });
}

/** Line and column of the value at `path`, or of the nearest thing around it that is in the file. */
function placeOf(document: Document.Parsed, lines: LineCounter, path: Path | null): { line: number; column: number } {
  for (let at = path; at !== null; at = at.parent) {
    const node = document.getIn(keysOf(at), true);
    const range = isNode(node) ? node.range : undefined;
    if (range) return position(lines, range[0]);
  }
  return position(lines, document.contents?.range[0] ?? 0);
}

function position(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}
