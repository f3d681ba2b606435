import { type Remark, ruleForEach } from '../rule.ts';
import type { TreeFile } from '../tree.ts';

/** The shortest reason that can say anything. */
const reasonLengthMin = 10;

/** A suppression names what it suppresses and why: `oxlint-disable-next-line rule -- why`. */
export const suppressions = ruleForEach('suppressions', (file) => file.isCode, remarks);

function remarks(file: TreeFile): Remark[] {
  return file.syntax.comments.flatMap((comment) => {
    const why = objectionTo(comment.value.trim());
    return why === null ? [] : [{ line: file.lineAt(comment.start), why }];
  });
}

function objectionTo(comment: string): string | null {
  const lint = /^(?:oxlint|eslint)-disable(?:-next-line|-line)?\b(.*)$/s.exec(comment);
  if (lint !== null) {
    const [rules = '', ...reason] = (lint[1] ?? '').split(' -- ');
    if (rules.trim() === '') return 'name the rule that is suppressed';
    return hasReason(reason.join(' -- ')) ? null : 'give the reason after the rule: "-- why"';
  }
  const other = /^(?:@ts-expect-error|@ts-ignore|@ts-nocheck|biome-ignore)\b(.*)$/s.exec(comment);
  return other === null || hasReason(other[1] ?? '') ? null : 'say why, in the same comment';
}

function hasReason(text: string): boolean {
  return text.replace(/^[\s:-]+/, '').length >= reasonLengthMin;
}
