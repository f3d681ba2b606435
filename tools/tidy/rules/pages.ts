import { headingsOf } from '../markdown.ts';
import type { Finding, Inspection, Rule } from '../rule.ts';
import type { Tree, TreeFile } from '../tree.ts';

/** The README and every page of the guide exist in English and in Chinese, with the same headings. */
export const pages: Rule = { name: 'pages', inspect };

function inspect(tree: Tree): Inspection {
  const byPath = new Map(tree.files.map((file) => [file.path, file]));
  const wanted = new Set(['README.md']);
  for (const path of byPath.keys()) {
    if (/^(README\.|docs\/guide\/).*\.md$/.test(path)) wanted.add(englishOf(path));
  }
  const findings = [...wanted].flatMap((path) => compare(path, byPath));
  return { looked: wanted.size, findings };
}

function englishOf(path: string): string {
  return path.replace(/\.zh\.md$/, '.md').replace(/^docs\/guide\/zh\//, 'docs/guide/en/');
}

/** The Chinese page is `x.zh.md` beside `x.md`, or the same path below `zh` where the guide has a folder `en`. */
function chineseOf(path: string): string {
  const isInFolder = path.startsWith('docs/guide/en/');
  return isInFolder ? path.replace(/^docs\/guide\/en\//, 'docs/guide/zh/') : path.replace(/\.md$/, '.zh.md');
}

function compare(path: string, byPath: ReadonlyMap<string, TreeFile>): Finding[] {
  const english = byPath.get(path);
  const chinese = byPath.get(chineseOf(path));
  if (english === undefined) return [finding(path, 1, 'the page is missing in English')];
  if (chinese === undefined) return [finding(chineseOf(path), 1, `the page is missing; ${path} is its English twin`)];
  const found = /\p{Script=Han}/u.test(chinese.text) ? [] : [finding(chinese.path, 1, 'the page has no Chinese in it')];
  const [wantHeadings, gotHeadings] = [headingsOf(english.text), headingsOf(chinese.text)];
  for (let index = 0; index < Math.max(wantHeadings.length, gotHeadings.length); index += 1) {
    const [want, got] = [wantHeadings[index], gotHeadings[index]];
    if (want?.level === got?.level) continue;
    const line = got?.line ?? chinese.lines.length;
    found.push(finding(chinese.path, line, `heading ${index + 1} does not match ${path}: "${want?.text ?? 'none'}"`));
    break;
  }
  return found;
}

function finding(file: string, line: number, why: string): Finding {
  return { file, line, rule: pages.name, why };
}
