/** JSON pointers (RFC 6901), as JSON patches use them. */

type Values = Readonly<Record<string, unknown>>;

/** A key as part of a pointer. */
export function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a pointer; undefined: there is none. */
export function valueAt(values: unknown, pointer: string): unknown {
  let at = values;
  for (const key of keysOf(pointer)) {
    if (at === null || typeof at !== 'object') return undefined;
    at = (at as Values)[key];
  }
  return at;
}

/** The value with another one at a pointer, undefined: with none. What the pointer does not lead through is shared. */
export function withValueAt(values: unknown, pointer: string, value: unknown): unknown {
  return replaced(values, keysOf(pointer), value);
}

function replaced(at: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const inner = replaced((at as Values | undefined)?.[key], rest, value);
  if (Array.isArray(at)) return at.map((each: unknown, index) => (String(index) === key ? inner : each));
  return { ...(at as Values | undefined), [key]: inner };
}
