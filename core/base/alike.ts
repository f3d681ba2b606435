/**
 * Whether two values of plain data say the same: texts, numbers, lists, maps and objects, compared part by part.
 * Lists and maps must have the same order. O(size), and nothing where they are one and the same.
 */
export function isAlike(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && areListsAlike(left, right);
  if (left instanceof Map) return right instanceof Map && areMapsAlike(left, right);
  return !Array.isArray(right) && !(right instanceof Map) && areRecordsAlike(left, right);
}

function areListsAlike(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((part, index) => isAlike(part, right[index]));
}

function areMapsAlike(left: ReadonlyMap<unknown, unknown>, right: ReadonlyMap<unknown, unknown>): boolean {
  if (left.size !== right.size) return false;
  const entries = right.entries();
  for (const [key, value] of left) {
    const other = entries.next().value;
    if (other === undefined || other[0] !== key || !isAlike(value, other[1])) return false;
  }
  return true;
}

function areRecordsAlike(left: object, right: object): boolean {
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  // Objects of one shape are read by the same names; a name that only one of them has makes them differ.
  const [one, other] = [left, right] as [Record<string, unknown>, Record<string, unknown>];
  return keys.every((key) => Object.hasOwn(other, key) && isAlike(one[key], other[key]));
}
