import { describe, expect, test } from 'vitest';
import { treeOf } from '../tree.ts';
import { leftovers } from './leftovers.ts';

async function leftoversIn(text: string, path = 'lab/cluster/tick.ts'): Promise<string[]> {
  const { findings } = await leftovers.inspect(treeOf({ [path]: text }));
  return findings.map((finding) => finding.why);
}

describe('nothing is left over', () => {
  test.each([
    ['// FIXME later', 'FIXME: finish it, or file it and say so in words'],
    ['/* XXX */', 'XXX: finish it, or file it and say so in words'],
    ['// TODO', 'TODO without a text'],
    ['// TODO:', 'TODO without a text'],
    ['debugger;', 'debugger'],
    ["console.log('here');", 'console.log outside cli, tools and bench'],
  ])('finds %s', async (text, why) => {
    expect(await leftoversIn(text)).toEqual([why]);
  });

  test('a test that leaves out the others is found', async () => {
    expect(await leftoversIn("test.only('x', () => {});", 'lab/cluster/tick.test.ts')).toHaveLength(1);
    expect(await leftoversIn("describe.only('x', () => {});", 'lab/cluster/tick.test.ts')).toHaveLength(1);
  });

  test.each([
    ['// TODO: hold the reservation through a restart'],
    ["export const word = 'FIXME and console.log(1)';"],
    ["console.error('a warning');"],
  ])('accepts %s', async (text) => {
    expect(await leftoversIn(text)).toEqual([]);
  });

  test('programs may print', async () => {
    expect(await leftoversIn("console.log('done');", 'cli/commands/replay/index.ts')).toEqual([]);
  });
});
