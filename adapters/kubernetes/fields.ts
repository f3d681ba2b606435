import { InputFault, type Path } from './fault.ts';

/**
 * Typed access to parsed JSON or YAML. What is absent or null is the empty value, as in Go; what has the wrong
 * type is a fault that names its place.
 */
export interface Fields {
  readonly values: Readonly<Record<string, unknown>>;
  readonly path: Path | null;
}

const NOTHING: Readonly<Record<string, unknown>> = {};

export function below(from: Fields, key: string): Path {
  return { parent: from.path, key };
}

/** The value itself as an object. */
export function fieldsOf(value: unknown, path: Path | null): Fields {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new InputFault('wrong-type', path, 'an object', value);
  }
  // A non-null object that is no array can be indexed by text.
  return { values: value as Readonly<Record<string, unknown>>, path };
}

/** The object under `key`; empty when absent. */
export function fieldsAt(from: Fields, key: string): Fields {
  const value = from.values[key];
  if (value === undefined || value === null) return { values: NOTHING, path: below(from, key) };
  return fieldsOf(value, below(from, key));
}

export function has(from: Fields, key: string): boolean {
  const value = from.values[key];
  return value !== undefined && value !== null;
}

const EMPTY: readonly unknown[] = [];

export function listAt(from: Fields, key: string): readonly unknown[] {
  const value = from.values[key];
  if (value === undefined || value === null) return EMPTY;
  if (!Array.isArray(value)) throw new InputFault('wrong-type', below(from, key), 'a list', value);
  return value;
}

/** The objects of the list under `key`. */
export function itemsAt(from: Fields, key: string): Fields[] {
  const list = listAt(from, key);
  if (list.length === 0) return [];
  const path = below(from, key);
  return list.map((item, index) => fieldsOf(item, { parent: path, key: index }));
}

export function textsAt(from: Fields, key: string): string[] {
  const list = listAt(from, key);
  if (list.length === 0) return [];
  const path = below(from, key);
  return list.map((item, index) => {
    if (typeof item !== 'string') throw new InputFault('wrong-type', { parent: path, key: index }, 'a string', item);
    return item;
  });
}

export function textAt(from: Fields, key: string, absent = ''): string {
  const value = from.values[key];
  if (value === undefined || value === null) return absent;
  if (typeof value !== 'string') throw new InputFault('wrong-type', below(from, key), 'a string', value);
  return value;
}

export function requiredTextAt(from: Fields, key: string): string {
  const value = textAt(from, key);
  if (value === '') throw new InputFault('missing', below(from, key), 'a name', from.values[key]);
  return value;
}

export function booleanAt(from: Fields, key: string): boolean {
  const value = from.values[key];
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw new InputFault('wrong-type', below(from, key), 'true or false', value);
  return value;
}

export interface IntegerRange {
  readonly absent: number;
  readonly min: number;
  readonly max: number;
}

export function integerAt(from: Fields, key: string, range: IntegerRange): number {
  const value = from.values[key];
  if (value === undefined || value === null) return range.absent;
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw new InputFault('wrong-type', below(from, key), 'a whole number', value);
  }
  if (value >= range.min && value <= range.max) return value;
  const code = value < 0 && range.min >= 0 ? 'negative' : 'absurd';
  throw new InputFault(code, below(from, key), `a whole number from ${range.min} to ${range.max}`, value);
}

const NO_TEXTS: ReadonlyMap<string, string> = new Map();

/** Labels, annotations, node selectors: text by text. */
export function textMapAt(from: Fields, key: string): ReadonlyMap<string, string> {
  if (!has(from, key)) return NO_TEXTS;
  const { values, path } = fieldsAt(from, key);
  const map = new Map<string, string>();
  for (const name of Object.keys(values)) {
    const value = values[name];
    if (typeof value !== 'string') throw new InputFault('wrong-type', { parent: path, key: name }, 'a string', value);
    map.set(name, value);
  }
  return map;
}
