import { readKubeconfig } from '@springtide/adapters/kubernetes/client';
import { NodeAgents, pluginVendor } from '@springtide/lab/device-plugin';
import { controlPlane, podObject, type Space, spaceForTest } from '@springtide/testkit/controlplane/fixtures';
import { expect, onTestFinished, test } from 'vitest';
import { schedulerOn } from './index.ts';

const plane = controlPlane();

function toldTo({ status }: any): string {
  return (status.conditions ?? []).find(({ type }: any) => type === 'PodScheduled')?.message ?? '';
}

async function label({ namespace }: Space, labels: Record<string, string>): Promise<void> {
  await plane.api.patch(`/api/v1/namespaces/${namespace}`, { metadata: { labels } });
}

test('P2: a tenant that never shares a card has it to itself, by the labels of its namespaces', async () => {
  const [bank, branch, other] = [await spaceForTest(plane), await spaceForTest(plane), await spaceForTest(plane)];
  for (const each of [bank, branch]) await label(each, { 'springtide.io/tenant': `bank-${bank.id}` });
  await label(bank, { 'springtide.io/isolation': 'card' });
  const config = readKubeconfig({ path: plane.adminKubeconfig });
  if (!config.ok) throw new Error(config.error.message);
  const schedulerName = `springtide-${bank.id}`;
  const service = schedulerOn(config.value, { name: schedulerName, leaseNamespace: bank.namespace });
  onTestFinished(() => service.stop());
  const nodes = await bank.addNodes(1, { isPlayed: false });
  const agents = await NodeAgents.start(plane, [{ vendor: pluginVendor('nvidia'), nodes, cardsPerNode: 1 }]);
  onTestFinished(() => agents.kill());
  service.start();
  const addPod = async (space: Space, name: string): Promise<void> => {
    const pod: any = podObject(name, { schedulerName, nodeSelector: bank.nodeLabels });
    pod.spec.containers[0].resources = { limits: { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '5000' } };
    await plane.api.create(`${space.path}/pods`, pod);
  };
  const isBound = (pod: any): boolean => pod.spec.nodeName !== undefined;

  await addPod(bank, 'first');
  await bank.untilPod('first', isBound);
  await addPod(other, 'stranger');
  expect(toldTo(await other.untilPod('stranger', (pod) => toldTo(pod) !== ''))).toContain('pods of other tenants');
  // Another namespace of the same tenant may.
  await addPod(branch, 'own');
  await branch.untilPod('own', isBound);
  // And the stranger once the tenant shares.
  await label(bank, { 'springtide.io/isolation': 'none' });
  await other.untilPod('stranger', isBound);
});
