import { err, ok, type Result } from '@springtide/core/base';
import type { Readable } from 'node:stream';
import { type Document, isNode, LineCounter, parseAllDocuments } from 'yaml';
import { type InputError, InputFault, inputError, keysOf, NOT_SHOWN, type Path } from './fault.ts';
import { type Fields, below, fieldsAt, fieldsOf, itemsAt, textAt } from './fields.ts';
import { RACK_LABELS } from './node.ts';
import type { RequestedWorkload } from './request.ts';
import { SourceFault, sourcesOf } from './sources.ts';
import { isWorkload, type RequestOptions, WORKLOAD_KINDS, workloadOf } from './workloads.ts';

/** Reads what `place` is asked to place: YAML or JSON, one or more documents. `-` is standard input. */
export async function readRequests(
  path: string,
  options: Partial<RequestOptions> & { readonly stdin?: Readable } = {},
): Promise<Result<RequestedWorkload[], InputError>> {
  try {
    const sources = await sourcesOf(path, options.stdin);
    const workloads: RequestedWorkload[] = [];
    for (const source of sources) {
      const read = parseRequests((await source.read()).toString('utf8'), source.file, options);
      if (!read.ok) return read;
      workloads.push(...read.value);
    }
    return ok(workloads);
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    return err(inputError(error, { file: error.file, line: null, column: null, subject: '' }));
  }
}

/** The same for text already at hand. */
export function parseRequests(
  text: string,
  file: string,
  options: Partial<RequestOptions> = {},
): Result<RequestedWorkload[], InputError> {
  const full = { rackLabels: options.rackLabels ?? RACK_LABELS, tenantLabel: options.tenantLabel ?? '' };
  const lines = new LineCounter();
  const documents = [...parseAllDocuments(text, { lineCounter: lines })];
  const workloads: RequestedWorkload[] = [];
  const others: string[] = [];
  for (const document of documents) {
    const [problem] = document.errors;
    if (problem !== undefined) return err(syntaxError(file, lines, problem.pos[0]));
    const read = readDocument(document, file, lines, full);
    if (!read.ok) return read;
    workloads.push(...read.value.workloads);
    others.push(...read.value.others);
  }
  if (workloads.length > 0) return ok(workloads);
  const fault = new InputFault('not-a-workload', null, WORKLOADS, others.length === 0 ? undefined : others.join(', '));
  return err(inputError(fault, { file, line: null, column: null, subject: '' }));
}

const WORKLOADS = `one of ${WORKLOAD_KINDS.join(', ')}`;

interface DocumentRead {
  readonly workloads: RequestedWorkload[];
  /** Kinds that are no workloads, such as the Service beside a Deployment: passed over. */
  readonly others: string[];
}

function readDocument(
  document: Document.Parsed,
  file: string,
  lines: LineCounter,
  options: RequestOptions,
): Result<DocumentRead, InputError> {
  const read: DocumentRead = { workloads: [], others: [] };
  let subject = '';
  try {
    for (const item of objectsOf(toValue(document))) {
      const kind = textAt(item, 'kind');
      subject = `${kind} ${textAt(fieldsAt(item, 'metadata'), 'name')}`.trim();
      if (kind === '') throw new InputFault('missing', below(item, 'kind'), WORKLOADS, undefined);
      if (isWorkload(kind)) read.workloads.push(workloadOf(item, options));
      else read.others.push(kind);
    }
    return ok(read);
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
