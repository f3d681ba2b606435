import { afterEach, beforeEach, describe } from 'vitest';
import { leaseTests } from './lease-tests.ts';
import { orderTests } from './order-tests.ts';
import { viewTests } from './view-tests.ts';
import type { ClusterWorld } from './world.ts';

/** Gives the world of the test that runs. */
export type WorldOf = () => ClusterWorld;

/** What every implementation of the cluster port has to do. One suite for the lab's and for the real one. */
export function clusterConformance(name: string, open: () => Promise<ClusterWorld>): void {
  describe(`the cluster port on ${name}`, () => {
    let world: ClusterWorld;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());
    viewTests(() => world);
    orderTests(() => world);
    leaseTests(() => world);
  });
}
