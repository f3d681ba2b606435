/** Input that is refused: a value for the caller, with where it stands and what was expected there. */

export type InputErrorCode =
  | 'unreadable'
  | 'empty'
  | 'too-large'
  | 'cut'
  | 'syntax'
  | 'not-a-dump'
  | 'not-a-workload'
  | 'missing'
  | 'wrong-type'
  | 'quantity'
  | 'negative'
  | 'absurd'
  | 'value';

export interface InputError {
  readonly code: InputErrorCode;
  /** The file as the caller named it; `-` is standard input. */
  readonly file: string;
  /** From 1; null where the place is told by `path` alone. */
  readonly line: number | null;
  readonly column: number | null;
  /** Such as `items[3].spec.containers[0].resources.requests["nvidia.com/gpu"]`; empty: the file as a whole. */
  readonly path: string;
  /** The object that the path leads into, such as `Pod online/chat-1`; empty when there is none. */
  readonly subject: string;
  /** What was expected, as an English phrase: `a list`. */
  readonly expected: string;
  /** What stood there, cut to a readable length; never the value of an environment variable. */
  readonly found: string;
}

/** Where a value stands in its document. A linked list, so that it costs nothing until something is wrong. */
export interface Path {
  readonly parent: Path | null;
  readonly key: string | number;
}

/**
 * How the readers of this folder stop at bad input: thrown where the value is read, turned into an `InputError`
 * value by `readDump` and `readRequests`. It never leaves the folder.
 */
export class InputFault extends Error {
  override readonly name = 'InputFault';
  readonly code: InputErrorCode;
  readonly path: Path | null;
  readonly expected: string;
  readonly found: string;

  constructor(code: InputErrorCode, path: Path | null, expected: string, found: unknown) {
    super(expected);
    this.code = code;
    this.path = path;
    this.expected = expected;
    this.found = found === NOT_SHOWN ? '' : describe(found);
  }
}

/** What `read` gives; `otherwise` where the input cannot be read. */
export function readOr<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InputFault)) throw error;
    return otherwise;
  }
}

/** Given as `found` where there is nothing to show, or nothing that may be shown. */
export const NOT_SHOWN: unique symbol = Symbol('not shown');

const FOUND_LENGTH_MAX = 60;

/** A short picture of a value. Objects are not opened: they may hold secrets. */
function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (value !== null && typeof value === 'object') return 'an object';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length <= FOUND_LENGTH_MAX ? text : `${text.slice(0, FOUND_LENGTH_MAX - 1)}…`;
}

/** The keys from the root down. */
export function keysOf(path: Path | null): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at = path; at !== null; at = at.parent) keys.push(at.key);
  return keys.toReversed();
}

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `items[3].metadata.labels["app"]`, as jq writes it. */
export function pathText(path: Path | null): string {
  let text = '';
  for (const key of keysOf(path)) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (!PLAIN_KEY.test(key)) text += `[${JSON.stringify(key)}]`;
    else text += text === '' ? key : `.${key}`;
  }
  return text;
}

/** Where a fault was met. */
export interface Place {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly subject: string;
}

export function inputError(fault: InputFault, place: Place): InputError {
  const { code, path, expected, found } = fault;
  return { code, ...place, path: pathText(path), expected, found };
}

/** One line for a terminal: `pods.json:12:7: items[0].spec (Pod a/b): expected an object, found 3`. */
export function inputErrorText(error: InputError): string {
  const place = error.line === null ? error.file : `${error.file}:${error.line}:${error.column ?? 1}`;
  const subject = error.subject === '' ? '' : ` (${error.subject})`;
  const path = error.path + subject === '' ? '' : ` ${error.path}${subject}:`;
  const found = error.found === '' ? '' : `, found ${error.found}`;
  return `${place}:${path} expected ${error.expected}${found}`;
}
