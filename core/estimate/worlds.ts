import { mulberry32, shuffle } from '../base/index.ts';

/** How often a job of a burst shares its fate with the others of it. */
const SHARED_MILLI = 900;
/** Jobs alike that are submitted in the same hour are one burst. */
const BURST_MS = 3_600_000;

/**
 * How long a job runs in each world, as levels of its distribution: one in the middle of each of `worlds` equal parts
 * of 0 to 1, in an order of its own (a Latin hypercube), so that few worlds span it all. Jobs of one burst mostly have
 * the same level in a world: experiments are long or short together. The same for the same job, whenever asked (common
 * random numbers), so that two forecasts differ by what has happened and not by chance. O(worlds).
 */
export function levelsOf(id: string, kind: string, submittedAtMs: number, worlds: number): Float64Array {
  const own = mulberry32(seedOf(id));
  const shared = orderOf(mulberry32(seedOf(`${kind} ${Math.floor(submittedAtMs / BURST_MS)}`)), worlds);
  const alone = orderOf(own, worlds);
  return Float64Array.from(shared, (level, world) => {
    const part = own.below(1000) < SHARED_MILLI ? level : (alone[world] as number);
    return (part + 0.5) / worlds;
  });
}

function orderOf(random: ReturnType<typeof mulberry32>, worlds: number): number[] {
  return shuffle([...Array(worlds).keys()], random);
}

/** FNV-1a over the text's code units. */
function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
