import { describe, expect, test } from 'vitest';
import { treeOf } from '../tree.ts';
import { privatePlaces } from './private-places.ts';

async function objectionsTo(text: string, path = 'docs/page.md'): Promise<string[]> {
  const { findings } = await privatePlaces.inspect(treeOf({ [path]: text }));
  return findings.map((finding) => finding.why);
}

/** A path below a folder at the root of the file system, spelled so that the rule does not find this test. */
const below = (home: string): string => `/${home}/springtide`;

describe('nothing names one machine or one network', () => {
  test.each(['work', 'root', 'home'])('a path below %s is found', async (home) => {
    expect(await objectionsTo(`see ${below(home)}/x`)).toEqual(['a path of one machine']);
    expect(await objectionsTo(`const dir = '${below(home)}';`, 'lab/a.ts')).toEqual(['a path of one machine']);
  });

  test.each([['core/work/queue.ts'], ['https://example.org/home/page'], ['./root/a']])(
    '%s is no path of a machine',
    async (text) => {
      expect(await objectionsTo(text)).toEqual([]);
    },
  );

  test('a registry that not everybody can reach is found', async () => {
    const host = ['npm-registry', 'corp', 'example'].join('.');
    expect(await objectionsTo(`registry=https://${host}/npm`, '.npmrc')).toHaveLength(1);
    expect(await objectionsTo('https://registry.npmjs.org/vitest')).toEqual([]);
  });

  test('the lock file may name no other host', async () => {
    const lock = (host: string): string => `{\n  "resolved": "https://${host}/a.tgz"\n}`;
    expect(await objectionsTo(lock('registry.npmjs.org'), 'package-lock.json')).toEqual([]);
    expect(await objectionsTo(lock('localhost:4873'), 'package-lock.json')).toEqual([
      'the lock file names the host localhost:4873',
    ]);
  });
});
