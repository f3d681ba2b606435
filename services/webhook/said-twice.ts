import { LANGUAGES, type Said, saidIn } from '@springtide/wire/messages';

/** One sentence in every language: the API server does not tell who reads it. */
export function saidTwice(said: Said): string {
  return LANGUAGES.map((language) => saidIn(language, said)).join(' / ');
}
