import { message, type Language } from '@springtide/wire/messages';
import { BadInput } from '../../terminal/index.ts';

const SEED_MAX = 2_147_483_647;
const SEEDS_MAX = 1000;

/** Seeds as written by the user: `42-51`, `42,43`, `42-44,50`. Each once, in the order given. */
export function parseSeeds(text: string, language: Language): number[] {
  const seeds = new Set<number>();
  for (const part of text.split(',')) {
    const [, first, last] = /^\s*(\d{1,10})\s*(?:-\s*(\d{1,10}))?\s*$/.exec(part) ?? [];
    const [from, to] = [Number(first), Number(last ?? first)];
    if (first === undefined || to > SEED_MAX || from > to) {
      throw new BadInput(message(language, 'replay.bad.seeds', { text, max: SEED_MAX }));
    }
    const count = seeds.size + to - from + 1;
    if (count > SEEDS_MAX) {
      throw new BadInput(message(language, 'replay.bad.tooManySeeds', { text, count, max: SEEDS_MAX }));
    }
    for (let seed = from; seed <= to; seed += 1) seeds.add(seed);
  }
  return [...seeds];
}

/** The shortest way to write seeds: runs become ranges. */
export function seedsText(seeds: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const seed of seeds) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] + 1 === seed) run[1] = seed;
    else runs.push([seed, seed]);
  }
  return runs.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(', ');
}
