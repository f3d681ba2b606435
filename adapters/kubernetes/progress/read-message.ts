import { err, ok, type Result } from '@springtide/core/base';
import { type CheckpointNews, JOB_PHASES, type JobPhase } from '@springtide/core/model';
import type { MessageFault, ProgressMessage } from '@springtide/ports/progress';
import { InputFault, pathText, type Path } from '../fault.ts';
import { below, type Fields, fieldsAt, fieldsOf, has, integerAt, requiredTextAt, textAt } from '../fields.ts';

const FIELDS = ['job', 'incarnation', 'step', 'loss', 'phase', 'checkpoint'];
const CHECKPOINT_FIELDS = ['state', 'uri', 'bytes', 'sha256'];
const STATES = ['complete', 'torn', 'missing'];
const NAME_LENGTH_MAX = 253;
const URI_LENGTH_MAX = 1024;
const INCARNATION = { absent: 0, min: 1, max: 1_000_000_000 };
const STEP = { absent: -1, min: 0, max: Number.MAX_SAFE_INTEGER };
const BYTES = { absent: 0, min: 1, max: Number.MAX_SAFE_INTEGER };

/** Reads what a job sends, JSON in UTF-8. A field that nobody knows is a fault: it may be one that was misspelt. */
export function readMessage(body: string): Result<ProgressMessage, MessageFault> {
  try {
    return ok(messageOf(fieldsOf(parsed(body), null)));
  } catch (error) {
    if (!(error instanceof InputFault)) throw error;
    const { path, expected, found } = error;
    return err({ path: pathText(path), expected, found });
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    throw new InputFault('syntax', null, 'JSON', body);
  }
}

function messageOf(fields: Fields): ProgressMessage {
  onlyKnown(fields, FIELDS);
  const job = shortText(requiredTextAt(fields, 'job'), below(fields, 'job'), NAME_LENGTH_MAX);
  const report = {
    incarnation: required(fields, 'incarnation', integerAt(fields, 'incarnation', INCARNATION)),
    step: required(fields, 'step', integerAt(fields, 'step', STEP)),
    loss: lossOf(fields),
    phase: oneOf(textAt(fields, 'phase', 'train'), JOB_PHASES, below(fields, 'phase')) as JobPhase,
    checkpoint: has(fields, 'checkpoint') ? checkpointOf(fieldsAt(fields, 'checkpoint')) : null,
  };
  return { job, report };
}

function checkpointOf(fields: Fields): CheckpointNews {
  onlyKnown(fields, CHECKPOINT_FIELDS);
  const uri = shortText(requiredTextAt(fields, 'uri'), below(fields, 'uri'), URI_LENGTH_MAX);
  const state = oneOf(textAt(fields, 'state', 'complete'), STATES, below(fields, 'state'));
  if (state === 'torn' || state === 'missing') return { state, uri };
  const bytes = required(fields, 'bytes', integerAt(fields, 'bytes', BYTES));
  const sha256 = textAt(fields, 'sha256').toLowerCase();
  if (sha256 !== '' && !/^[0-9a-f]{64}$/.test(sha256)) {
    throw new InputFault('value', below(fields, 'sha256'), '64 hexadecimal digits', sha256);
  }
  return { state: 'complete', uri, bytes, sha256 };
}

function onlyKnown(fields: Fields, known: readonly string[]): void {
  const unknown = Object.keys(fields.values).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new InputFault('value', fields.path, `only ${known.join(', ')}`, unknown);
}

function required(fields: Fields, key: string, value: number): number {
  if (!has(fields, key)) throw new InputFault('missing', below(fields, key), 'a whole number', undefined);
  return value;
}

function lossOf(fields: Fields): number | null {
  const value = fields.values['loss'];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new InputFault('wrong-type', below(fields, 'loss'), 'a number, or null', value);
  }
  return value;
}

function oneOf(text: string, known: readonly string[], path: Path): string {
  if (known.includes(text)) return text;
  throw new InputFault('value', path, known.join(', '), text);
}

/** Printable, and not longer than may be. */
function shortText(text: string, path: Path, lengthMax: number): string {
  if (text.length <= lengthMax && !/\p{Cc}/u.test(text)) return text;
  throw new InputFault('value', path, `at most ${lengthMax} characters, none of them a control character`, text);
}
