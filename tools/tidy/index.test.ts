import { describe, expect, test } from 'vitest';
import { describeFinding, tidy } from './index.ts';
import { imports } from './rules/imports.ts';
import { leftovers } from './rules/leftovers.ts';
import { treeOf } from './tree.ts';

describe('tidy', () => {
  test('says for each finding the file, the line, the rule and why', async () => {
    const tree = treeOf({ 'lab/a.ts': 'step();\ndebugger;\n' });
    const { findings } = await tidy(tree, [leftovers]);
    expect(findings.map(describeFinding)).toEqual(['lab/a.ts:2 leftovers: debugger']);
  });

  test('fails when it looked at no file', async () => {
    const { filesCount, findings } = await tidy(treeOf({}), [leftovers]);
    expect(filesCount).toBe(0);
    expect(findings.map(describeFinding)).toEqual(['.:1 tidy: there is no file to look at']);
  });

  test('fails when one rule looked at nothing', async () => {
    const { findings } = await tidy(treeOf({ 'lab/a.ts': 'step();' }), [leftovers, imports]);
    expect(findings.map(describeFinding)).toEqual(['.:1 imports: the rule looked at nothing']);
  });

  test('fails on a file that cannot be parsed, and still judges the others', async () => {
    const tree = treeOf({ 'lab/a.ts': 'const = ;', 'lab/b.ts': 'debugger;' });
    const { findings } = await tidy(tree, [leftovers]);
    expect(findings.map((finding) => finding.file)).toEqual(['lab/a.ts', 'lab/b.ts']);
  });
});
