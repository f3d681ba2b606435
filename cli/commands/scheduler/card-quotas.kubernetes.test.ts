import { readKubeconfig } from '@springtide/adapters/kubernetes/client';
import { NodeAgents, pluginVendor } from '@springtide/lab/device-plugin';
import { controlPlane, spaceForTest } from '@springtide/testkit/controlplane/fixtures';
import { expect, onTestFinished, test } from 'vitest';
import { schedulerOn } from './index.ts';

const plane = controlPlane();

function toldTo({ status }: any): string {
  return (status.conditions ?? []).find(({ type }: any) => type === 'PodScheduled')?.message ?? '';
}

test('H3: a ResourceQuota bounds what the pods of a namespace hold of cards together', async () => {
  const space = await spaceForTest(plane);
  const hard = 'limits.nvidia.com/gpumem=6000,limits.nvidia.com/gpucores=200';
  await plane.kubectl(['create', 'quota', 'cards', '-n', space.namespace, `--hard=${hard}`]);
  const config = readKubeconfig({ path: plane.adminKubeconfig });
  if (!config.ok) throw new Error(config.error.message);
  const schedulerName = `springtide-${space.id}`;
  const service = schedulerOn(config.value, { name: schedulerName, leaseNamespace: space.namespace });
  onTestFinished(() => service.stop());
  const nodes = await space.addNodes(1, { isPlayed: false });
  const agents = await NodeAgents.start(plane, [{ vendor: pluginVendor('nvidia'), nodes, cardsPerNode: 2 }]);
  onTestFinished(() => agents.kill());
  service.start();
  const addPod = (name: string): Promise<unknown> => {
    const limits = { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '3000', cpu: '1m', memory: '1Mi' };
    const containers = [{ name: 'main', image: 'none.invalid/none', resources: { limits } }];
    return space.addPod(name, { schedulerName, spec: { containers } });
  };
  const isBound = (pod: any): boolean => pod.spec.nodeName !== undefined;
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names) await addPod(name);
  // In one go, two of the four fit.
  for (const name of ['a', 'b']) await space.untilPod(name, isBound);
  expect(toldTo(await space.untilPod('d', (pod) => toldTo(pod) !== ''))).toContain('more than its quota');
  await plane.api.delete(`${space.path}/pods/a`, { gracePeriodSeconds: 0 });
  await space.untilPod('c', isBound);
  expect(isBound(await space.pod('d'))).toBe(false);
  await plane.api.patch(`${space.path}/resourcequotas/cards`, {
    spec: { hard: { 'limits.nvidia.com/gpumem': '9000' } },
  });
  await space.untilPod('d', isBound);
});
