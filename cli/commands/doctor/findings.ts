import type { Finding, Level } from '@springtide/adapters/kubernetes/doctor';
import { type Language, message, saidIn } from '@springtide/wire/messages';

function count(findings: readonly Finding[], level: Level): number {
  return findings.filter((finding) => finding.level === level).length;
}

export function findingsJson(findings: readonly Finding[]): object {
  return {
    problems: count(findings, 'problem'),
    warnings: count(findings, 'warning'),
    findings: findings.map(({ check, level, found, todo }) => ({
      check,
      level,
      id: idOf(found.key),
      values: found.values,
      found: saidIn('en', found),
      todo: todo === null ? null : saidIn('en', todo),
    })),
  };
}

/** `doctor.cards.silent` is `silent` of the check `cards`. */
function idOf(key: string): string {
  return key.slice(key.lastIndexOf('.') + 1);
}

/** A line for each finding, the name of a check before its first one, and what to do below it. */
export function findingLines(findings: readonly Finding[], language: Language): string[] {
  const lines: string[] = [];
  let last = '';
  for (const { check, level, found, todo } of findings) {
    if (check !== last) lines.push(message(language, `doctor.check.${check}`));
    last = check;
    lines.push(`  [${message(language, `doctor.level.${level}`)}] ${saidIn(language, found)}`);
    if (todo !== null) lines.push(`    ${message(language, 'doctor.todo', { what: saidIn(language, todo) })}`);
  }
  const counts = {
    problems: count(findings, 'problem'),
    warnings: count(findings, 'warning'),
    fine: count(findings, 'ok'),
  };
  return [...lines, '', message(language, 'doctor.total', counts)];
}
