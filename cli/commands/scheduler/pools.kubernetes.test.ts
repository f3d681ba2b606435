import { readKubeconfig } from '@springtide/adapters/kubernetes/client';
import {
  addPool,
  controlPlane,
  forgetPools,
  podObject,
  POOLS_PATH,
  servePools,
  spaceForTest,
  until,
} from '@springtide/testkit/controlplane/fixtures';
import { expect, onTestFinished, test } from 'vitest';
import { schedulerOn } from './index.ts';

const plane = controlPlane();

function toldTo(pod: any): string {
  const condition = (pod.status.conditions ?? []).find((each: any) => each.type === 'PodScheduled');
  return condition?.message ?? '';
}

test('P9: the machines of an isolated pool are for its namespaces, and everybody is told why', async () => {
  await servePools(plane);
  onTestFinished(() => forgetPools(plane));
  const [ours, others] = [await spaceForTest(plane), await spaceForTest(plane)];
  const config = readKubeconfig({ path: plane.adminKubeconfig });
  if (!config.ok) throw new Error(config.error.message);
  const name = `springtide-${ours.id}`;
  const service = schedulerOn(config.value, { name, leaseNamespace: ours.namespace });
  onTestFinished(() => service.stop());
  const team = `team-${ours.id}`;
  const [apart = ''] = await ours.addNodes(1, { cards: 4, labels: { team } });
  const [open = ''] = await ours.addNodes(1, { cards: 4 });
  const pool = await addPool(plane, `blue-${ours.id}`, { labels: { team }, namespaces: [ours.namespace] });
  const second = await addPool(plane, `red-${ours.id}`, { labels: { team } });
  service.start();

  // Its namespace may use it, and a pod that names it goes nowhere else.
  const wish = { schedulerName: name, cards: 3 };
  await ours.addPod('mine', { ...wish, labels: { 'springtide.io/pool': pool.metadata.name } });
  expect((await ours.untilPod('mine', (pod) => pod.spec.nodeName !== undefined)).spec.nodeName).toBe(apart);

  // Others fill the common machine, and wait although the pool has a card left.
  const elsewhere = { ...wish, cards: 1, nodeSelector: ours.nodeLabels };
  await plane.api.create(`${others.path}/pods`, podObject('stranger', elsewhere));
  expect((await others.untilPod('stranger', (pod) => pod.spec.nodeName !== undefined)).spec.nodeName).toBe(open);
  await plane.api.create(`${others.path}/pods`, podObject('waits', { ...elsewhere, cards: 4 }));
  const told = toldTo(await others.untilPod('waits', (pod) => toldTo(pod) !== ''));
  expect(told).toContain('1 machine: in an isolated pool that is closed to the pod');

  // The status tells what the pool has, and which came too late.
  const statusOf = async ({ metadata }: any): Promise<any> =>
    (await plane.api.get(`${POOLS_PATH}/${metadata.name}`)).status;
  await until('both statuses are written', async () => {
    return (await statusOf(pool))?.machines === 1 && (await statusOf(second))?.machines === 0;
  });
  expect(await statusOf(pool)).toMatchObject({ cards: 4, conditions: [{ type: 'Conflict', status: 'False' }] });
  const [conflict] = (await statusOf(second)).conditions;
  expect(conflict).toMatchObject({ type: 'Conflict', status: 'True' });
  expect(conflict.message).toContain(pool.metadata.name);
  expect(service.facts().isolatedCards.get(pool.metadata.name)).toBe(4);

  // Without the pools the machine is as any other.
  for (const each of [pool, second]) await plane.api.delete(`${POOLS_PATH}/${each.metadata.name}`);
  await plane.api.delete(`${ours.path}/pods/mine`);
  expect((await others.untilPod('waits', (pod) => pod.spec.nodeName !== undefined)).spec.nodeName).toBe(apart);
});
