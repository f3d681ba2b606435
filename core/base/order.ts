/** Comparators that do not depend on the machine's locale. Every comparator of core ends in one of these. */

export function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

export function compareNumber(left: number, right: number): number {
  return left - right;
}

/** The sorted keys of a map, so that nothing depends on insertion order. */
export function sortedKeys<V>(map: ReadonlyMap<string, V>): string[] {
  return [...map.keys()].toSorted(compareText);
}
