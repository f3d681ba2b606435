import type { KeptCheckpoint, ProgressRecord } from '@springtide/core/progress';
import type { SavedCheckpoint } from '@springtide/core/model';
import { readOr } from '../fault.ts';
import { type Fields, fieldsAt, fieldsOf, has, integerAt, itemsAt, requiredTextAt, textAt } from '../fields.ts';

/** The annotation of a job's object in which its progress is kept, JSON. */
export const PROGRESS = 'springtide.io/progress';

const COUNT = { absent: 0, min: 0, max: Number.MAX_SAFE_INTEGER };

export function recordText(record: ProgressRecord): string {
  return JSON.stringify({ version: 1, ...record });
}

/** Null: there is none, or none that this version can read, which is as good as none. */
export function recordOf(text: string): ProgressRecord | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return readOr(null, () => readRecord(fieldsOf(value, null)));
}

function readRecord(fields: Fields): ProgressRecord | null {
  const incarnation = integerAt(fields, 'incarnation', COUNT);
  if (integerAt(fields, 'version', COUNT) !== 1 || incarnation < 1) return null;
  return {
    incarnation,
    from: has(fields, 'from') ? savedAt(fieldsAt(fields, 'from')) : null,
    furthestStep: integerAt(fields, 'furthestStep', COUNT),
    checkpoints: itemsAt(fields, 'checkpoints').map(keptOf),
    fruitless: integerAt(fields, 'fruitless', COUNT),
    restarts: integerAt(fields, 'restarts', COUNT),
  };
}

function keptOf(item: Fields): KeptCheckpoint {
  return { ...savedAt(item), strikes: integerAt(item, 'strikes', COUNT) };
}

function savedAt(fields: Fields): SavedCheckpoint {
  return {
    uri: requiredTextAt(fields, 'uri'),
    step: integerAt(fields, 'step', COUNT),
    atMs: integerAt(fields, 'atMs', COUNT),
    bytes: integerAt(fields, 'bytes', COUNT),
    sha256: textAt(fields, 'sha256'),
    incarnation: integerAt(fields, 'incarnation', COUNT),
  };
}
