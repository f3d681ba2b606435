/**
 * Order of two resource versions: negative where `left` is older. They are decimal numbers of any length; null where
 * one is not, and nothing can be told but whether they are equal.
 */
export function compareVersions(left: string, right: string): number | null {
  if (left === right) return 0;
  if (!isNumber(left) || !isNumber(right)) return null;
  return left.length === right.length ? (left < right ? -1 : 1) : left.length - right.length;
}

function isNumber(version: string): boolean {
  return /^(?:0|[1-9][0-9]*)$/.test(version);
}
