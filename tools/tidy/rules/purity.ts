import { type Remark, ruleForEach } from '../rule.ts';
import { type SyntaxNode, isNode, nameOf, walk } from '../syntax.ts';
import type { TreeFile } from '../tree.ts';

/** Names of the world outside. What core wants of them it gets as an argument. */
const worldly: ReadonlyMap<string, string> = new Map([
  ['Date', 'core has no clock: take nowMs'],
  ['performance', 'core has no clock: count work instead'],
  ['console', 'core does not log: return a reason'],
  ['process', 'core reads nothing of its process'],
  ['globalThis', 'core reads nothing global'],
  ['fetch', 'core does not reach out'],
  ['crypto', 'core has no randomness of its own: take a Random'],
  ['Intl', 'the result depends on the machine'],
  ['WeakRef', 'the result depends on the collector'],
  ['FinalizationRegistry', 'the result depends on the collector'],
  ['setTimeout', 'core never waits'],
  ['setInterval', 'core never waits'],
  ['setImmediate', 'core never waits'],
  ['queueMicrotask', 'core never waits'],
  ['Promise', 'core is synchronous'],
]);

/** Members whose result differs between machines or runs, whatever they are called on. */
const worldlyMembers: ReadonlyMap<string, string> = new Map([
  ['localeCompare', 'the order depends on the machine: compare with <'],
  ['toLocaleString', 'the text depends on the machine'],
  ['toLocaleLowerCase', 'the text depends on the machine'],
  ['toLocaleUpperCase', 'the text depends on the machine'],
]);

/** Core is pure and synchronous: the same input gives the same decision on any machine. */
export const purity = ruleForEach('purity', (file) => file.isCode && file.folder === 'core' && !file.isTest, remarks);

function remarks(file: TreeFile): Remark[] {
  const found: Remark[] = [];
  const add = (start: number, why: string): void => void found.push({ line: file.lineAt(start), why });
  for (const { specifier, start } of file.syntax.imports) {
    const isOwn = specifier.startsWith('.') || specifier.startsWith('@springtide/core/');
    if (!isOwn) add(start, `core imports nothing from outside, so not ${specifier}`);
  }
  walk(file.syntax.program, (node, ancestors) => {
    const why = impurityOf(node, ancestors.at(-1));
    if (why !== null) add(node.start, why);
  });
  return found;
}

function impurityOf(node: SyntaxNode, parent: SyntaxNode | undefined): string | null {
  if (node.type === 'AwaitExpression' || node.async === true) return 'core is synchronous';
  if (node.type === 'ForOfStatement' && node.await === true) return 'core is synchronous';
  if (node.type === 'MemberExpression') return impureMember(node);
  const why = node.type === 'Identifier' ? worldly.get(nameOf(node) ?? '') : undefined;
  return why === undefined || isLabel(node, parent) ? null : `${nameOf(node)}: ${why}`;
}

function impureMember(node: SyntaxNode): string | null {
  const property = nameOf(node.property) ?? '';
  if (nameOf(node.object) === 'Math' && property === 'random') {
    return 'Math.random: core has no randomness of its own: take a Random';
  }
  const why = worldlyMembers.get(property);
  return why === undefined ? null : `${property}: ${why}`;
}

/** Whether an identifier only names a member, as in `x.process`, `{ process: 1 }` or an interface's field. */
function isLabel(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  if (parent === undefined || parent.computed === true || parent.shorthand === true) return false;
  return [parent.property, parent.key].some((label) => isNode(label) && label === node);
}
