import { readKubeconfig } from '@springtide/adapters/kubernetes/client';
import { NodeAgents, pluginVendor } from '@springtide/lab/device-plugin';
import { controlPlane, podObject, spaceForTest } from '@springtide/testkit/controlplane/fixtures';
import { expect, onTestFinished, test } from 'vitest';
import { schedulerOn } from './index.ts';

const plane = controlPlane();

function toldTo({ status }: any): string {
  return (status.conditions ?? []).find(({ type }: any) => type === 'PodScheduled')?.message ?? '';
}

test('P3: shared pods are promised more than a card once its node says how much, and guaranteed ones never', async () => {
  const space = await spaceForTest(plane);
  const config = readKubeconfig({ path: plane.adminKubeconfig });
  if (!config.ok) throw new Error(config.error.message);
  const schedulerName = `springtide-${space.id}`;
  const service = schedulerOn(config.value, { name: schedulerName, leaseNamespace: space.namespace });
  onTestFinished(() => service.stop());
  const nodes = await space.addNodes(1, { isPlayed: false });
  const [node = ''] = nodes;
  // One card of 46,068 MiB.
  const agents = await NodeAgents.start(plane, [{ vendor: pluginVendor('nvidia'), nodes, cardsPerNode: 1 }]);
  onTestFinished(() => agents.kill());
  service.start();
  const addPod = (name: string, priority: string, memoryMiB: number, cores: number): Promise<any> => {
    const pod: any = podObject(name, { schedulerName, nodeSelector: space.nodeLabels });
    const amounts = { gpu: '1', gpumem: String(memoryMiB), gpucores: String(cores), priority };
    const limits = Object.fromEntries(Object.entries(amounts).map(([key, value]) => [`nvidia.com/${key}`, value]));
    pod.spec.containers[0].resources = { limits };
    return plane.api.create(`${space.path}/pods`, pod);
  };
  const isRunning = (pod: any): boolean => pod.status.phase === 'Running';
  const isTold = (pod: any): boolean => toldTo(pod) !== '';

  // Without a bound a shared pod is a slice.
  await addPod('guaranteed', '0', 20_000, 50);
  await space.untilPod('guaranteed', isRunning);
  await addPod('shared-a', '1', 10_000, 80);
  expect(toldTo(await space.untilPod('shared-a', isTold))).toContain('30 %');

  // The label of the node is in force at once: compute yields, and memory may go to 55,281 MiB.
  const labels = { 'springtide.io/shared-compute-percent': '200', 'springtide.io/shared-memory-percent': '120' };
  await plane.api.patch(`/api/v1/nodes/${node}`, { metadata: { labels } });
  await space.untilPod('shared-a', isRunning);
  await addPod('shared-b', '1', 25_000, 100);
  const { metadata } = await space.untilPod('shared-b', isRunning);
  expect(metadata.annotations['hami.io/vgpu-devices-allocated']).toContain(',25000,100:');
  await addPod('shared-c', '1', 300, 20);
  await space.untilPod('shared-c', isTold);

  // A guaranteed pod is not served from what the shared ones were promised, until they are gone.
  await addPod('late', '0', 5000, 50);
  await space.untilPod('late', isTold);
  await plane.api.delete(`${space.path}/pods/shared-b`);
  await space.untilPod('late', isRunning);
  expect((await plane.api.get(`${space.path}/pods/shared-a`)).spec.nodeName).toBe(node);
});
