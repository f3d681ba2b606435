import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Finding, Inspection, Rule } from '../rule.ts';
import type { Tree, TreeFile } from '../tree.ts';
import { type Catalogue, catalogueOf, placeholdersOf, untranslatedWord } from './catalogue.ts';

const englishPath = 'wire/messages/en.ts';
const chinesePath = 'wire/messages/zh.ts';

/** Every message exists in both languages, is not empty, takes the same arguments, and the Chinese one is Chinese. */
export const messages: Rule = { name: 'messages', inspect };

async function inspect(tree: Tree): Promise<Inspection> {
  const english = tree.files.find((file) => file.path === englishPath);
  const chinese = tree.files.find((file) => file.path === chinesePath);
  // Until there are messages the folder is not there, and there is nothing to compare.
  if (english === undefined && chinese === undefined) return { looked: 1, findings: [] };
  if (english === undefined) return { looked: 1, findings: [finding(englishPath, 1, 'the file is missing')] };
  if (chinese === undefined) return { looked: 1, findings: [finding(chinesePath, 1, 'the file is missing')] };
  const [want, got] = [await load(tree, english), await load(tree, chinese)];
  const [englishPages, chinesePages] = [pagesOf(tree, english), pagesOf(tree, chinese)];
  return { looked: want.size, findings: compare({ english: englishPages, want, chinese: chinesePages, got }) };
}

async function load(tree: Tree, file: TreeFile): Promise<Catalogue> {
  if (tree.root === null) throw new Error('messages are compared by importing them, which needs files on disk');
  return catalogueOf((await import(pathToFileURL(join(tree.root, file.path)).href)) as Record<string, unknown>);
}

/** Where the texts of a language stand: `en.ts`, and `en/<subject>.ts` for the keys below that subject. */
type Pages = (key: string) => TreeFile;

function pagesOf(tree: Tree, index: TreeFile): Pages {
  const folder = index.path.replace(/\.ts$/, '/');
  const bySubject = new Map(tree.files.map((file) => [file.path, file]));
  return (key) => bySubject.get(`${folder}${key.split('.')[0]}.ts`) ?? index;
}

interface Pair {
  readonly english: Pages;
  readonly want: Catalogue;
  readonly chinese: Pages;
  readonly got: Catalogue;
}

function compare({ english, want, chinese, got }: Pair): Finding[] {
  const found: Finding[] = [];
  if (want.size === 0) found.push(finding(englishPath, 1, 'no message found: export an object of texts'));
  for (const [key, text] of want) {
    if (text.trim() === '') found.push(findingAt(english, key, 'is empty'));
    if (!got.has(key)) found.push(findingAt(english, key, 'is missing in Chinese'));
  }
  for (const [key, text] of got) {
    const twin = want.get(key);
    const why = twin === undefined ? 'is missing in English' : objectionTo(text, twin);
    if (why !== null) found.push(findingAt(chinese, key, why));
  }
  return found;
}

function objectionTo(chinese: string, english: string): string | null {
  if (chinese.trim() === '') return 'is empty';
  const word = untranslatedWord(chinese);
  if (word !== null) return `is not in Chinese: "${word}"`;
  const [want, got] = [placeholdersOf(english), placeholdersOf(chinese)];
  return want.join() === got.join() ? null : `takes {${got.join()}} where English takes {${want.join()}}`;
}

/** The first line that spells the last part of a dotted key, else 1. */
function lineOf(file: TreeFile, key: string): number {
  const name = key.split('.').at(-1) ?? key;
  const index = file.lines.findIndex((line) =>
    new RegExp(`(^|[\\s{,])['"]?${RegExp.escape(name)}['"]?\\s*[:(]`).test(line),
  );
  return index === -1 ? 1 : index + 1;
}

function findingAt(pages: Pages, key: string, why: string): Finding {
  const file = pages(key);
  return finding(file.path, lineOf(file, key), `${key} ${why}`);
}

function finding(file: string, line: number, why: string): Finding {
  return { file, line, rule: messages.name, why };
}
