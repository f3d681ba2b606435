import { InputFault, NOT_SHOWN } from './fault.ts';

/**
 * Finds the objects of a dump in its bytes without parsing it as a whole: a tree of 200 MB of JSON would take a
 * gigabyte, and text of more than 512 MiB cannot be one string. Each object is parsed by itself and turned into
 * nouns at once. One pass over the bytes, O(n).
 */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface JsonDocument {
  readonly span: Span;
  /** `kind` at the top, such as `List`, `PodList` or `Node`; empty when there is none. */
  readonly kind: string;
  /** The elements of `items`; null: the document is no list. */
  readonly items: readonly Span[] | null;
}

/** A fault of form, at a byte. */
export class JsonFault extends InputFault {
  readonly offset: number;

  constructor(code: 'cut' | 'syntax' | 'not-a-dump', offset: number, item: number | null, expected: string) {
    const items = { parent: null, key: 'items' };
    super(code, item === null ? null : { parent: items, key: item }, expected, NOT_SHOWN);
    this.offset = offset;
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** What a byte means to nesting: 0 nothing, else a quote, an opening or a closing one. */
const STEPS = new Uint8Array(256);
STEPS[QUOTE] = QUOTE;
STEPS[OPEN] = OPEN;
STEPS[OPEN_LIST] = OPEN;
STEPS[CLOSE] = CLOSE;
STEPS[CLOSE_LIST] = CLOSE;

/** The documents of the file, one behind the other. Throws a `JsonFault`. */
export function jsonDocuments(bytes: Buffer): JsonDocument[] {
  const documents: JsonDocument[] = [];
  const scanner = new Scanner(bytes);
  while (scanner.hasMore()) documents.push(scanner.document());
  return documents;
}

/** Parses one object. Its text is never put into a fault: it may hold secrets. */
export function parseSpan(bytes: Buffer, span: Span, item: number | null): unknown {
  const text = bytes.toString('utf8', span.start, span.end);
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const before = position === undefined ? 0 : Buffer.byteLength(text.slice(0, Number(position)));
    throw new JsonFault('syntax', span.start + before, item, 'JSON');
  }
}

class Scanner {
  readonly #bytes: Buffer;
  #at = 0;
  /** The element of `items` that is being read, for faults. */
  #item: number | null = null;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  hasMore(): boolean {
    this.#skipBlanks();
    return this.#at < this.#bytes.length;
  }

  document(): JsonDocument {
    const start = this.#at;
    if (this.#bytes[start] !== OPEN) throw this.#fault('not-a-dump', 'a JSON object, as kubectl -o json prints');
    this.#at += 1;
    let kind = '';
    let items: Span[] | null = null;
    for (let isFirst = true; !this.#isAtEnd(CLOSE, isFirst); isFirst = false) {
      const key = this.#text();
      this.#expect(COLON, "':'");
      this.#skipBlanks();
      if (key === 'items' && this.#bytes[this.#at] === OPEN_LIST) items = this.#elements();
      else if (key === 'kind' && this.#bytes[this.#at] === QUOTE) kind = this.#text();
      else this.#value();
    }
    return { span: { start, end: this.#at }, kind, items };
  }

  #elements(): Span[] {
    const spans: Span[] = [];
    this.#at += 1;
    while (!this.#isAtEnd(CLOSE_LIST, spans.length === 0)) {
      this.#item = spans.length;
      const start = this.#at;
      this.#value();
      spans.push({ start, end: this.#at });
      this.#item = null;
    }
    return spans;
  }

  /** Steps to the next entry, over the comma before it, or over the closing byte: then true. */
  #isAtEnd(close: number, isFirst: boolean): boolean {
    this.#skipBlanks();
    if (this.#at >= this.#bytes.length) throw this.#cut();
    if (this.#bytes[this.#at] === close) {
      this.#at += 1;
      return true;
    }
    if (!isFirst) this.#expect(COMMA, "',' or the end");
    this.#skipBlanks();
    return false;
  }

  #skipBlanks(): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (let byte = bytes[at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = bytes[at])
      at += 1;
    this.#at = at;
  }

  #expect(byte: number, what: string): void {
    this.#skipBlanks();
    if (this.#at >= this.#bytes.length) throw this.#cut();
    if (this.#bytes[this.#at] !== byte) throw this.#fault('syntax', what);
    this.#at += 1;
  }

  #text(): string {
    const start = this.#at;
    if (start >= this.#bytes.length) throw this.#cut();
    if (this.#bytes[start] !== QUOTE) throw this.#fault('syntax', 'a key in quotes');
    this.#at = this.#behindText(start);
    const text = parseSpan(this.#bytes, { start, end: this.#at }, this.#item);
    return typeof text === 'string' ? text : '';
  }

  /** Steps over one value; whether it is well-formed inside is for the parser to say. */
  #value(): void {
    const bytes = this.#bytes;
    const first = bytes[this.#at];
    if (first === QUOTE) this.#at = this.#behindText(this.#at);
    else if (first === OPEN || first === OPEN_LIST) this.#at = this.#behindNested(this.#at);
    else {
      const start = this.#at;
      let at = start;
      while (at < bytes.length && !isDelimiter(bytes[at])) at += 1;
      this.#at = at;
      if (at >= bytes.length) throw this.#cut();
      if (at === start) throw this.#fault('syntax', 'a value');
    }
  }

  /** One flat loop over the bytes, since nearly all of them are read here. */
  #behindNested(start: number): number {
    const bytes = this.#bytes;
    const { length } = bytes;
    let depth = 0;
    let at = start;
    while (at < length) {
      const step = STEPS[bytes[at] ?? 0];
      at += 1;
      if (step === 0) continue;
      if (step === QUOTE) at = this.#behindText(at - 1);
      else if (step === OPEN) depth += 1;
      else if ((depth -= 1) === 0) return at;
    }
    throw this.#cut();
  }

  #behindText(start: number): number {
    const bytes = this.#bytes;
    let at = start + 1;
    while (at < bytes.length) {
      const byte = bytes[at];
      if (byte === QUOTE) return at + 1;
      at += byte === BACKSLASH ? 2 : 1;
    }
    throw this.#cut();
  }

  #cut(): JsonFault {
    return new JsonFault('cut', this.#bytes.length, this.#item, 'the rest of the file: it ends in the middle');
  }

  #fault(code: 'syntax' | 'not-a-dump', expected: string): JsonFault {
    return new JsonFault(code, this.#at, this.#item, expected);
  }
}

function isDelimiter(byte: number | undefined): boolean {
  return (
    byte === COMMA ||
    byte === CLOSE ||
    byte === CLOSE_LIST ||
    byte === 0x20 ||
    byte === 0x0a ||
    byte === 0x0d ||
    byte === 0x09
  );
}
