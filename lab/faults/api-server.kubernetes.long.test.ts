import { controlPlane, until } from '@springtide/testkit/controlplane/fixtures';
import { describe, test } from 'vitest';
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

  test('is without etcd for 30 s while pods are bound', async () => {
    const stage = await Stage.forTest(plane);
    await stage.space.addNodes(10, { cards: 8 });
    await stage.leader();
    const created = stage.addPods(60, 1);
    await stage.untilBound(1);
    await created;
    await plane.stopEtcdFor(30_000);
    await stage.addPods(30, 1, 'q');
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

  test('say nothing any more, bookmarks included, and do not break', async () => {
    const stage = await Stage.forTest(plane);
    await stage.space.addNodes(1, { cards: 4 });
    let isSilent = false;
    const replica = await stage.leader({
      scheduling: { assumedMs: 5000 },
      // The pods are known by now, and their bindings will not be seen.
      beforeBind: async () => {
        if (!isSilent) replica.proxy.silence();
        isSilent = true;
      },
    });
    await stage.addPods(4, 1);
    await stage.untilBound(4);
    await plane.api.delete(`${stage.space.path}/pods/p0`);
    await stage.addPods(2, 1, 'q');
    await until('one of the two is bound', async () => (await stage.boundCount()) === 4, 120_000);
    await stage.expectCalm();
  });
});
