import type { Finding, Rule } from './rule.ts';
import { rules } from './rules/index.ts';
import { type Tree, type TreeFile, codeFiles } from './tree.ts';

export { readTree } from './tree.ts';

export interface Report {
  readonly filesCount: number;
  readonly findings: readonly Finding[];
}

/**
 * Runs every rule over the tree. A file that cannot be parsed is one finding and is left out; a rule that looked at
 * nothing is a finding too, since it would otherwise say "all is well" about an empty set.
 */
export async function tidy(tree: Tree, wanted: readonly Rule[] = rules): Promise<Report> {
  if (tree.files.length === 0) {
    return { filesCount: 0, findings: [{ file: '.', line: 1, rule: 'tidy', why: 'there is no file to look at' }] };
  }
  const broken = codeFiles(tree).filter((file) => file.syntax.errors.length > 0);
  const sound = { ...tree, files: tree.files.filter((file) => !broken.includes(file)) };
  const findings: Finding[] = broken.map(parseFailure);
  for (const rule of wanted) {
    const inspection = await rule.inspect(sound);
    findings.push(...inspection.findings);
    if (inspection.looked === 0)
      findings.push({ file: '.', line: 1, rule: rule.name, why: 'the rule looked at nothing' });
  }
  return { filesCount: tree.files.length, findings };
}

function parseFailure(file: TreeFile): Finding {
  return { file: file.path, line: 1, rule: 'tidy', why: `cannot be parsed: ${file.syntax.errors[0] ?? ''}` };
}

/** `file:line rule: why`, one line a finding. */
export function describeFinding(finding: Finding): string {
  return `${finding.file}:${finding.line} ${finding.rule}: ${finding.why}`;
}
