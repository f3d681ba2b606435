import { controlPlane } from '@springtide/testkit/controlplane/fixtures';
import { gangLabels } from '@springtide/testkit/invariants';
import { expect, test } from 'vitest';
import { Stage } from './stage.ts';

const plane = controlPlane();

test('I3: a gang of 1,000 on 8 cards holds nothing, says so, and stands in nobody else’s way', async () => {
  const stage = await Stage.forTest(plane);
  await stage.space.addNodes(1, { cards: 8 });
  await stage.leader();
  const labels = gangLabels('huge', 1000);
  const member = { cards: 1, cpu: '1m', memory: '1Mi', labels, schedulerName: stage.schedulerName };
  for (let from = 0; from < 1000; from += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, index) => stage.space.addPod(`g${from + index}`, member)));
  }
  expect(await stage.verdictOn('g0')).toMatch(/gang/);
  await stage.addPods(8, 1);
  await stage.untilBound(8);
  await stage.expectCalm();
  expect(await stage.boundCount()).toBe(8);
});
