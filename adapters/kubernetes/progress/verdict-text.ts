import type { TroubleVerdict } from '@springtide/core/model';
import { readOr } from '../fault.ts';
import { booleanAt, type Fields, fieldsOf, integerAt, textsAt } from '../fields.ts';

/** The annotation of a job's object that says what was decided of an incarnation in trouble, JSON. */
export const VERDICT = 'springtide.io/restart';

const COUNT = { absent: 0, min: 0, max: Number.MAX_SAFE_INTEGER };

export function verdictText(verdict: TroubleVerdict): string {
  return JSON.stringify(verdict);
}

/** Null: there is none, or none that can be read, which is as good as none. */
export function verdictOf(text: string): TroubleVerdict | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return readOr(null, () => readVerdict(fieldsOf(value, null)));
}

function readVerdict(fields: Fields): TroubleVerdict | null {
  const incarnation = integerAt(fields, 'incarnation', COUNT);
  if (incarnation < 1) return null;
  return {
    incarnation,
    isGivenUp: booleanAt(fields, 'isGivenUp'),
    avoids: textsAt(fields, 'avoids'),
    retryAtMs: integerAt(fields, 'retryAtMs', COUNT),
  };
}
