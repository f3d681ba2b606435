import { controlPlane, until } from '@springtide/testkit/controlplane/fixtures';
import { describe, expect, test } from 'vitest';
import { Stage } from './stage.ts';

const plane = controlPlane();

describe('the API server', () => {
  test.each(['SIGTERM', 'SIGKILL'] as const)('is restarted with %s while pods come and are bound', async (signal) => {
    const stage = await Stage.forTest(plane);
    await stage.space.addNodes(10, { cards: 8 });
    await stage.leader();
    await stage.addPods(40, 1);
    const restart = plane.restartApiServer({ signal, downMs: 1000 });
    await restart;
    await stage.addPods(50, 1, 'q');
    await stage.untilBound(80);
    await stage.expectCalm();
  });
});

describe('the watches', () => {
  test('break again and again while pods come and go', async () => {
    const stage = await Stage.forTest(plane);
    await stage.space.addNodes(4, { cards: 8 });
    const replica = await stage.leader();
    for (let round = 0; round < 5; round += 1) {
      await stage.addPods(6, 1, `r${round}-`);
      replica.proxy.breakAll();
      await stage.untilBound(6);
      for (let index = 0; index < 6; index += 1) await plane.api.delete(`${stage.space.path}/pods/r${round}-${index}`);
      await until('they are gone', async () => (await stage.space.pods()).length === 0);
    }
    await stage.addPods(33, 1, 'last');
    await stage.untilBound(32);
    await stage.expectCalm();
  });

  test('have fallen so far behind that their version is gone (410)', async () => {
    const stage = await Stage.forTest(plane);
    await stage.space.addNodes(1, { cards: 4 });
    const replica = await stage.leader();
    await stage.addPods(4, 1);
    await stage.untilBound(4);
    const { lists } = replica.cluster.counts().view;
    replica.proxy.cut();
    await plane.api.delete(`${stage.space.path}/pods/p0`);
    await stage.addPods(2, 1, 'q');
    // A new API server remembers no change from before it started.
    await plane.restartApiServer({ signal: 'SIGKILL' });
    replica.proxy.mend();
    await until('one of the two is bound', async () => (await stage.boundCount()) === 4);
    expect(replica.cluster.counts().view.lists).toBeGreaterThan(lists);
    await stage.expectCalm();
  });
});
