import type { Tree, TreeFile } from './tree.ts';

export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly why: string;
}

/** What a rule saw. `looked` counts the things it judged: a rule that looked at nothing has proved nothing. */
export interface Inspection {
  readonly looked: number;
  readonly findings: readonly Finding[];
}

export interface Rule {
  readonly name: string;
  readonly inspect: (tree: Tree) => Inspection | Promise<Inspection>;
}

/** What a rule says about one file: a line and a sentence. */
export interface Remark {
  readonly line: number;
  readonly why: string;
}

/** A rule that judges each file by itself. */
export function ruleForEach(
  name: string,
  applies: (file: TreeFile) => boolean,
  remarksOn: (file: TreeFile) => Iterable<Remark>,
): Rule {
  const inspect = (tree: Tree): Inspection => {
    const files = tree.files.filter(applies);
    const findings = files.flatMap((file) =>
      Array.from(remarksOn(file), (remark) => ({ file: file.path, rule: name, ...remark })),
    );
    return { looked: files.length, findings };
  };
  return { name, inspect };
}
