import { describe, expect, test } from 'vitest';
import { treeOf } from '../tree.ts';
import { imports } from './imports.ts';

async function objectionsTo(path: string, specifier: string): Promise<string[]> {
  const { findings } = await imports.inspect(treeOf({ [path]: `import { x } from '${specifier}';\n` }));
  return findings.map((finding) => finding.why);
}

describe('imports go one way', () => {
  test.each([
    ['core/state/book.ts', '../base/index.ts'],
    ['core/state/book.ts', '@springtide/core/model'],
    ['core/admission/pass.ts', '../victims/index.ts'],
    ['core/estimate/start.ts', '../admission/index.ts'],
    ['adapters/traces/openb.ts', '@springtide/core/model'],
    ['wire/api/pods.ts', '@springtide/core/model'],
    ['cli/commands/replay/index.ts', '@springtide/lab/replay'],
    ['lab/cluster/check.ts', '@springtide/testkit/twins'],
    ['core/state/book.test.ts', '@springtide/testkit/builders'],
    ['core/state/book.ts', 'somewhere'],
  ])('%s may import %s', async (path, specifier) => {
    expect(await objectionsTo(path, specifier)).toEqual([]);
  });

  test.each([
    ['core/base/heap.ts', '../model/index.ts', 'core/base must not import core/model'],
    ['core/state/book.ts', '../placement/index.ts', 'core/state must not import core/placement'],
    ['core/admission/pass.ts', '../defrag/index.ts', 'core/admission must not import core/defrag'],
    ['core/state/book.ts', '@springtide/adapters/traces', 'core must not import adapters'],
    ['core/state/book.ts', '@springtide/testkit/builders', 'core must not import testkit'],
    ['core/state/book.test.ts', '@springtide/adapters/traces', 'core must not import adapters'],
    ['cli/commands/replay/index.ts', '@springtide/testkit/shared', 'cli must not import testkit'],
    ['wire/api/pods.ts', '@springtide/core/state', 'wire sees only the nouns, core/model'],
    ['services/hub/api.ts', '@springtide/adapters/postgres', 'services must not import adapters'],
    ['unheard/of.ts', '@springtide/core/base', 'unheard must not import core'],
  ])('%s must not import %s', async (path, specifier, why) => {
    expect(await objectionsTo(path, specifier)).toEqual([why]);
  });

  test('one adapter does not know another', async () => {
    expect(await objectionsTo('adapters/traces/openb.ts', '../kubernetes/index.ts')).toEqual([
      'adapters/traces must not know adapters/kubernetes: the program wires them',
    ]);
  });

  test('another workspace is reached by its name, not by a path', async () => {
    expect(await objectionsTo('adapters/traces/openb.ts', '../../core/model/index.ts')).toEqual([
      'reach another workspace as @springtide/core/..., not by a path',
    ]);
  });

  test('types, re-exports and imports at run time count, with their lines', async () => {
    const text = [
      "import type { A } from '../defrag/a.ts';",
      "export * from '../defrag/b.ts';",
      "export const c = () => import('../defrag/c.ts');",
      "export type D = import('../defrag/d.ts').D;",
    ].join('\n');
    const { looked, findings } = await imports.inspect(treeOf({ 'core/quota/q.ts': text }));
    expect(looked).toBe(4);
    expect(findings.map((finding) => finding.line)).toEqual([1, 2, 3, 4]);
  });
});
