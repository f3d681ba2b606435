import { type ControlPlane, ObjectWatch } from '@springtide/testkit/controlplane';
import { Space, until } from '@springtide/testkit/controlplane/fixtures';
import { type FreeCards, freeCards, furnish, replicasOf, scale } from './cluster.ts';
import type { Layout } from './layouts.ts';

export interface ScaleInRun {
  /** Pods that carried a deletion cost at any moment, and those that were deleted. */
  readonly chosen: readonly string[];
  readonly deleted: readonly string[];
  /** Cards and machines that are free now and were not. */
  readonly freed: FreeCards;
  /** From the request to its answer. */
  readonly answeredMs: number;
}

const COST = 'controller.kubernetes.io/pod-deletion-cost';

/** One layout through the real controllers; the namespace carries labels, by which a webhook may select it. */
export async function runScaleIn(
  plane: ControlPlane,
  layout: Layout,
  labels: Readonly<Record<string, string>> = {},
): Promise<ScaleInRun> {
  const space = await Space.open(plane);
  try {
    await plane.api.patch(`/api/v1/namespaces/${space.namespace}`, { metadata: { labels } });
    const nodes = await furnish(plane, space, layout);
    return await shrink(plane, space, layout, nodes);
  } finally {
    await space.close();
  }
}

async function shrink(
  plane: ControlPlane,
  space: Space,
  layout: Layout,
  nodes: readonly string[],
): Promise<ScaleInRun> {
  const chosen = new Set<string>();
  const deleted = new Set<string>();
  const watch = new ObjectWatch(plane, `${space.path}/pods`, ({ type, object: pod }) => {
    const { name, annotations, deletionTimestamp } = pod.metadata;
    if (annotations?.[COST] !== undefined) chosen.add(name);
    if (type === 'DELETED' || deletionTimestamp !== undefined) deleted.add(name);
  });
  const watching = watch.run();
  try {
    const before = freeCards(nodes, await space.pods());
    const beganMs = performance.now();
    await scale(plane, space, layout.to);
    const answeredMs = Math.round(performance.now() - beganMs);
    await replicasOf(space, layout.to);
    await until('the others are gone', async () => (await space.pods()).length === layout.to + layout.others.length);
    await until('the watch has seen them go', () =>
      Promise.resolve(deleted.size === layout.replicas.length - layout.to),
    );
    const after = freeCards(nodes, await space.pods());
    return {
      chosen: [...chosen].toSorted(),
      deleted: [...deleted].toSorted(),
      freed: { cards: after.cards - before.cards, machines: after.machines - before.machines },
      answeredMs,
    };
  } finally {
    watch.end();
    await watching;
  }
}
