import { isLanguage, LANGUAGES, languageOfLocale, type Language } from '@springtide/wire/messages';
import { BadInput } from './answer.ts';

/** The language asked for with `--lang`, else that of the locale. */
export function languageOf(asked: string | undefined, env: NodeJS.ProcessEnv = process.env): Language {
  if (asked === undefined) return languageOfLocale(env.LC_ALL || env.LC_MESSAGES || env.LANG || '');
  if (isLanguage(asked)) return asked;
  throw new BadInput(`--lang ${asked}: expected one of ${LANGUAGES.join(', ')}`);
}
