import { headingsOf } from '../markdown.ts';
import { type Remark, ruleForEach } from '../rule.ts';
import type { TreeFile } from '../tree.ts';

/** A page of documentation has one title, and it comes first. */
export const titles = ruleForEach('titles', (file) => file.path.endsWith('.md'), remarks);

function remarks(file: TreeFile): Remark[] {
  const headings = headingsOf(file.text);
  const [title, second] = headings.filter((heading) => heading.level === 1);
  if (title === undefined) return [{ line: 1, why: 'the page has no title, a line that starts with "# "' }];
  if (second !== undefined) return [{ line: second.line, why: `a second title; the first is on line ${title.line}` }];
  return headings[0] === title ? [] : [{ line: title.line, why: 'the title comes after another heading' }];
}
