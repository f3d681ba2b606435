import { createHash, type Hash } from 'node:crypto';
import { err, ok, type Result } from '@springtide/core/base';
import type { Machine } from '@springtide/core/model';
import type { SchedulerOptions, SchedulerSnapshot, SeenPod } from '@springtide/core/scheduler';
import { plainText, valueOfText } from '@springtide/wire/plain';
import type { Facts } from './facts.ts';
import type { Entry, Recording } from './journal.ts';

export const DUMP_FORMAT = 'springtide.io/scheduler-dump';
/** Grows when an old reader could not read a dump rightly. */
export const DUMP_VERSION = 3;

/** What a dump says of itself. */
export interface DumpHead {
  readonly format: typeof DUMP_FORMAT;
  readonly version: number;
  /** Of the program that wrote it. */
  readonly program: string;
  readonly madeAtMs: number;
  readonly schedulerName: string;
  readonly options: SchedulerOptions;
  readonly facts: Facts;
}

export interface Dump {
  readonly head: DumpHead;
  readonly recording: Recording;
}

type Rest = Omit<SchedulerSnapshot, 'machines' | 'pods'>;

/** One line of a dump: the head first, the end last, and before the end the entries in order. */
type Line =
  | { readonly kind: 'head'; readonly head: DumpHead }
  | { readonly kind: 'machine'; readonly machine: Machine }
  | { readonly kind: 'pod'; readonly seen: SeenPod }
  | { readonly kind: 'rest'; readonly rest: Rest }
  | { readonly kind: 'entry'; readonly entry: Entry }
  /** SHA-256, in hex, of every line before, their line ends included. */
  | { readonly kind: 'end'; readonly sha256: string };

/** A dump as lines of JSON, each with its end. Made as they are read, so that a large one blocks nobody. */
export function* dumpLines({ head, recording }: Dump): Generator<string> {
  const hash = createHash('sha256');
  for (const line of linesOf(head, recording)) {
    const text = `${plainText(line)}\n`;
    hash.update(text);
    yield text;
  }
  yield `${plainText({ kind: 'end', sha256: hash.digest('hex') } satisfies Line)}\n`;
}

function* linesOf(head: DumpHead, { snapshot, entries }: Recording): Generator<Line> {
  const { machines, pods, ...rest } = snapshot;
  yield { kind: 'head', head };
  for (const machine of machines) yield { kind: 'machine', machine };
  for (const seen of pods) yield { kind: 'pod', seen };
  yield { kind: 'rest', rest };
  for (const entry of entries) yield { kind: 'entry', entry };
}

/**
 * Takes the lines of a dump in, without their ends, and gives the dump. The hash at the end tells whether the lines
 * are what a scheduler wrote, so that each need not be looked at field by field. Errors are in English.
 */
export class DumpReader {
  readonly #hash: Hash = createHash('sha256');
  readonly #machines: Machine[] = [];
  readonly #pods: SeenPod[] = [];
  readonly #entries: Entry[] = [];
  #head: DumpHead | null = null;
  #rest: Rest | null = null;
  #lines = 0;
  #isWhole = false;

  /** The error of a line that cannot belong to a dump, or null. */
  add(text: string): string | null {
    this.#lines += 1;
    const line = lineOf(text);
    const where = `line ${this.#lines}`;
    if (line === null) return `${where}: expected an object of JSON with a kind`;
    if (this.#isWhole) return `${where}: expected nothing behind the end`;
    if (this.#head === null) return this.#begin(line, text, where);
    if (line.kind === 'end') return this.#end(line.sha256, where);
    this.#hash.update(`${text}\n`);
    return this.#take(line) ? null : `${where}: expected a machine, a pod or an entry, found "${line.kind}"`;
  }

  #begin(line: Line, text: string, where: string): string | null {
    const head = line.kind === 'head' ? line.head : null;
    if (head?.format !== DUMP_FORMAT) return `${where}: expected the head of a dump of format ${DUMP_FORMAT}`;
    if (head.version !== DUMP_VERSION) {
      return `${where}: expected version ${DUMP_VERSION}, found ${head.version}: replay it with the program that wrote it (${head.program})`;
    }
    this.#head = head;
    this.#hash.update(`${text}\n`);
    return null;
  }

  #end(sha256: string, where: string): string | null {
    this.#isWhole = true;
    return this.#hash.digest('hex') === sha256 ? null : `${where}: the lines before are not those that were written`;
  }

  #take(line: Line): boolean {
    if (line.kind === 'machine') this.#machines.push(line.machine);
    else if (line.kind === 'pod') this.#pods.push(line.seen);
    else if (line.kind === 'rest') this.#rest = line.rest;
    else if (line.kind === 'entry') this.#entries.push(line.entry);
    else return false;
    return true;
  }

  dump(): Result<Dump, string> {
    const [head, rest] = [this.#head, this.#rest];
    if (head === null) return err('expected a dump, found nothing');
    if (!this.#isWhole || rest === null) return err(`the dump is cut after line ${this.#lines}`);
    const snapshot = { ...rest, machines: this.#machines, pods: this.#pods };
    return ok({ head, recording: { options: head.options, snapshot, entries: this.#entries } });
  }
}

function lineOf(text: string): Line | null {
  try {
    const value = valueOfText(text);
    return typeof value === 'object' && value !== null && 'kind' in value ? (value as Line) : null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}
