import { err, ok, type Result } from '@springtide/core/base';
import type { Readable } from 'node:stream';
import type { Dump } from './dump.ts';
import { type InputError, InputFault, inputError, NOT_SHOWN, type Path } from './fault.ts';
import { type Fields, fieldsAt, fieldsOf, textAt } from './fields.ts';
import { Gathering } from './gathering.ts';
import { type JsonDocument, JsonFault, jsonDocuments, parseSpan, type Span } from './json-items.ts';
import { RACK_LABELS } from './node.ts';
import { SourceFault, sourcesOf } from './sources.ts';

export interface DumpOptions {
  /** Node labels that tell the rack; the first that is set wins. Given ones replace the usual ones. */
  readonly rackLabels?: readonly string[];
  /** Name of the cluster, for `Machine.location`. */
  readonly cluster?: string;
  /** Pod label whose value is the tenant; where it is not set the namespace is. */
  readonly tenantLabel?: string;
  /** Whole NVIDIA cards may be cut into fractions even if no pod of the dump shows it. */
  readonly hasFractions?: boolean;
  /** Where `-` reads from. */
  readonly stdin?: Readable;
}

const EXPECTED = 'nodes and pods, as kubectl get nodes,pods -A -o json prints them';

/**
 * Reads a dump: a file, a folder with `nodes.json` and `pods.json`, or `-`; gzip is undone. Bad input is a value.
 * What is wrong with the cluster, but not with the file, is in `Dump.problems`.
 */
export async function readDump(path: string, options: DumpOptions = {}): Promise<Result<Dump, InputError>> {
  const gathering = gatheringOf(options);
  const error = await readObjects(path, takeInto(gathering), options.stdin);
  return error === null ? finished(gathering, path) : err(error);
}

/** Takes one object in, with the kind that its list implies; throws an `InputFault` where it cannot be read. */
export type TakeObject = (object: Fields, implied: string) => void;

/** Hands over every object of a dump, one after the other; the error if one is refused. */
export async function readObjects(path: string, take: TakeObject, stdin?: Readable): Promise<InputError | null> {
  try {
    for (const source of await sourcesOf(path, stdin)) {
      const error = addFile(take, source.file, await source.read());
      if (error !== null) return error;
    }
    return null;
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    return inputError(error, { file: error.file, line: null, column: null, subject: '' });
  }
}

function takeInto(gathering: Gathering): TakeObject {
  return (object, implied) => addObject(gathering, object, implied);
}

/** The same for bytes already at hand, each with the name to report. */
export function parseDump(
  files: readonly (readonly [file: string, bytes: Buffer])[],
  options: DumpOptions = {},
): Result<Dump, InputError> {
  const gathering = gatheringOf(options);
  for (const [file, bytes] of files) {
    const error = addFile(takeInto(gathering), file, bytes);
    if (error !== null) return err(error);
  }
  return finished(gathering, files[0]?.[0] ?? '');
}

export function gatheringOf(options: DumpOptions): Gathering {
  const { rackLabels = RACK_LABELS, cluster = '', tenantLabel = '', hasFractions = false } = options;
  return new Gathering({ rackLabels, cluster, tenantLabel, hasFractions });
}

export function finished(gathering: Gathering, file: string): Result<Dump, InputError> {
  if (gathering.nodeCount > 0) return ok(gathering.finish());
  const fault = new InputFault('not-a-dump', null, `${EXPECTED}: there is no node`, NOT_SHOWN);
  return err(inputError(fault, { file, line: null, column: null, subject: '' }));
}

/** Takes the objects of one file in; the error if it is refused. */
function addFile(take: TakeObject, file: string, bytes: Buffer): InputError | null {
  try {
    for (const document of jsonDocuments(bytes)) {
      const error = addDocument(take, file, bytes, document);
      if (error !== null) return error;
    }
    return null;
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return inputError(error, { file, ...lineOf(bytes, error.offset), subject: '' });
  }
}

function addDocument(take: TakeObject, file: string, bytes: Buffer, document: JsonDocument): InputError | null {
  const { items, kind } = document;
  if (items === null) return addItem(take, file, bytes, { span: document.span, kind: '', index: null });
  const implied = kind.endsWith('List') ? kind.slice(0, -'List'.length) : kind;
  for (const [index, span] of items.entries()) {
    const error = addItem(take, file, bytes, { span, kind: implied, index });
    if (error !== null) return error;
  }
  return null;
}

interface Item {
  readonly span: Span;
  /** The kind that the list implies for items that do not say. */
  readonly kind: string;
  readonly index: number | null;
}

const ITEMS: Path = { parent: null, key: 'items' };

function addItem(take: TakeObject, file: string, bytes: Buffer, item: Item): InputError | null {
  const value = parseSpan(bytes, item.span, item.index);
  const path = item.index === null ? null : { parent: ITEMS, key: item.index };
  try {
    take(fieldsOf(value, path), item.kind);
    return null;
  } catch (error) {
    if (!(error instanceof InputFault)) throw error;
    return inputError(error, { file, ...lineOf(bytes, item.span.start), subject: subjectOf(value, item.kind) });
  }
}

export function addObject(gathering: Gathering, fields: Fields, implied: string): void {
  const kind = textAt(fields, 'kind', implied);
  if (kind === 'Node') gathering.addNode(fields);
  else if (kind === 'Pod') gathering.addPod(fields);
  else if (kind === '') throw new InputFault('not-a-dump', { parent: fields.path, key: 'kind' }, EXPECTED, undefined);
  else gathering.addOther(kind);
}

/** `Pod online/chat-1`, as far as the object tells. */
export function subjectOf(value: unknown, implied: string): string {
  try {
    const fields = fieldsOf(value, null);
    const metadata = fieldsAt(fields, 'metadata');
    const name = [textAt(metadata, 'namespace'), textAt(metadata, 'name')].filter((part) => part !== '').join('/');
    return `${textAt(fields, 'kind', implied)} ${name}`.trim();
  } catch {
    return '';
  }
}

function lineOf(bytes: Buffer, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1 && at < offset; at = bytes.indexOf(0x0a, at + 1)) {
    line += 1;
    start = at + 1;
  }
  return { line, column: offset - start + 1 };
}
