import { systemClock } from '@springtide/adapters/clock';
import type { Clock } from '@springtide/ports/clock';
import { controlPlane, until } from '@springtide/testkit/controlplane/fixtures';
import { expect, test } from 'vitest';
import { Stage } from './stage.ts';

const plane = controlPlane();

function clockOff(byMs: number): Clock {
  return { ...systemClock, wallMs: () => systemClock.wallMs() + byMs };
}

test.each([300_000, -300_000])(
  'a replica whose clock is %i ms off leads, and follows, like any other',
  async (byMs) => {
    const stage = await Stage.forTest(plane);
    await stage.space.addNodes(2, { cards: 8 });
    const odd = await stage.leader({ clock: clockOff(byMs) });
    const right = await stage.follower();
    await stage.addPods(6, 1);
    await stage.untilBound(6);
    // It is in office for longer than a lease lasts, and nobody takes it for dead or for immortal.
    await until('it has renewed', async () => {
      const lease = await plane.api.get(
        `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${stage.schedulerName}`,
      );
      return Date.parse(lease.spec.renewTime) - Date.parse(lease.spec.acquireTime) > 12_000;
    });
    expect([odd.service.isLeading, right.service.isLeading]).toEqual([true, false]);
    odd.proxy.cut();
    await until('the other leads', async () => right.service.isLeading);
    await stage.addPods(6, 1, 'q');
    await stage.untilBound(12);
    odd.proxy.mend();
    await stage.expectCalm();
  },
);
