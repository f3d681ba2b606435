import { type Remark, ruleForEach } from '../rule.ts';
import { type SyntaxNode, nameOf, walk } from '../syntax.ts';
import type { TreeFile } from '../tree.ts';

const fileLinesMax = 400;
const functionLinesMax = 70;
/** Four is the house style; above six it is always an options object. */
const parametersMax = 6;

/** Texts, not code: they grow with the program. */
const dataFolders = ['wire/messages/'];

/** Short files and short functions: what does not fit a screen cannot be reviewed. */
export const length = ruleForEach(
  'length',
  (file) => file.isCode && !dataFolders.some((folder) => file.path.startsWith(folder)),
  remarks,
);

function remarks(file: TreeFile): Remark[] {
  const found: Remark[] = [];
  const lines = file.text.trimEnd().split('\n').length;
  if (lines > fileLinesMax) {
    found.push({ line: fileLinesMax + 1, why: `the file has ${lines} lines; ${fileLinesMax} are the most` });
  }
  walk(file.syntax.program, (node, ancestors) => {
    if (!isFunction(node)) return;
    const line = file.lineAt(node.start);
    const name = functionName(node, ancestors);
    const functionLines = file.lineAt(node.end) - line + 1;
    if (functionLines > functionLinesMax && !isTestSuite(file, ancestors.at(-1))) {
      found.push({ line, why: `${name} has ${functionLines} lines; ${functionLinesMax} are the most` });
    }
    const parameters = Array.isArray(node.params) ? node.params.length : 0;
    if (parameters > parametersMax) {
      found.push({ line, why: `${name} has ${parameters} parameters; beyond ${parametersMax} take an options object` });
    }
  });
  return found;
}

function isFunction(node: SyntaxNode): boolean {
  return ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node.type);
}

function functionName(node: SyntaxNode, ancestors: readonly SyntaxNode[]): string {
  const parent = ancestors.at(-1);
  return nameOf(node.id) ?? nameOf(parent?.id) ?? nameOf(parent?.key) ?? 'a function';
}

/** A `describe` groups tests and may be as long as they are together. */
function isTestSuite(file: TreeFile, parent: SyntaxNode | undefined): boolean {
  return file.isTest && parent?.type === 'CallExpression' && file.text.startsWith('describe', parent.start);
}
