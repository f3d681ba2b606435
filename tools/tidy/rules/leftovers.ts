import { type Remark, ruleForEach } from '../rule.ts';
import { type SyntaxNode, isNode, nameOf, walk } from '../syntax.ts';
import type { TreeFile } from '../tree.ts';

/** Folders whose programs talk to a terminal. */
const talkers = new Set(['cli', 'tools', 'bench']);

/** What somebody meant to remove before the commit. */
export const leftovers = ruleForEach('leftovers', (file) => file.isCode, remarks);

function remarks(file: TreeFile): Remark[] {
  const found: Remark[] = [];
  const add = (start: number, why: string): void => void found.push({ line: file.lineAt(start), why });
  for (const comment of file.syntax.comments) {
    const word = /\b(FIXME|XXX)\b/.exec(comment.value)?.[1];
    if (word !== undefined) add(comment.start, `${word}: finish it, or file it and say so in words`);
    if (/\bTODO\b(?![^\n]*\w)/.test(comment.value)) add(comment.start, 'TODO without a text');
  }
  walk(file.syntax.program, (node) => {
    const why = leftoverIn(node, file);
    if (why !== null) add(node.start, why);
  });
  return found;
}

function leftoverIn(node: SyntaxNode, file: TreeFile): string | null {
  if (node.type === 'DebuggerStatement') return 'debugger';
  const callee = node.type === 'CallExpression' && isNode(node.callee) ? node.callee : null;
  if (callee?.type !== 'MemberExpression') return null;
  const property = nameOf(callee.property);
  if (file.isTest && property === 'only') return '.only leaves out the other tests';
  const isConsole = nameOf(callee.object) === 'console' && property === 'log';
  return isConsole && !talkers.has(file.folder) ? 'console.log outside cli, tools and bench' : null;
}
