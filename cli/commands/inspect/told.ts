import { message, type Language } from '@springtide/wire/messages';
import { grouped } from '@springtide/wire/reasons';

/** The first of many, and how many more there are. */
export function told(language: Language, texts: readonly string[], most: number): string[] {
  return cut(texts, most, (count) => message(language, 'inspect.problems.more', { count }));
}

/** The same for machines, which Chinese counts with a word of their own. */
export function toldMachines(language: Language, texts: readonly string[], most: number): string[] {
  return cut(texts, most, (count) => message(language, 'place.moreMachines', { count }));
}

function cut(texts: readonly string[], most: number, rest: (count: string) => string): string[] {
  const more = texts.length - most;
  return more <= 0 ? [...texts] : [...texts.slice(0, most), rest(grouped(more))];
}
