import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Syntax, parse } from './syntax.ts';

/** One text file of the repository, read and parsed when a rule first asks. */
export class TreeFile {
  readonly path: string;
  readonly #read: () => string;
  #text: string | undefined;
  #syntax: Syntax | undefined;

  constructor(path: string, read: () => string) {
    this.path = path;
    this.#read = read;
  }

  get text(): string {
    this.#text ??= this.#read();
    return this.#text;
  }

  get lines(): readonly string[] {
    return this.text.split('\n');
  }

  get syntax(): Syntax {
    this.#syntax ??= parse(this.path, this.text);
    return this.#syntax;
  }

  /** The line of an offset into the text; the first is 1. */
  lineAt(offset: number): number {
    return this.text.slice(0, offset).split('\n').length;
  }

  /** The top-level folder, or '' for a file at the root. */
  get folder(): string {
    return this.path.includes('/') ? (this.path.split('/')[0] ?? '') : '';
  }

  /** The folder below the top-level one, or '' for a file that lies directly in it. */
  get subject(): string {
    const parts = this.path.split('/');
    return parts.length > 2 ? (parts[1] ?? '') : '';
  }

  get isCode(): boolean {
    return /\.(ts|tsx|mts|js|mjs)$/.test(this.path);
  }

  get isTest(): boolean {
    return /\.test\.tsx?$/.test(this.path);
  }
}

/** What the rules look at: the files that are, or are about to be, in the repository. */
export interface Tree {
  /** The folder the files lie in, or null when they exist in memory only. */
  readonly root: string | null;
  readonly files: readonly TreeFile[];
}

/** The tree of a checkout: tracked files and new ones that are not ignored, in the order of their paths. */
export function readTree(root: string): Tree {
  // A checkout may belong to somebody else, as it does on many CI machines.
  const words = ['-c', 'safe.directory=*', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listing = execFileSync('git', words, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const paths = [...new Set(listing.split('\0'))].filter((path) => path !== '' && existsSync(join(root, path)));
  return {
    root,
    files: paths.toSorted().map((path) => new TreeFile(path, () => readFileSync(join(root, path), 'utf8'))),
  };
}

/** A tree for tests, from paths and texts. */
export function treeOf(texts: Readonly<Record<string, string>>, root: string | null = null): Tree {
  return { root, files: Object.entries(texts).map(([path, text]) => new TreeFile(path, () => text)) };
}

export function codeFiles(tree: Tree): readonly TreeFile[] {
  return tree.files.filter((file) => file.isCode);
}
