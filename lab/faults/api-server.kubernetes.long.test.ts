import { controlPlane, until } from '@springtide/testkit/controlplane/fixtures';
import { describe, test } from 'vitest';
import { Stage } from './stage.ts';

const plane = controlPlane();

describe('the API server', () => {
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
