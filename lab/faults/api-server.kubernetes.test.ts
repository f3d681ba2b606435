import { controlPlane, until } from '@springtide/testkit/controlplane/fixtures';
import { describe, expect, test } from 'vitest';
import { Stage } from './stage.ts';

const plane = controlPlane();

describe('the watches', () => {
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
