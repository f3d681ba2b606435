/** Messages by dotted key. A message that is a function stands as its source text. */
export type Catalogue = ReadonlyMap<string, string>;

/** Names and terms that are written the same in Chinese. */
const sameInChinese = new Set(
  'springtide kubernetes kubectl prometheus hami kueue nvidia json csv yaml html pod pods node nodes tide fgd mig'.split(
    ' ',
  ),
);

/** All messages that a module exports, under the name of their export's fields. */
export function catalogueOf(module: Readonly<Record<string, unknown>>): Catalogue {
  const catalogue = new Map<string, string>();
  for (const exported of Object.values(module)) {
    if (typeof exported === 'object' && exported !== null) collect(exported, '', catalogue);
  }
  return catalogue;
}

function collect(value: object, prefix: string, into: Map<string, string>): void {
  for (const [name, message] of Object.entries(value) as [string, unknown][]) {
    const key = prefix === '' ? name : `${prefix}.${name}`;
    if (typeof message === 'string') into.set(key, message);
    else if (typeof message === 'function') into.set(key, String(message));
    else if (typeof message === 'object' && message !== null) collect(message, key, into);
  }
}

/** The `{name}` places of a message, sorted. A function's arguments are checked by its type instead. */
export function placeholdersOf(text: string): string[] {
  if (isFunctionSource(text)) return [];
  return Array.from(new Set(text.matchAll(/\{(\w+)\}/g).map(([, name]) => name ?? ''))).toSorted();
}

/**
 * A word of prose in a message that has no Chinese character at all, else null. Places, code in backticks, words
 * with digits or capitals inside, and terms that stay as they are do not count.
 */
export function untranslatedWord(text: string): string | null {
  if (/\p{Script=Han}/u.test(text)) return null;
  const prose = (isFunctionSource(text) ? literalsOf(text) : text).replace(/\{\w+\}|`[^`]*`|--?\w[\w-]*/g, ' ');
  const words = prose.match(/(?<![\w.-])[A-Z]?[a-z]{2,}(?![\w.-]*\w)/g) ?? [];
  return words.find((word) => !sameInChinese.has(word.toLowerCase())) ?? null;
}

function isFunctionSource(text: string): boolean {
  return /^(?:function\b|\w+\s*=>|\([^)]*\)\s*=>|\w+\([^)]*\)\s*\{)/.test(text);
}

/** The quoted parts of a function's source, without what is computed in them. */
function literalsOf(source: string): string {
  const quoted = source.match(/'[^']*'|"[^"]*"|`[^`]*`/g) ?? [];
  return quoted.map((part) => part.slice(1, -1).replace(/\$\{[^}]*\}/g, ' ')).join(' ');
}
