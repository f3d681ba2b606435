import { type Comment, parseSync } from 'oxc-parser';

/** A node of the syntax tree, as ESTree has it; the fields depend on the type. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export interface ImportSite {
  readonly specifier: string;
  readonly start: number;
}

export interface Syntax {
  readonly program: SyntaxNode;
  readonly comments: readonly Comment[];
  readonly imports: readonly ImportSite[];
  /** Messages of the parser; a file with errors is not looked at further. */
  readonly errors: readonly string[];
}

export function parse(path: string, text: string): Syntax {
  const parsed = parseSync(path, text);
  const program = parsed.program as unknown as SyntaxNode;
  const imports = importsOf(program);
  return { program, comments: parsed.comments, imports, errors: parsed.errors.map((error) => error.message) };
}

/** Visits a node and all below it, parents first, with the chain of ancestors, the nearest last. */
export function walk(
  node: SyntaxNode,
  visit: (node: SyntaxNode, ancestors: readonly SyntaxNode[]) => void,
  ancestors: SyntaxNode[] = [],
): void {
  visit(node, ancestors);
  ancestors.push(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isNode(child)) walk(child, visit, ancestors);
    }
  }
  ancestors.pop();
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** The text of an identifier or of a plain string, else null. */
export function nameOf(node: unknown): string | null {
  if (!isNode(node)) return null;
  if (node.type === 'Identifier' && typeof node.name === 'string') return node.name;
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : null;
}

/** Static imports, re-exports, `import()` and types written as `import('x')`. */
function importsOf(program: SyntaxNode): ImportSite[] {
  const found: ImportSite[] = [];
  walk(program, (node) => {
    if (!/^(Import|Export|TSImport)/.test(node.type)) return;
    const source = isNode(node.source) ? node.source : null;
    if (source !== null && typeof source.value === 'string') found.push({ specifier: source.value, start: node.start });
  });
  return found;
}
