import { posix } from 'node:path';
import type { Finding, Inspection, Rule } from '../rule.ts';
import { type Tree, type TreeFile, codeFiles } from '../tree.ts';
import { coreSubjectsForWire, folderEdges, foldersOfStrangers, subjectsKnownTo } from './import-table.ts';

const scope = '@springtide/';

/** Imports go one way, as in the import table. Packages from outside are not judged here. */
export const imports: Rule = { name: 'imports', inspect };

function inspect(tree: Tree): Inspection {
  let looked = 0;
  const findings: Finding[] = [];
  for (const file of codeFiles(tree).filter((each) => each.folder !== '')) {
    for (const site of file.syntax.imports) {
      const target = targetOf(file, site.specifier);
      if (target === null) continue;
      looked += 1;
      const why = objectionTo(file, target, site.specifier);
      if (why !== null) findings.push({ file: file.path, line: file.lineAt(site.start), rule: imports.name, why });
    }
  }
  return { looked, findings };
}

interface Target {
  readonly folder: string;
  readonly subject: string;
}

/** The folder and subject an import leads to, or null for a package from outside. */
function targetOf(file: TreeFile, specifier: string): Target | null {
  if (specifier.startsWith(scope)) {
    const [folder = '', subject = ''] = specifier.slice(scope.length).split('/');
    return { folder, subject };
  }
  if (!specifier.startsWith('.')) return null;
  const parts = posix.join(posix.dirname(file.path), specifier).split('/');
  return { folder: parts[0] ?? '', subject: parts.length > 2 ? (parts[1] ?? '') : '' };
}

function objectionTo(file: TreeFile, target: Target, specifier: string): string | null {
  if (target.folder === file.folder) return objectionWithin(file, target);
  if (specifier.startsWith('.')) return `reach another workspace as ${scope}${target.folder}/..., not by a path`;
  if (target.folder === 'testkit' && file.isTest) return null;
  if (!(folderEdges[file.folder] ?? []).includes(target.folder)) {
    return `${file.folder} must not import ${target.folder}`;
  }
  const isNoun = target.folder !== 'core' || coreSubjectsForWire.includes(target.subject);
  return file.folder === 'wire' && !isNoun ? 'wire sees only the nouns, core/model' : null;
}

function objectionWithin(file: TreeFile, target: Target): string | null {
  if (file.subject === target.subject || target.subject === '') return null;
  if (foldersOfStrangers.includes(file.folder) && file.subject !== '') {
    return `${file.folder}/${file.subject} must not know ${file.folder}/${target.subject}: the program wires them`;
  }
  if (file.folder !== 'core' || subjectsKnownTo(file.subject).includes(target.subject)) return null;
  return `core/${file.subject} must not import core/${target.subject}`;
}
