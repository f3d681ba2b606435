import { describe, expect, test } from 'vitest';
import { treeOf } from '../tree.ts';
import { suppressions } from './suppressions.ts';

async function objectionsTo(text: string): Promise<string[]> {
  const { findings } = await suppressions.inspect(treeOf({ 'lab/cluster/tick.ts': text }));
  return findings.map((finding) => finding.why);
}

describe('a suppression has a rule and a reason', () => {
  test.each([
    ['// oxlint-disable-next-line', 'name the rule that is suppressed'],
    ['// oxlint-disable-next-line typescript/no-explicit-any', 'give the reason after the rule: "-- why"'],
    ['// oxlint-disable-next-line typescript/no-explicit-any -- why', 'give the reason after the rule: "-- why"'],
    ['/* eslint-disable */', 'name the rule that is suppressed'],
    ['// @ts-expect-error', 'say why, in the same comment'],
    ['// biome-ignore format: x', 'say why, in the same comment'],
  ])('refuses %s', async (text, why) => {
    expect(await objectionsTo(text)).toEqual([why]);
  });

  test.each([
    ['// oxlint-disable-next-line typescript/no-explicit-any -- the parser gives untyped values'],
    ['// @ts-expect-error -- a wrong argument on purpose'],
    ['// a comment about oxlint-disable-next-line'],
  ])('accepts %s', async (text) => {
    expect(await objectionsTo(text)).toEqual([]);
  });
});
