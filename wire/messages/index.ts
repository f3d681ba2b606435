import { en } from './en.ts';
import { zh } from './zh.ts';

export type Language = 'en' | 'zh';
export const LANGUAGES: readonly Language[] = ['en', 'zh'];

/** Dotted keys of the leaves: `replay.title`. */
type KeysOf<T> = {
  [K in keyof T & string]: T[K] extends string ? K : `${K}.${KeysOf<T[K]>}`;
}[keyof T & string];

export type MessageKey = KeysOf<typeof en>;

type TextAt<T, K extends string> = K extends `${infer Head}.${infer Rest}`
  ? Head extends keyof T
    ? TextAt<T[Head], Rest>
    : never
  : K extends keyof T
    ? T[K]
    : never;

type PlacesOf<Text> = Text extends `${string}{${infer Place}}${infer Rest}`
  ? (Place extends `${infer Name}:${string}` ? Name : Place) | PlacesOf<Rest>
  : never;

/** What a message has to be given: nothing, or an object with all its places. */
export type MessageValues<K extends MessageKey> = [PlacesOf<TextAt<typeof en, K>>] extends [never]
  ? []
  : [values: Readonly<Record<PlacesOf<TextAt<typeof en, K>>, string | number>>];

const CATALOGUES: Readonly<Record<Language, object>> = { en, zh };

/**
 * The text of a message with its places filled. `{count}` is a place; `{count:card|cards}` chooses by a number and
 * is for languages that have a plural: 1 takes the first word, anything else the second.
 */
export function message<K extends MessageKey>(language: Language, key: K, ...values: MessageValues<K>): string {
  return fill(textOf(CATALOGUES[language], key), values[0] ?? {});
}

/** A message that is said later, when it is known in which language. */
export interface Said {
  readonly key: MessageKey;
  readonly values: Readonly<Record<string, string | number>>;
}

export function said<K extends MessageKey>(key: K, ...values: MessageValues<K>): Said {
  return { key, values: values[0] ?? {} };
}

export function saidIn(language: Language, { key, values }: Said): string {
  return fill(textOf(CATALOGUES[language], key), values);
}

function textOf(catalogue: object, key: string): string {
  let found: unknown = catalogue;
  for (const part of key.split('.')) found = (found as Readonly<Record<string, unknown>>)[part];
  return found as string;
}

function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (_, name: string, one?: string, many?: string) => {
    const value = values[name] ?? '';
    if (one === undefined) return String(value);
    return (Number(value) === 1 ? one : many) ?? '';
  });
}

/** The language of a locale such as `zh_CN.UTF-8`; English unless it is Chinese. */
export function languageOfLocale(locale: string): Language {
  return /^zh\b|^zh_/i.test(locale) ? 'zh' : 'en';
}

export function isLanguage(text: string): text is Language {
  return text === 'en' || text === 'zh';
}
