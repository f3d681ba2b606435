/**
 * Plain data as JSON and back: beside what JSON has, maps, sets and the numbers that JSON lacks. `undefined` is left
 * out, as JSON does. A map becomes `{"$map": [[key, value], ...]}`, a set `{"$set": [...]}`, and a number such as
 * Infinity `{"$number": "Infinity"}`; no other object may have a key that begins with `$`.
 */
export function plainText(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => plain(each));
}

function plain(value: unknown): unknown {
  if (value instanceof Map) return { $map: [...value] };
  if (value instanceof Set) return { $set: [...value] };
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))) {
    return { $number: Object.is(value, -0) ? '-0' : String(value) };
  }
  return value;
}

/** The value of such a text. Throws a `SyntaxError` where it is no JSON. */
export function valueOfText(text: string): unknown {
  return JSON.parse(text, (_, each: unknown) => revived(each));
}

function revived(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('$map' in value) return new Map(value.$map as [unknown, unknown][]);
  if ('$set' in value) return new Set(value.$set as unknown[]);
  return '$number' in value ? Number(value.$number) : value;
}
