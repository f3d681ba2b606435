import { describeWithShared } from '@springtide/testkit/shared';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clusterOf, dumpAt, requestsAt } from '../../cluster/index.ts';
import { answerJson } from './json.ts';
import { placeAll } from './placing.ts';

interface Verdict {
  readonly feasibleNodes: readonly string[];
  /** Missing where it depends on what is placed first. */
  readonly copiesThatFit?: number;
  readonly copiesByNode?: Readonly<Record<string, number>>;
}

interface Answer extends Required<Verdict> {
  readonly fits: boolean;
  readonly chosen: readonly { readonly node: string; readonly cards: readonly string[] }[];
  readonly refusals: readonly { readonly filter: string; readonly machines: number }[];
}

async function placed(folder: string, request: string): Promise<Answer> {
  const cluster = clusterOf(await dumpAt(folder), 'tide');
  const answers = placeAll(cluster, await requestsAt(join(folder, 'requests', `${request}.yaml`)));
  expect(cluster.book.holdings.size).toBeGreaterThan(0);
  return JSON.parse(JSON.stringify(answerJson(cluster, answers))) as Answer;
}

describeWithShared("place gives kube-scheduler's verdicts (issue 3, done when 7)", (shared) => {
  describe.each(['fragmented', 'slices', 'domestic'])('%s', (name) => {
    const folder = join(shared, 'cases', 'kubectl', name);
    const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as {
      readonly place: Readonly<Record<string, Verdict>>;
    };
    const nodes = JSON.parse(readFileSync(join(folder, 'nodes.json'), 'utf8')) as {
      readonly items: readonly unknown[];
    };

    test.each(Object.entries(expected.place))('%s', async (request, want) => {
      const got = await placed(folder, request);
      expect(got.feasibleNodes).toEqual(want.feasibleNodes);
      if (want.copiesThatFit !== undefined) expect(got.copiesThatFit).toBe(want.copiesThatFit);
      if (want.copiesByNode !== undefined) expect(got.copiesByNode).toEqual(want.copiesByNode);
      const refused = got.refusals.reduce((sum, { machines }) => sum + machines, 0);
      expect(refused + got.feasibleNodes.length).toBe(nodes.items.length);
      expect(got.fits).toBe(want.feasibleNodes.length > 0);
      expect(want.feasibleNodes).toEqual(expect.arrayContaining(got.chosen.map(({ node }) => node)));
    });
  });
});
