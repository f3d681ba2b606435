import { InputFault } from '../fault.ts';
import { below, type Fields, textAt } from '../fields.ts';

/** A date and time as Kubernetes writes it, in milliseconds since 1970; null: none is there. */
export function timeAt(from: Fields, key: string): number | null {
  const text = textAt(from, key);
  if (text === '') return null;
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new InputFault('value', below(from, key), 'a date and time such as 2026-01-31T12:00:00Z', text);
}

export function timeText(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
