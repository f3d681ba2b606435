/** Adds to the count of a service at a place; nothing is kept for a count of 0. */
export function bump(counts: Map<string, Map<number, number>>, service: string, place: number, by: number): void {
  const places = counts.get(service) ?? new Map<number, number>();
  const next = (places.get(place) ?? 0) + by;
  if (next === 0) places.delete(place);
  else places.set(place, next);
  if (places.size === 0) counts.delete(service);
  else counts.set(service, places);
}
