import { describeWithShared } from '@springtide/testkit/shared';
import { expect, test } from 'vitest';
import { findTrace, JobRunner } from './index.ts';

/** Published means at load 130 (shared/design/packing.md 1), and how far one seed may be from the mean of ten. */
const PUBLISHED = [
  ['random', 87.47, 0.9],
  ['best-fit', 93.08, 0.5],
  ['fgd', 95.39, 0.4],
] as const;

describeWithShared('one seed of openb:default', (shared) => {
  const runner = new JobRunner();
  const trace = findTrace(shared, 'openb:default');

  test.each(PUBLISHED)('under %s allocates %d percent at load 130, give or take %d', (placement, mean, tolerance) => {
    if (trace === null) throw new Error('there is no trace openb:default');
    const outcome = runner.run({ trace, placement, seed: 42, ties: 'rank', withFragmentation: false });
    const end = outcome.curve.find((point) => point.loadPercent === 130);
    expect(Math.abs((end?.allocatedPercent ?? 0) - mean)).toBeLessThan(tolerance);
    expect([outcome.order, outcome.decisions, outcome.cards]).toEqual(['go', 10_866, 6212]);
  });
});
