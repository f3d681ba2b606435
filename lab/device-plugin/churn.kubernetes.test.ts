import { controlPlane, spaceForTest } from '@springtide/testkit/controlplane/fixtures';
import { expect, test } from 'vitest';
import { Churn } from './churn.ts';

const plane = controlPlane();

test('H3: sliced pods of five vendors come and go, with a kill of the scheduler and of the plug-ins', async () => {
  const size = { pods: 100, nodesPerVendor: 1, cardsPerNode: 4, podsAtOnce: 60 };
  const churn = new Churn(plane, await spaceForTest(plane), { seed: 1, ...size, schedulerKills: 1, pluginKills: 1 });
  const figures = await churn.run();
  expect(figures).toMatchObject({ broken: [], locksLeft: [], stuck: [], mistaken: 0 });
  expect(figures.ran + figures.failed + figures.deletedEarly).toBe(100);
  expect(figures.ran).toBeGreaterThan(80);
});
