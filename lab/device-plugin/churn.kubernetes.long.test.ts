import { controlPlane, spaceForTest } from '@springtide/testkit/controlplane/fixtures';
import { expect, test } from 'vitest';
import { Churn } from './churn.ts';

const plane = controlPlane();

test('H3: 2,000 sliced pods of five vendors come and go, with kills of the scheduler and of the plug-ins', async () => {
  const size = { pods: 2000, nodesPerVendor: 3, cardsPerNode: 8, podsAtOnce: 300 };
  const churn = new Churn(plane, await spaceForTest(plane), { seed: 2, ...size, schedulerKills: 5, pluginKills: 5 });
  const figures = await churn.run();
  expect(figures).toMatchObject({ broken: [], locksLeft: [], stuck: [], mistaken: 0 });
  expect(figures.ran + figures.failed + figures.deletedEarly).toBe(2000);
  expect(figures.ran).toBeGreaterThan(1800);
});
